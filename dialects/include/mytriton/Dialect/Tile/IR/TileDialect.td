//===- TileDialect.td - The tile dialect ----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MYTRITON_DIALECT_TILE_IR_TILEDIALECT_TD
#define MYTRITON_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/DialectBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mytriton::tile";
  let summary = "Operations of one program instance on whole tiles.";

  let description = [{
    A kernel says what one program instance does to whole tiles. Tiles are
    builtin tensors of static shape and rank 1 to 5; scalars are builtin
    integers, floats and `!tile.ptr`. Whatever `arith`, `math` and `scf` can
    say about them is said with their operations; this dialect adds only what
    they lack: the program's position in the grid, shape changes, memory, and
    integer and conversion operations that are defined at every input.

    ```mlir
    func.func @double(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
        attributes {tile.kernel, tile.num_warps = 4 : i32} {
      %c1024 = arith.constant 1024 : i32
      %pid = tile.program_id x : i32
      %start = arith.muli %pid, %c1024 : i32
      %lanes = tile.range 0, 1024 : tensor<1024xi32>
      %starts = tile.splat %start : i32 -> tensor<1024xi32>
      %offsets = arith.addi %starts, %lanes : tensor<1024xi32>
      %ns = tile.splat %n : i32 -> tensor<1024xi32>
      %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
      %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
      %ptrs = tile.addptr %xs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
      %v = tile.load %ptrs, %mask : tensor<1024x!tile.ptr<f32>>
      %d = arith.addf %v, %v : tensor<1024xf32>
      tile.store %ptrs, %d, %mask : tensor<1024x!tile.ptr<f32>>
      return
    }
    ```

    ## Stages

    The dialect serves two stages. In the `tile` stage tensors have no encoding.
    In the `layout` stage every tensor of a kernel carries a `#tile.layout`
    encoding, which says which thread owns which element. Operations keep their
    meaning; where tensors of the same shape meet, their layouts must agree, and
    `tile.convert_layout` is the one operation that moves elements between
    threads.

    ## Attributes on functions

    | attribute | on | meaning |
    |---|---|---|
    | `tile.kernel` | `func.func` | The function is the entry point of a launch. It has a body and no results, and its arguments are scalars or `!tile.ptr`. |
    | `tile.num_warps = N : i32` | functions | A program instance is executed by `N` warps of 32 threads: a power of two, 1 to 32. Layouts inside have log2 `N` warp bases. |
    | `tile.shared_bytes = N : i32` | functions | A program takes `N` bytes of shared memory. Pass `tile-allocate-shared` says so. |
    | `tile.shared_limit = N : i32` | functions | A program may take `N` bytes of shared memory; 48 KiB where nothing is said. |
    | `tile.compute_capability = N : i32` | functions | The GPU is of this compute capability, 10 times the major plus the minor number; where nothing is said, only what every GPU has is used. |
    | `tile.divisibility = N : i32` | integer and pointer arguments | The argument (an address in bytes, for a pointer) is a multiple of the power of two `N`. A specialisation fact: where it does not hold, the kernel's behaviour is undefined. |
    | `tile.name = "..."` | arguments | The argument's name in the source, for messages and for the way back to other forms. |

    ## Attributes on operations

    Pass `tile-allocate-shared` gives them to every operation that takes shared
    memory: `tile.alloc`, and those that exchange elements between threads.

    | attribute | meaning |
    |---|---|
    | `tile.offset = N : i32` | Where the operation's memory begins, in bytes. |
    | `tile.bytes = N : i32` | How many bytes it takes. |
    | `tile.within_warps` | Every warp loads only what it has stored itself, so that warps do not wait for one another. |

    ## Conventions on other dialects' operations

    - `arith.divf` is exactly rounded; with `fastmath<arcp>` an error of 2 ulp
      is allowed.
    - `math.sqrt` is exactly rounded; with `fastmath<afn>` it is approximate.
    - `arith` shifts, divisions and float-to-integer conversions are undefined at
      their corners; what a user writes becomes `tile.shl`, `tile.div_s`,
      `tile.fp_to_si` and their kin, which are not.
  }];

  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;

  let extraClassDeclaration = [{
    /// Name of the unit attribute that marks a `func.func` as a kernel.
    static constexpr ::llvm::StringLiteral getKernelAttrName() {
      return "tile.kernel";
    }
    /// Name of the function attribute that gives the warps of a program.
    static constexpr ::llvm::StringLiteral getNumWarpsAttrName() {
      return "tile.num_warps";
    }
    /// Name of the argument attribute that gives the name in the source.
    static constexpr ::llvm::StringLiteral getNameAttrName() {
      return "tile.name";
    }
    /// Name of the argument attribute that gives a known divisor.
    static constexpr ::llvm::StringLiteral getDivisibilityAttrName() {
      return "tile.divisibility";
    }

    /// Name of the function attribute that gives the bytes of shared memory.
    static constexpr ::llvm::StringLiteral getSharedBytesAttrName() {
      return "tile.shared_bytes";
    }
    /// Name of the function attribute that limits them.
    static constexpr ::llvm::StringLiteral getSharedLimitAttrName() {
      return "tile.shared_limit";
    }
    /// Name of the function attribute that gives the GPU's compute capability.
    static constexpr ::llvm::StringLiteral getComputeCapabilityAttrName() {
      return "tile.compute_capability";
    }
    /// Name of the attribute that says where an operation's memory begins.
    static constexpr ::llvm::StringLiteral getOffsetAttrName() {
      return "tile.offset";
    }
    /// Name of the attribute that says how much memory an operation takes.
    static constexpr ::llvm::StringLiteral getBytesAttrName() {
      return "tile.bytes";
    }
    /// Name of the attribute of an exchange that keeps within warps.
    static constexpr ::llvm::StringLiteral getWithinWarpsAttrName() {
      return "tile.within_warps";
    }

    void registerTypes();
    void registerAttributes();
  }];
}

#endif // MYTRITON_DIALECT_TILE_IR_TILEDIALECT_TD
