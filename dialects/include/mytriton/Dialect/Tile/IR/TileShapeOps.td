//===- TileShapeOps.td - Making and reshaping tiles -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILESHAPEOPS_TD
#define MYTRITON_DIALECT_TILE_IR_TILESHAPEOPS_TD

include "mytriton/Dialect/Tile/IR/TileOpBase.td"

def Tile_RangeOp : Tile_Op<"range", [Pure]> {
  let summary = "consecutive integers";
  let description = [{
    Returns the rank-1 tile `[start, start + 1, ..., end - 1]`.

    ```mlir
    %lanes = tile.range 0, 1024 : tensor<1024xi32>
    ```

    Constraints:
    1. The result is a tile of i32.
    2. The result has rank 1.
    3. `start` is less than `end`.
    4. The result has `end - start` elements.
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs Tile_I32Tile:$result);
  let assemblyFormat = "$start `,` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a scalar in every element of a tile";
  let description = [{
    Returns a tile all of whose elements are the source.

    ```mlir
    %t = tile.splat %s : f32 -> tensor<16x32xf32>
    %p = tile.splat %base : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
    ```

    The splat of a constant folds to a constant.

    Constraints:
    1. The source is a scalar or a pointer.
    2. The result is a tile.
    3. The result's element type is the source's type.
  }];
  let arguments = (ins Tile_Element:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "a tile with one more dimension, of extent 1";
  let description = [{
    Inserts a dimension of extent 1 so that it stands at `axis` in the result.

    ```mlir
    %column = tile.expand_dims %t, 1 : tensor<16xi32> -> tensor<16x1xi32>
    ```

    In the layout stage the operation moves nothing between threads: a thread
    must hold, under the source's layout, each element that the result's layout
    gives it.

    The operation folds on a constant with equal elements, and on a
    `tile.splat`.

    Constraints:
    1. The source and the result are tiles of the same element type.
    2. `axis` is within the result's rank.
    3. The result's shape is the source's with 1 inserted at `axis`.
    4. Both have a layout, or neither has.
  }];
  let arguments = (ins Tile_AnyTile:$source, I32Attr:$axis);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `,` $axis attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "stretches dimensions of extent 1";
  let description = [{
    Repeats a tile along the dimensions in which its extent is 1 and the
    result's is more.

    ```mlir
    %t = tile.broadcast %column : tensor<16x1xi32> -> tensor<16x32xi32>
    ```

    In the layout stage the operation moves nothing between threads: a thread
    must hold, under the source's layout, each element that the result's layout
    gives it.

    The operation folds to its source when nothing is stretched, on a constant
    with equal elements, on a `tile.splat`, and on another `tile.broadcast`.

    Constraints:
    1. The source and the result are tiles of the same element type.
    2. The source and the result have the same rank.
    3. Extents differ only where the source's is 1.
    4. Both have a layout, or neither has.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order, in another shape";
  let description = [{
    Returns the elements of the source, taken in row-major order, in the result's
    shape. A scalar counts as one element.

    ```mlir
    %m = tile.reshape %v : tensor<512xf32> -> tensor<16x32xf32>
    %s = tile.reshape %one : tensor<1x1xf32> -> f32
    ```

    The operation folds to its source when the shape stays, on a constant with
    equal elements, and on another `tile.reshape`.

    Constraints:
    1. The source and the result are scalars, pointers or tiles of the same
       element type.
    2. They have the same number of elements.
    3. Of two tiles both have a layout, or neither has.
  }];
  let arguments = (ins Tile_AnyValue:$source);
  let results = (outs Tile_AnyValue:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "a tile with its dimensions in another order";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the source.

    ```mlir
    %t = tile.transpose %m, [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
    ```

    The operation folds to its source when every dimension keeps its place, on a
    constant with equal elements, and on another `tile.transpose`.

    Constraints:
    1. The source and the result are tiles of the same element type.
    2. `permutation` names each dimension of the source once.
    3. The result's extents are the source's in that order.
    4. Both have a layout, or neither has.
  }];
  let arguments = (ins Tile_AnyTile:$source, DenseI32ArrayAttr:$permutation);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source `,` $permutation attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, SameTypeOperands]> {
  let summary = "two tiles side by side along a new last dimension";
  let description = [{
    Returns the tile with one more dimension, the last, of extent 2: the elements
    of `first` stand at 0 along it, those of `second` at 1. Two scalars give a
    tile of rank 1.

    ```mlir
    %c = tile.join %a, %b : tensor<16x32xf32> -> tensor<16x32x2xf32>
    %p = tile.join %x, %y : f32 -> tensor<2xf32>
    ```

    In the layout stage the operation moves nothing between threads: a thread
    must hold, under the operands' layout, each element that the result's layout
    gives it. The result may have any layout if the operands have the same with
    the last dimension dropped.

    The operation folds on two equal constants with equal elements, and on the
    two results of one `tile.split` of the result's type.

    Constraints:
    1. The operands are scalars, pointers or tiles of one type.
    2. The result is a tile of the operands' element type.
    3. The result's shape is the operands' with 2 behind it.
    4. Operands that are tiles, and the result, have a layout, or none has.
  }];
  let arguments = (ins Tile_AnyValue:$first, Tile_AnyValue:$second);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, AllTypesMatch<["first", "second"]>]> {
  let summary = "the two halves of a tile along its last dimension of extent 2";
  let description = [{
    The inverse of `tile.join`: `first` has the elements at 0 along the last
    dimension, `second` those at 1. A tile of rank 1 gives two scalars.

    ```mlir
    %a, %b = tile.split %c : tensor<16x32x2xf32> -> tensor<16x32xf32>
    %x, %y = tile.split %p : tensor<2xf32> -> f32
    ```

    In the layout stage the operation moves nothing between threads: a thread
    must hold both elements, under the source's layout, of each place that the
    results' layout gives it.

    The operation folds on a constant with equal elements, and on a `tile.join`
    of the results' type.

    Constraints:
    1. The source is a tile whose last extent is 2.
    2. The results have one type, of the source's element type.
    3. Their shape is the source's without the last dimension; of rank 0 they are
       scalars or pointers.
    4. Results that are tiles, and the source, have a layout, or none has.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyValue:$first, Tile_AnyValue:$second);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($first)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "moves elements to the threads that another layout names";
  let description = [{
    Returns the same tile under another layout. This is the one operation that
    moves elements between threads, through shuffles or shared memory.

    ```mlir
    %b = tile.convert_layout %a : tensor<128xf32, #layout> -> tensor<128xf32, #layout1>
    ```

    A conversion to the same layout folds away; a conversion of a conversion
    becomes one conversion; a constant takes the new layout.

    Constraints:
    1. The source and the result are tiles of the same shape and element type.
    2. Both have a layout.
  }];
  let arguments = (ins Tile_AnyTile:$source);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // MYTRITON_DIALECT_TILE_IR_TILESHAPEOPS_TD
