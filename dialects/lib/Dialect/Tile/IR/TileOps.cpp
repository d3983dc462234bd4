//===- TileOps.cpp - The generated code of all operations ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mytriton/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "mytriton/Dialect/Tile/IR/TileOps.cpp.inc"
