// SPDX-License-Identifier: Apache-2.0
// The sections that all model kinds have (hem/runtime/format.h), and the checks on the way there.
#pragma once

#include <string>

#include "hem/character/root.h"
#include "hem/pack/basis_encoding.h"
#include "hem/pack/file_writer.h"

namespace hem {

// Fail where the sizes differ, naming what.
Status checkSize(const char* what, Eigen::Index is, Eigen::Index should_be);
Status checkMatrix(const std::string& what, const MatrixF& weights, const VectorF& bias,
                   Eigen::Index rows, Eigen::Index columns);

// Triangles, names of the joints, frame.
void addMesh(FileWriter& file, const Character& character, const Mesh& garment,
             const HipJoints& hips);
void addRange(FileWriter& file, const InputRange& range);
// encodeBases() by the options; fails where there is nothing to measure the encoding's error on.
Result<std::vector<EncodedBasis>> encodedBases(const Subspace& subspace, const MatrixF& frames,
                                               const PackOptions& options,
                                               const Mirror* mirror = nullptr);
// As they come from there, `mirror` the same.
void addBases(FileWriter& file, const VectorF& mean, const std::vector<EncodedBasis>& bases,
              float tolerance_um, const Mirror* mirror = nullptr);
void addStability(FileWriter& file, const StabilityProof& proof, double largest_output);
// What the options have of body, texture coordinates and hidden triangles; the check is of their
// numbers.
Status checkOptional(const Character& character, const Mesh& garment, const PackOptions& options);
void addOptional(FileWriter& file, const PackOptions& options);

// Of |vertex - mean|, metres, for weights within the limits. Summed in order, in double: the same
// bytes on every machine.
double largestOutput(const MatrixF& basis, const VectorF& limit);

// What hem_open() says of the result: it has every limit and every check of a value.
Result<std::vector<std::byte>> proved(std::vector<std::byte> file);

}  // namespace hem
