//===- TileProgramOps.td - A program's place in the grid ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILEPROGRAMOPS_TD
#define MYTRITON_DIALECT_TILE_IR_TILEPROGRAMOPS_TD

include "mytriton/Dialect/Tile/IR/TileOpBase.td"

def Tile_ProgramIdOp : Tile_Op<"program_id", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "position of this program instance along a grid axis";
  let description = [{
    Returns the index of the running program instance along one axis of the
    launch grid: from 0 up to, but not including, `tile.num_programs` of the
    same axis. Every thread of a program sees the same value.

    ```mlir
    %pid = tile.program_id x : i32
    ```

    Constraints:
    1. The axis is `x`, `y` or `z`.
    2. The result is an i32.
  }];
  let arguments = (ins Tile_AxisAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "`` $axis attr-dict `:` type($result)";
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "extent of the launch grid along an axis";
  let description = [{
    Returns how many program instances the launch has along one axis. An axis
    that the launch does not name has extent 1.

    ```mlir
    %n = tile.num_programs y : i32
    ```

    Constraints:
    1. The axis is `x`, `y` or `z`.
    2. The result is an i32.
  }];
  let arguments = (ins Tile_AxisAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "`` $axis attr-dict `:` type($result)";
}

#endif // MYTRITON_DIALECT_TILE_IR_TILEPROGRAMOPS_TD
