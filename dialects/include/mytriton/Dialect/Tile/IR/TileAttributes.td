//===- TileAttributes.td - Layouts and grid axes --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILEATTRIBUTES_TD
#define MYTRITON_DIALECT_TILE_IR_TILEATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "mytriton/Dialect/Tile/IR/TileDialect.td"

//===----------------------------------------------------------------------===//
// #tile.layout
//===----------------------------------------------------------------------===//

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which thread owns which element of a tile";
  let description = [{
    A linear layout: a map from a register, lane, warp and block index to the
    coordinates of an element, linear over GF(2). Each bit of an index has a
    basis, written with one coordinate per tensor dimension; an index maps to
    the exclusive or of the bases of its set bits. The first basis belongs to
    the lowest bit. `block`, the index of a thread block in its cluster, may be
    left out when it has no bases.

    ```
    layout ::= `#tile.layout<{` index (`,` index)* `}>`
    index  ::= (`register` | `lane` | `warp` | `block`) `=` `[` (basis (`,` basis)*)? `]`
    basis  ::= `[` integer (`,` integer)* `]`
    ```

    ```mlir
    // 16x32 elements on one warp: two registers along each row, lanes along the
    // rest of a row (4 bits), then rows.
    #tile.layout<{register = [[0, 1], [2, 0], [4, 0], [8, 0]],
                  lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]],
                  warp = []}>
    ```

    Register 3 of lane 16 holds element `[0,1] xor [2,0] xor [1,0] = [3,1]`. A
    basis of all zeros is a broadcast: indices that differ in this bit hold the
    same element.

    Constraints:
    1. `register`, `lane` and `warp` are given, each once; `block` at most once.
    2. `lane` has exactly 5 bases: a warp has 32 threads.
    3. All bases have the same number of coordinates, 1 to 5.
    4. Coordinates are not negative.

    As the encoding of a tensor, further:

    5. The rank is the tensor's rank.
    6. Each coordinate is within the extent of its dimension, rounded up to a
       power of two.
    7. The map reaches every element of the tile so padded.
  }];
  let parameters = (ins
    AttrParameter<"unsigned", "coordinates of a basis">:$rank,
    ArrayRefParameter<"int32_t", "coordinates of the register bases, one basis after another">:$registerBases,
    ArrayRefParameter<"int32_t", "coordinates of the lane bases, one basis after another">:$laneBases,
    ArrayRefParameter<"int32_t", "coordinates of the warp bases, one basis after another">:$warpBases,
    ArrayRefParameter<"int32_t", "coordinates of the block bases, one basis after another">:$blockBases
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let genMnemonicAlias = 1;
  let extraClassDeclaration = [{
    /// The hardware indices that a layout maps from, in printing order.
    enum class Index : unsigned { Register = 0, Lane = 1, Warp = 2, Block = 3 };
    static constexpr unsigned kNumIndices = 4;
    /// Bits of a lane index: a warp has 32 threads on every target.
    static constexpr unsigned kLaneBits = 5;
    static constexpr unsigned kMaxRank = 5;

    /// The bases of an index, one after another, `getRank()` coordinates each.
    ::llvm::ArrayRef<int32_t> getBases(Index index) const;

    /// How many bases an index has: it runs from 0 to 2 to this power.
    unsigned getNumBases(Index index) const {
      return getBases(index).size() / getRank();
    }
  }];
}

//===----------------------------------------------------------------------===//
// #tile.shared
//===----------------------------------------------------------------------===//

def Tile_SharedAttr : AttrDef<Tile_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "which element of a tile lies where in shared memory";
  let description = [{
    A linear layout: a map from an offset in shared memory, counted in elements,
    to the coordinates of the element there, linear over GF(2) and written as in
    `#tile.layout`. Swizzles, which keep the elements of a column in different
    banks, are such maps. `block`, the index of a thread block in its cluster,
    may be left out when it has no bases.

    ```
    shared ::= `#tile.shared<{` index (`,` index)* `}>`
    index  ::= (`offset` | `block`) `=` `[` (basis (`,` basis)*)? `]`
    basis  ::= `[` integer (`,` integer)* `]`
    ```

    ```mlir
    // 4x8 elements by rows; pairs of columns are swizzled by the row.
    #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]}>
    ```

    Offset 8 holds element `[1, 2]`: row 1 begins with its second pair.

    Constraints:
    1. `offset` is given once; `block` at most once.
    2. All bases have the same number of coordinates, 1 to 5.
    3. Coordinates are not negative.

    As the layout of a `!tile.buffer`, further:

    4. The rank is the buffer's rank; without bases it is any.
    5. Each coordinate is within the extent of its dimension, rounded up to a
       power of two.
    6. The map reaches every element of the tile so padded.
  }];
  let parameters = (ins
    AttrParameter<"unsigned", "coordinates of a basis">:$rank,
    ArrayRefParameter<"int32_t", "coordinates of the offset bases, one basis after another">:$offsetBases,
    ArrayRefParameter<"int32_t", "coordinates of the block bases, one basis after another">:$blockBases
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let genMnemonicAlias = 1;
  let extraClassDeclaration = [{
    /// What a shared layout maps from, in printing order.
    static constexpr unsigned kNumIndices = 2;

    /// Checks the layout as that of a tile, by constraints 4 to 6.
    ::llvm::LogicalResult verifyTile(
        ::llvm::ArrayRef<int64_t> shape,
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
  }];
}

//===----------------------------------------------------------------------===//
// Grid axes
//===----------------------------------------------------------------------===//

def Tile_Axis : I32Enum<"Axis", "an axis of the launch grid", [
    I32EnumCase<"X", 0, "x">,
    I32EnumCase<"Y", 1, "y">,
    I32EnumCase<"Z", 2, "z">]> {
  let cppNamespace = "::mytriton::tile";
}

def Tile_AxisAttr : EnumAttr<Tile_Dialect, Tile_Axis, "axis">;

#endif // MYTRITON_DIALECT_TILE_IR_TILEATTRIBUTES_TD
