//===- TileIndexingOps.td - Elements named by values ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILEINDEXINGOPS_TD
#define MYTRITON_DIALECT_TILE_IR_TILEINDEXINGOPS_TD

include "mytriton/Dialect/Tile/IR/TileOpBase.td"

def Tile_GatherOp : Tile_Op<"gather", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "elements of a tile at indices along an axis";
  let description = [{
    The element of the result at some place is the source's at the same place,
    but along `axis` at the index that stands there:
    `result[i, j, k] = source[i, index[i, j, k], k]` for `axis` 1 of rank 3.

    ```mlir
    %r = tile.gather %t, %index along 1 : tensor<16x32xf32>, tensor<16x8xi32>
    ```

    An index is read as unsigned. Where it is not below the source's extent, the
    element is an unspecified value; nothing outside of the source is touched.

    Constraints:
    1. The source is a tile of scalars; the index one of i8, i16, i32 or i64.
    2. `axis` is within the source's rank.
    3. The index has the source's rank, and its extents but along `axis`.
    4. The result has the source's element type, and the index's shape and
       layout.
    5. The source and the index have a layout, or neither has.
  }];
  let arguments = (ins Tile_ValueTile:$source, Tile_OffsetTile:$index, I32Attr:$axis);
  let results = (outs Tile_ValueTile:$result);
  let assemblyFormat = [{
    $source `,` $index `along` $axis attr-dict `:` type($source) `,` type($index)
  }];
  let hasVerifier = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure]> {
  let summary = "how often each small number occurs in a tile";
  let description = [{
    Element `i` of the result is the number of elements of `source`, read as
    unsigned, that are `i`; with a mask, of those where it is true. Elements that
    are not below the result's extent are not counted.

    ```mlir
    %h = tile.histogram %x : tensor<512xi32> -> tensor<64xi32>
    %m = tile.histogram %y, %mask : tensor<16x32xi8>, tensor<16x32xi1> -> tensor<17xi32>
    ```

    In the layout stage the result may have any layout.

    Constraints:
    1. The source is a tile of i1, i8, i16, i32 or i64.
    2. The mask is an i1 tile of the source's shape and layout.
    3. The result is a tile of i32 of rank 1.
    4. The source and the result have a layout, or neither has.
  }];
  let arguments = (ins Tile_IntTile:$source, Optional<Tile_BoolTile>:$mask);
  let results = (outs Tile_I32Tile:$result);
  let assemblyFormat = [{
    $source (`,` $mask^)? attr-dict `:` type($source) (`,` type($mask)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // MYTRITON_DIALECT_TILE_IR_TILEINDEXINGOPS_TD
