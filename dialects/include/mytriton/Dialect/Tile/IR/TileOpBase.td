//===- TileOpBase.td - What every operation shares ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILEOPBASE_TD
#define MYTRITON_DIALECT_TILE_IR_TILEOPBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mytriton/Dialect/Tile/IR/TileAttributes.td"
include "mytriton/Dialect/Tile/IR/TileDialect.td"
include "mytriton/Dialect/Tile/IR/TileTypes.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // MYTRITON_DIALECT_TILE_IR_TILEOPBASE_TD
