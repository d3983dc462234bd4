//===- TileReduceOps.td - Reductions and scans ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILEREDUCEOPS_TD
#define MYTRITON_DIALECT_TILE_IR_TILEREDUCEOPS_TD

include "mytriton/Dialect/Tile/IR/TileOpBase.td"

/// What is common to operations that combine elements by a region.
class Tile_CombiningOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let regions = (region SizedRegion<1>:$combine);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_ReduceOp : Tile_CombiningOp<"reduce"> {
  let summary = "combines the elements along an axis";
  let description = [{
    Combines the elements of tiles along `axis` into one. Several tiles are
    reduced together: each element is then the tuple of theirs. The results have
    the operands' shape without `axis`; those of rank 1 give scalars.

    The region takes two such tuples and yields their combination. It is
    isolated, and consists of operations on scalars.

    ```mlir
    %sum = tile.reduce %x along 1 : tensor<16x32xf32> -> tensor<16xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```

    The combination is taken to be associative and commutative: its order is not
    specified. Elements beyond the extent, where a layout pads it, do not enter.

    In the layout stage a result of rank 1 or more may have any layout that gives
    a thread elements which the reduction leaves in it: the operand's with the
    axis dropped.

    Constraints:
    1. There are 1 to 4 operands: tiles of scalars, of one shape and layout.
    2. `axis` is within the operands' rank.
    3. There is a result for each operand, of its element type: a scalar where
       the operand has rank 1, else a tile of its shape without `axis`.
    4. Operands and results of rank 1 or more all have a layout, or none has; the
       results have the same.
    5. The region takes two scalars for each operand, first those of the left
       tuple, and yields one for each.
    6. Operations in the region are of scalars and without regions: those of
       `arith` and `math`, and element-wise ones of this dialect.
    7. No result of the region, but for an i1, is a subtraction, division,
       remainder, shift or power of just the two elements of its operand.
  }];
  let arguments = (ins Variadic<Tile_ValueTile>:$operands, I32Attr:$axis);
  let results = (outs Variadic<Tile_Values>:$results);
  let assemblyFormat = [{
    $operands `along` $axis attr-dict `:` type($operands) `->` type($results) $combine
  }];
}

def Tile_ScanOp : Tile_CombiningOp<"scan", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "the running combination along an axis";
  let description = [{
    Element `i` along `axis` of the result is the combination of the elements 0
    to `i`; with `reverse` that of the last element down to `i`. Several tiles
    are scanned together, as by `tile.reduce`.

    ```mlir
    %sums = tile.scan %x along 0 : tensor<32xi32> {
    ^bb0(%before: i32, %x: i32):
      %c = arith.addi %before, %x : i32
      tile.yield %c : i32
    }
    %rest = tile.scan %x along 0 reverse : tensor<32xi32> { ... }
    ```

    The combination is taken to be associative. Its left arguments are the
    prefix; with `reverse` what stands at higher indices.

    Constraints:
    1. There are 1 to 4 operands: tiles of scalars, of one shape and layout.
    2. `axis` is within the operands' rank.
    3. The results have the operands' types.
    4. The region takes two scalars for each operand, first those of the left
       tuple, and yields one for each.
    5. Operations in the region are of scalars and without regions: those of
       `arith` and `math`, and element-wise ones of this dialect.
    6. No result of the region, but for an i1, is a subtraction, division,
       remainder, shift or power of just the two elements of its operand.
  }];
  let arguments = (ins Variadic<Tile_ValueTile>:$operands, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_ValueTile>:$results);
  let assemblyFormat = [{
    $operands `along` $axis (`reverse` $reverse^)? attr-dict `:` type($operands) $combine
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [
    Pure, Terminator, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "ends the region of a reduction or scan";
  let description = [{
    Gives the combination of the region's two tuples.

    Constraints:
    1. The operation stands in a `tile.reduce` or `tile.scan`.
    2. The values are scalars.
  }];
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // MYTRITON_DIALECT_TILE_IR_TILEREDUCEOPS_TD
