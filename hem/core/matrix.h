// SPDX-License-Identifier: Apache-2.0
// Dense matrices of the offline side: Eigen's, column by column, with its large products handed to
// BLAS. Include this instead of Eigen's own headers, so that all sources agree on that.
#pragma once

#ifndef EIGEN_USE_BLAS
#define EIGEN_USE_BLAS
#endif
// Products with a vector stay with Eigen: OpenBLAS 0.3.21, Debian's, reads past the end of complex
// matrices there, once in a while onto a page that is not there (OpenMathLib/OpenBLAS#4013). The
// guards of three headers of Eigen keep out what would hand them over.
#define EIGEN_GENERAL_MATRIX_VECTOR_BLAS_H
#define EIGEN_SELFADJOINT_MATRIX_VECTOR_BLAS_H
#define EIGEN_TRIANGULAR_MATRIX_VECTOR_BLAS_H
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
