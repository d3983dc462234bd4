//===- TileMemoryOps.td - Addresses, loads and stores ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILEMEMORYOPS_TD
#define MYTRITON_DIALECT_TILE_IR_TILEMEMORYOPS_TD

include "mytriton/Dialect/Tile/IR/TileOpBase.td"

def Tile_AddPtrOp : Tile_Op<"addptr", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "pointers moved by a number of elements";
  let description = [{
    Adds an offset to a pointer, element by element. The offset counts elements
    of the pointee (i1 counts bytes), is sign-extended to 64 bits and wraps
    there. An unsigned offset has to be zero-extended by the producer.

    ```mlir
    %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %ps = tile.addptr %ptrs, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    ```

    An offset of constant zero folds away.

    Constraints:
    1. The pointer is a `!tile.ptr` or a tile of them.
    2. The offset is an i8, i16, i32 or i64, or a tile of them.
    3. Both are scalars, or both are tiles of the same shape and layout.
    4. The result has the pointer's type.
  }];
  let arguments = (ins Tile_Ptrs:$pointer, Tile_Offsets:$offset);
  let results = (outs Tile_Ptrs:$result);
  let assemblyFormat = "$pointer `,` $offset attr-dict `:` type($pointer) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "pointers as 64-bit addresses";
  let description = [{
    Gives the address in bytes that a pointer holds, element by element. It is
    how pointers are compared: with `arith.cmpi` on their addresses. There is no
    way back.

    ```mlir
    %a = tile.ptr_to_int %p : !tile.ptr<f32>
    %as = tile.ptr_to_int %ptrs : tensor<1024x!tile.ptr<f32>>
    ```

    Constraints:
    1. The pointer is a `!tile.ptr` or a tile of them.
    2. The result is an i64, in the pointer's shape and layout.
  }];
  let arguments = (ins Tile_Ptrs:$pointer);
  let results = (outs Tile_Addresses:$result);
  let assemblyFormat = "$pointer attr-dict `:` type($pointer)";
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "reads what pointers point to";
  let description = [{
    Reads one element per pointer. Where `mask` is false memory is not touched
    and the result is `other`, or an unspecified value if there is none. An i1
    is read as a byte and is true when the byte is not zero.

    The effect is a read of memory as a whole: no two pointers are assumed to
    be distinct.

    ```
    operation ::= `tile.load` $pointer (`,` $mask (`,` $other)?)? attr-dict `:` type($pointer)
    ```

    ```mlir
    %a = tile.load %p : !tile.ptr<f32>
    %b = tile.load %ptrs, %mask : tensor<1024x!tile.ptr<f32>>
    %c = tile.load %ptrs, %mask, %other : tensor<1024x!tile.ptr<f32>>
    ```

    The canonical form has no mask that is constant true, and no load with
    `other` whose mask is constant false.

    Constraints:
    1. The pointer is a `!tile.ptr` or a tile of them.
    2. The result is the pointee, in the pointer's shape and layout.
    3. The mask is an i1, in the pointer's shape and layout.
    4. `other` has the result's type.
    5. There is no `other` without a mask.
  }];
  let arguments = (ins Tile_Ptrs:$pointer, Optional<Tile_Bools>:$mask, Optional<Tile_Values>:$other);
  let results = (outs Tile_Values:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes to where pointers point";
  let description = [{
    Writes one element per pointer. Where `mask` is false memory is not touched.
    Where two elements go to the same address one of them is written whole;
    which one is unspecified. An i1 is written as a byte, 0 or 1.

    The effect is a write to memory as a whole: no two pointers are assumed to
    be distinct.

    ```
    operation ::= `tile.store` $pointer `,` $value (`,` $mask)? attr-dict `:` type($pointer)
    ```

    ```mlir
    tile.store %p, %v : !tile.ptr<f32>
    tile.store %ptrs, %vs, %mask : tensor<1024x!tile.ptr<f32>>
    ```

    The canonical form has no mask that is constant true; a store whose mask is
    constant false is erased.

    Constraints:
    1. The pointer is a `!tile.ptr` or a tile of them.
    2. The value is the pointee, in the pointer's shape and layout.
    3. The mask is an i1, in the pointer's shape and layout.
  }];
  let arguments = (ins Tile_Ptrs:$pointer, Tile_Values:$value, Optional<Tile_Bools>:$mask);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

#endif // MYTRITON_DIALECT_TILE_IR_TILEMEMORYOPS_TD
