//===- TileSharedOps.td - Tiles in shared memory --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILESHAREDOPS_TD
#define MYTRITON_DIALECT_TILE_IR_TILESHAREDOPS_TD

include "mytriton/Dialect/Tile/IR/TileOpBase.td"

// Accesses of shared memory neither order nor see those of global memory.
def Tile_SharedMemory : Resource<"::mytriton::tile::SharedMemory">;

def Tile_AllocOp : Tile_Op<"alloc"> {
  let summary = "a tile in shared memory";
  let description = [{
    Returns a buffer in the shared memory of the thread block. It holds the
    initial tile if there is one; otherwise its elements are unspecified until
    they are stored.

    It lives until its last use or its `tile.dealloc`. Pass
    `tile-allocate-shared` gives it a place: attributes `tile.offset` and
    `tile.bytes`. A buffer that is allocated in a loop is another one in each
    iteration.

    ```mlir
    %b = tile.alloc : !tile.buffer<16x32xf32, #shared>
    %c = tile.alloc %t : tensor<16x32xf32, #layout> -> !tile.buffer<16x32xf32, #shared>
    ```

    Constraints:
    1. The result is a `!tile.buffer`.
    2. The initial tile has the buffer's shape and element type.
  }];
  let arguments = (ins Optional<Tile_AnyTile>:$init);
  let results = (outs Arg<Tile_Buffer, "the buffer",
      [MemAlloc<Tile_SharedMemory>, MemWrite<Tile_SharedMemory>]>:$result);
  let assemblyFormat = "($init^ `:` type($init) `->`) : (`:`)? type($result) attr-dict";
  let hasVerifier = 1;
}

def Tile_DeallocOp : Tile_Op<"dealloc"> {
  let summary = "the end of a buffer";
  let description = [{
    Says that a buffer is not used from here on, so that its memory can be
    another's. Not needed for that where the last use says it.

    ```mlir
    tile.dealloc %b : !tile.buffer<16x32xf32, #shared>
    ```

    Constraints:
    1. The operand is a `!tile.buffer`.
  }];
  let arguments = (ins Arg<Tile_Buffer, "the buffer", [MemFree<Tile_SharedMemory>]>:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Tile_LocalLoadOp : Tile_Op<"local_load"> {
  let summary = "reads a tile from shared memory";
  let description = [{
    Returns the tile that a buffer holds. Any layout will do: which one decides
    how wide accesses are and whether they meet in a bank.

    ```mlir
    %t = tile.local_load %b : !tile.buffer<16x32xf32, #shared> -> tensor<16x32xf32, #layout>
    ```

    Constraints:
    1. The operand is a `!tile.buffer`.
    2. The result is a tile of the buffer's shape and element type.
  }];
  let arguments = (ins Arg<Tile_Buffer, "the buffer", [MemRead<Tile_SharedMemory>]>:$buffer);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LocalStoreOp : Tile_Op<"local_store"> {
  let summary = "writes a tile to shared memory";
  let description = [{
    Makes a buffer hold a tile. What is loaded from it afterwards is that tile:
    pass `tile-insert-barriers` makes threads wait for one another.

    ```mlir
    tile.local_store %t, %b : tensor<16x32xf32, #layout> -> !tile.buffer<16x32xf32, #shared>
    ```

    Constraints:
    1. The second operand is a `!tile.buffer`.
    2. The first is a tile of the buffer's shape and element type.
  }];
  let arguments = (ins Tile_AnyTile:$source,
      Arg<Tile_Buffer, "the buffer", [MemWrite<Tile_SharedMemory>]>:$buffer);
  let assemblyFormat = "$source `,` $buffer attr-dict `:` type($source) `->` type($buffer)";
  let hasVerifier = 1;
}

#endif // MYTRITON_DIALECT_TILE_IR_TILESHAREDOPS_TD
