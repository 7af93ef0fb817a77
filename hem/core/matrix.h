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

}  // namespace hem
