//===- TileTypes.td - Types and type constraints --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILETYPES_TD
#define MYTRITON_DIALECT_TILE_IR_TILETYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mytriton/Dialect/Tile/IR/TileAttributes.td"
include "mytriton/Dialect/Tile/IR/TileDialect.td"

//===----------------------------------------------------------------------===//
// !tile.ptr
//===----------------------------------------------------------------------===//

def Tile_PtrType : TypeDef<Tile_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "a pointer into global memory";
  let description = [{
    A 64-bit address in global memory of elements of one scalar type. Pointers
    are scalars and may be tensor elements: `tensor<16x32x!tile.ptr<f32>>` is a
    tile of 512 addresses.

    ```mlir
    !tile.ptr<f32>
    !tile.ptr<i1>   // i1 is stored as one byte, zero or not
    ```

    Constraints:
    1. The pointee is one of i1, i8, i16, i32, i64, f16, bf16, f32, f64.
  }];
  let parameters = (ins TypeParameter<"::mlir::Type", "type of what is pointed to">:$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
      return $_get(pointee.getContext(), pointee);
    }]>
  ];
}

//===----------------------------------------------------------------------===//
// !tile.buffer
//===----------------------------------------------------------------------===//

def Tile_BufferType : TypeDef<Tile_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a tile in shared memory";
  let description = [{
    Memory for a tile that all threads of a block share, with the layout that
    says where in it which element lies. `tile.alloc` makes one.

    ```
    buffer ::= `!tile.buffer<` (integer `x`)+ type `,` attribute `>`
    ```

    ```mlir
    !tile.buffer<4x8xf16, #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]}>>
    ```

    Constraints:
    1. The shape is static, has rank 1 to 5 and no extent of 0.
    2. The element is a scalar (i1, i8, i16, i32, i64, f16, bf16, f32, f64) or
       a `!tile.ptr`.
    3. The layout is a `#tile.shared` that fits the shape.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "extents">:$shape,
    TypeParameter<"::mlir::Type", "type of the elements">:$elementType,
    AttrParameter<"::mytriton::tile::SharedAttr", "where the elements lie">:$layout
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// Without its class, so that operations print the whole type.
def Tile_Buffer : Type<CPred<"::llvm::isa<::mytriton::tile::BufferType>($_self)">,
                       "tile in shared memory (!tile.buffer)">;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "integer scalar (i1, i8, i16, i32, i64)">;
// An i1 is a boolean, so sign-extending it into an offset is a mistake.
def Tile_OffsetInt : AnyTypeOf<[I8, I16, I32, I64], "integer scalar (i8, i16, i32, i64)">;
def Tile_Float : AnyTypeOf<[F16, BF16, F32, F64], "float scalar (f16, bf16, f32, f64)">;
def Tile_Scalar : AnyTypeOf<
    [I1, I8, I16, I32, I64, F16, BF16, F32, F64],
    "scalar (i1, i8, i16, i32, i64, f16, bf16, f32, f64)">;
def Tile_Element : AnyTypeOf<
    [I1, I8, I16, I32, I64, F16, BF16, F32, F64, Tile_PtrType],
    "scalar (i1, i8, i16, i32, i64, f16, bf16, f32, f64) or pointer">;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def Tile_IsTilePred : CPred<"::mytriton::tile::isTileType($_self)">;

/// A tensor that the dialect works on: static shape, rank 1 to 5, and either no
/// encoding or a `#tile.layout`.
class Tile_TileOf<Type element, string what>
    : Type<And<[Tile_IsTilePred,
                SubstLeaves<"$_self", "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()",
                            element.predicate>]>,
           "tile (static tensor of rank 1 to 5) of " # what, "::mlir::RankedTensorType">;

class Tile_ScalarOrTileOf<Type element, string what>
    : AnyTypeOf<[element, Tile_TileOf<element, what>], what # " or a tile of them">;

def Tile_AnyTile : Tile_TileOf<Tile_Element, "scalars or pointers">;
def Tile_ValueTile : Tile_TileOf<
    Tile_Scalar, "scalars (i1, i8, i16, i32, i64, f16, bf16, f32, f64)">;
def Tile_AnyValue : Tile_ScalarOrTileOf<Tile_Element, "scalar or pointer">;
def Tile_I32Tile : Tile_TileOf<I32, "i32">;
def Tile_IntTile : Tile_TileOf<Tile_Int, "integers (i1, i8, i16, i32, i64)">;
def Tile_OffsetTile : Tile_TileOf<Tile_OffsetInt, "integers (i8, i16, i32, i64)">;
def Tile_BoolTile : Tile_TileOf<I1, "i1">;
def Tile_Ints : Tile_ScalarOrTileOf<Tile_Int, "integer (i1, i8, i16, i32, i64)">;
def Tile_Offsets : Tile_ScalarOrTileOf<Tile_OffsetInt, "integer (i8, i16, i32, i64)">;
def Tile_Floats : Tile_ScalarOrTileOf<Tile_Float, "float (f16, bf16, f32, f64)">;
def Tile_Bools : Tile_ScalarOrTileOf<I1, "i1">;
def Tile_Values : Tile_ScalarOrTileOf<
    Tile_Scalar, "scalar (i1, i8, i16, i32, i64, f16, bf16, f32, f64)">;
def Tile_Addresses : Tile_ScalarOrTileOf<I64, "i64">;
def Tile_Ptrs : Tile_ScalarOrTileOf<Tile_PtrType, "pointer (!tile.ptr)">;

#endif // MYTRITON_DIALECT_TILE_IR_TILETYPES_TD
