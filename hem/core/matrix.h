// SPDX-License-Identifier: Apache-2.0
// Dense matrices of the offline side: Eigen's, column by column, with its large products handed to
// BLAS. Include this instead of Eigen's own headers, so that all sources agree on that.
#pragma once

#ifndef EIGEN_USE_BLAS
#define EIGEN_USE_BLAS
#endif
#include <Eigen/Dense>

namespace hem {

using MatrixF = Eigen::MatrixXf;
using MatrixD = Eigen::MatrixXd;
using VectorF = Eigen::VectorXf;
using VectorD = Eigen::VectorXd;

// While one lives, BLAS works on the thread that calls it alone: for products inside parallelFor(),
// where its own threads and those of the loop would wait for each other (ten times slower). It
// holds for the whole process; make it outside the loop.
class OneBlasThread {
public:
    OneBlasThread();
    ~OneBlasThread();
    OneBlasThread(const OneBlasThread&) = delete;
    OneBlasThread& operator=(const OneBlasThread&) = delete;

private:
    int before_;
};

}  // namespace hem
