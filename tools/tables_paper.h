// SPDX-License-Identifier: Apache-2.0
// The papers' figures, to stand beside ours.
//
// 2010: de Aguiar, Sigal, Treuille, Hodgins, "Stable Spaces for Real-time Clothing" (ACM
// Transactions on Graphics 29, 4). Errors in centimetres.
// 2021: Xue, Wu, "Data-Driven Clothing for Interactive Applications". Squares in a unit that it does
// not name.
#pragma once

#include <array>

namespace hem::tools::paper {

// Table 1. Runtimes in seconds a frame; the latent step took 4.8e-8 for all of them.
struct GarmentRow {
    const char* name;
    int vertices, triangles;
    double lambda, total_seconds, maya_seconds;
};
inline constexpr std::array<GarmentRow, 12> kGarments = {{
    {"dress", 766, 1456, 0.9798, 0.00049, 0.37},
    {"dress 3,410", 3410, 6664, 0.9798, 0.00246, 1.20},
    {"dress 5,178", 5178, 10172, 0.9757, 0.00377, 1.90},
    {"dress 20,530", 20530, 40688, 0.9778, 0.01497, 13.20},
    {"skirt1", 820, 1572, 0.8950, 0.00040, 0.25},
    {"skirt2", 820, 1572, 0.9563, 0.00041, 0.33},
    {"long skirt", 766, 1456, 0.9736, 0.00041, 0.40},
    {"Oscar dress", 820, 1582, 0.9654, 0.00039, 0.77},
    {"cape", 2242, 4296, 0.9915, 0.00157, 0.57},
    {"shirt", 3329, 6468, 0.9983, 0.00245, 0.76},
    {"pants", 560, 1074, 0.9735, 0.00020, 2.36},
    {"poncho", 2450, 4692, 0.9995, 0.00169, 0.80},
}};
inline constexpr double kStepSeconds = 4.8e-8;

// Table 2: rows are models A, B, C.
inline constexpr std::array<int, 7> kDimensions = {10, 16, 32, 50, 64, 80, 128};
inline constexpr std::array<std::array<double, 7>, 3> kTrainByDimension = {{
    {2.26, 1.90, 1.46, 1.32, 1.26, 1.21, 1.14},
    {2.89, 2.24, 1.50, 1.26, 1.17, 1.10, 1.00},
    {2.86, 2.20, 1.36, 1.09, 1.01, 0.96, 0.87},
}};
inline constexpr std::array<std::array<double, 7>, 3> kTestByDimension = {{
    {2.37, 2.04, 1.51, 1.40, 1.37, 1.32, 1.44},
    {2.99, 2.48, 1.62, 1.43, 1.36, 1.37, 1.56},
    {3.33, 2.58, 1.59, 1.38, 1.32, 1.34, 1.49},
}};

// Table 3: A, B of 2nd order, C of orders 0 to 5; 64 dimensions.
inline constexpr std::array<double, 8> kTrainByOrder = {1.26, 1.17, 1.26, 1.25,
                                                        1.01, 0.99, 0.97, 0.96};
inline constexpr std::array<double, 8> kTestByOrder = {1.37, 1.36, 1.37, 1.53,
                                                       1.32, 1.39, 1.37, 1.40};

// Table 4: Model C on test at the first four sizes of Table 1.
inline constexpr std::array<double, 4> kTestByResolution = {1.32, 1.58, 1.70, 1.66};

// Section 7.1: a walk, and a walk with a turn of the upper body, by a 64-dimensional model.
inline constexpr std::array<double, 2> kAtomic = {2.24, 2.07};

}  // namespace hem::tools::paper

namespace hem::tools::paper2021 {

// Table 1.
struct NetworkRow {
    double training, testing;  // costs: mean over poses, vertices and axes of squared differences
};
inline constexpr std::array<NetworkRow, 5> kNetworks = {{
    {3.855e-4, 3.832e-4},
    {1.002e-4, 1.592e-4},
    {1.109e-4, 1.527e-4},
    {0.989e-4, 1.498e-4},
    {1.051e-4, 1.568e-4},
}};
// Table 2, seconds a pose: PhysBAM on a CPU, the other two by PyTorch on a GPU.
inline constexpr double kSimulatorSeconds = 180, kLinearSeconds = 0.991e-4,
                        kNetworkSeconds = 1.069e-4;
// Section 2 and Figure 2: squared distance of the simulated from the skinned coat.
inline constexpr int kPoses = 10000, kKept = 9813;
inline constexpr double kDistanceMean = 0.0117, kDistanceLowest = 0.0050, kDistanceHighest = 0.0345,
                        kOutlierDistance = 0.0350;
// Figure 5: squared distance of the predicted from the simulated coat.
inline constexpr double kErrorLowest = 0.00005, kErrorHighest = 0.02295;

}  // namespace hem::tools::paper2021
