// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,convert-tile-to-gpu)' | FileCheck %s

#line = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Four numbers of a thread one after another, five shuffles of their total, and the carry into each.
// CHECK-LABEL: gpu.func @lanes
// CHECK-COUNT-3: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: vector.from_elements
func.func @lanes(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #line>
  %x = tile.load %ps : tensor<128x!tile.ptr<i32>, #line>
  %s = tile.scan %x along 0 : tensor<128xi32, #line> {
  ^bb0(%b: i32, %c: i32):
    %d = arith.addi %b, %c : i32
    tile.yield %d : i32
  }
  tile.store %ps, %s : tensor<128x!tile.ptr<i32>, #line>
  return
}

// -----

#warps = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128]]}>

// Numbers of 64 bits go as two words. Eight warps: one exchange of their totals.
// CHECK: !llvm.array<64 x i8>
// CHECK-LABEL: gpu.func @warps
// CHECK-COUNT-10: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> i64
// CHECK-NOT: gpu.barrier
func.func @warps(%p: !tile.ptr<i64>) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %ps = tile.splat %p : !tile.ptr<i64> -> tensor<256x!tile.ptr<i64>, #warps>
  %x = tile.load %ps : tensor<256x!tile.ptr<i64>, #warps>
  %s = tile.scan %x along 0 reverse : tensor<256xi64, #warps> {
  ^bb0(%b: i64, %c: i64):
    %d = arith.addi %b, %c : i64
    tile.yield %d : i64
  }
  tile.store %ps, %s : tensor<256x!tile.ptr<i64>, #warps>
  return
}

// -----

#line = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// From the end, padding comes first: 0 stands there for a sum, and for what comes before the first block of each step. By
// another combine both are left out, by more selections.
// CHECK-LABEL: gpu.func @from_the_end
// CHECK: arith.cmpi ult, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: vector.extract
// CHECK-NEXT: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %[[NONE]] : i32
// CHECK-COUNT-5: arith.select
// CHECK-NOT: arith.select
// CHECK: vector.from_elements
// CHECK-COUNT-11: arith.select
func.func @from_the_end(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<19x!tile.ptr<i32>, #line>
  %x = tile.load %ps : tensor<19x!tile.ptr<i32>, #line>
  %s = tile.scan %x along 0 reverse : tensor<19xi32, #line> {
  ^bb0(%b: i32, %c: i32):
    %d = arith.addi %b, %c : i32
    tile.yield %d : i32
  }
  %t = tile.scan %s along 0 reverse : tensor<19xi32, #line> {
  ^bb0(%b: i32, %c: i32):
    tile.yield %c : i32
  }
  tile.store %ps, %t : tensor<19x!tile.ptr<i32>, #line>
  return
}

// -----

#square = #tile.layout<{register = [[0, 1], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = []}>
#across = #tile.layout<{register = [[1, 0], [0, 2]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [0, 1]], warp = []}>
#flat = #tile.layout<{register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// Other shapes of the same: no thread sees the difference.
// CHECK-LABEL: gpu.func @views
// CHECK-NOT: vector.shuffle
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @views(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<4x32x!tile.ptr<f32>, #square>
  %v = tile.load %ps : tensor<4x32x!tile.ptr<f32>, #square>
  %t = tile.transpose %v, [1, 0] : tensor<4x32xf32, #square> -> tensor<32x4xf32, #across>
  %u = tile.transpose %t, [1, 0] : tensor<32x4xf32, #across> -> tensor<4x32xf32, #square>
  %f = tile.reshape %u : tensor<4x32xf32, #square> -> tensor<128xf32, #flat>
  %g = tile.reshape %f : tensor<128xf32, #flat> -> tensor<4x32xf32, #square>
  tile.store %ps, %g : tensor<4x32x!tile.ptr<f32>, #square>
  return
}

// -----

#thin = #tile.layout<{register = [], lane = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2]], warp = []}>
#flat = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// 8x3 as 24: the padding of a row is no element, so that elements move, without it.
// CHECK: !llvm.array<96 x i8>
// CHECK-LABEL: gpu.func @moved
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
func.func @moved(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x3x!tile.ptr<f32>, #thin>
  %v = tile.load %ps : tensor<8x3x!tile.ptr<f32>, #thin>
  %f = tile.reshape %v : tensor<8x3xf32, #thin> -> tensor<24xf32, #flat>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<24x!tile.ptr<f32>, #flat>
  tile.store %qs, %f : tensor<24x!tile.ptr<f32>, #flat>
  return
}
