// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(convert-tile-to-gpu)' | FileCheck %s

#row = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>
#swapped = #tile.layout<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = []}>
#copied = #tile.layout<{register = [[1], [0], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Within a thread: another order of registers, and no shared memory.
// CHECK: gpu.module
// CHECK-NOT: llvm.mlir.global
// CHECK: %[[V:.*]] = vector.broadcast
// CHECK: %[[S:.*]] = vector.shuffle %[[V]], %[[V]] [0, 2, 1, 3] : vector<4xf32>, vector<4xf32>
// CHECK: vector.shuffle %[[S]], %[[S]] [0, 2, 0, 2, 1, 3, 1, 3] : vector<4xf32>, vector<4xf32>
// CHECK-NOT: gpu.barrier
func.func @registers(%x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<128xf32, #row>
  %b = tile.convert_layout %a : tensor<128xf32, #row> -> tensor<128xf32, #swapped>
  %c = tile.convert_layout %b : tensor<128xf32, #swapped> -> tensor<128xf32, #copied>
  return
}

// -----

#rows = #tile.layout<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>
#columns = #tile.layout<{register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []}>
#copied = #tile.layout<{register = [[1, 0], [0, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []}>

// Between threads: through shared memory, all threads waiting after the stores. The second use lies behind the first, which
// may still be read. A truth value takes a byte.
// CHECK: gpu.module
// CHECK: llvm.mlir.global internal @__mytriton_scratch() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<576 x i8>
// CHECK-LABEL: gpu.func @threads
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: llvm.store %{{.*}} : f64, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> f64
// CHECK-NOT: llvm.load
// CHECK: vector.from_elements %[[A:.*]], %[[B:.*]], %[[A]], %[[B]] : vector<4xf64>
// CHECK-NOT: gpu.barrier
// CHECK: arith.extui %{{.*}} : i1 to i8
// CHECK: llvm.store %{{.*}} : i8, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i8
// CHECK: arith.cmpi ne, %[[BYTE]],
func.func @threads(%x: f64, %m: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f64 -> tensor<8x8xf64, #rows>
  %b = tile.convert_layout %a : tensor<8x8xf64, #rows> -> tensor<8x8xf64, #copied>
  %c = tile.splat %m : i1 -> tensor<8x8xi1, #rows>
  %d = tile.convert_layout %c : tensor<8x8xi1, #rows> -> tensor<8x8xi1, #columns>
  return
}
