//===- TileOps.td - The whole dialect -------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILEOPS_TD
#define MYTRITON_DIALECT_TILE_IR_TILEOPS_TD

include "mytriton/Dialect/Tile/IR/TileArithOps.td"
include "mytriton/Dialect/Tile/IR/TileIndexingOps.td"
include "mytriton/Dialect/Tile/IR/TileMemoryOps.td"
include "mytriton/Dialect/Tile/IR/TileProgramOps.td"
include "mytriton/Dialect/Tile/IR/TileReduceOps.td"
include "mytriton/Dialect/Tile/IR/TileShapeOps.td"
include "mytriton/Dialect/Tile/IR/TileSharedOps.td"

#endif // MYTRITON_DIALECT_TILE_IR_TILEOPS_TD
