//===- ShapeChecks.h - What several verifiers check ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_SHAPECHECKS_H
#define MYTRITON_DIALECT_TILE_IR_SHAPECHECKS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mytriton::tile {

/// Both a source and a result of different shapes have a layout, or neither.
llvm::LogicalResult verifyBothHaveLayout(mlir::Operation *op, mlir::RankedTensorType source,
                                         mlir::RankedTensorType result);

/// The result must have the shape that follows from the operands: an empty one is that of a scalar.
llvm::LogicalResult verifyResultShape(mlir::Operation *op, mlir::Type result, llvm::ArrayRef<int64_t> shape);

/// Elements, or scalars, stay of one type.
llvm::LogicalResult verifySameElement(mlir::Operation *op, mlir::Type source, mlir::Type result);

} // namespace mytriton::tile

#endif // MYTRITON_DIALECT_TILE_IR_SHAPECHECKS_H
