//===- TileProgramOps.cpp - A program's place in the grid ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mytriton::tile;

LogicalResult ProgramIdOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                            ValueRange, DictionaryAttr, OpaqueProperties,
                                            RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(IntegerType::get(context, 32));
  return success();
}

LogicalResult NumProgramsOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                              ValueRange, DictionaryAttr, OpaqueProperties,
                                              RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(IntegerType::get(context, 32));
  return success();
}
