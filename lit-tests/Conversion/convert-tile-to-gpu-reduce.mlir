// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(convert-tile-to-gpu)' | FileCheck %s

#pairs = #tile.layout<{register = [[0, 1], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = []}>
#sums = #tile.layout<{register = [[2]], lane = [[0], [0], [0], [0], [1]], warp = []}>

// Rows of 32 on 16 lanes: two numbers of a thread, then four shuffles for each of its two rows, and no shared memory.
// CHECK: gpu.module
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: gpu.func @rows
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: %[[WORD:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[OTHER:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[ALL:.*]] = arith.constant 32 : i32
// CHECK: %[[GOT:.*]], %{{.*}} = gpu.shuffle xor %[[WORD]], %[[ONE]], %[[ALL]] : i32
// CHECK: gpu.shuffle xor %[[OTHER]], %[[ONE]], %[[ALL]] : i32
// CHECK: arith.bitcast %[[GOT]] : i32 to f32
// CHECK-COUNT-6: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
func.func @rows(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<4x32xf32, #pairs>
  %s = tile.reduce %a along 1 : tensor<4x32xf32, #pairs> -> tensor<4xf32, #sums> {
  ^bb0(%b: f32, %c: f32):
    %d = arith.addf %b, %c : f32
    tile.yield %d : f32
  }
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>, #sums>
  %i = tile.range 0, 4 : tensor<4xi32, #sums>
  %at = tile.addptr %ps, %i : tensor<4x!tile.ptr<f32>, #sums>, tensor<4xi32, #sums>
  tile.store %at, %s : tensor<4x!tile.ptr<f32>, #sums>
  return
}

// -----

#columns = #tile.layout<{register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []}>
#of_columns = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// Columns that a thread holds whole: nothing but its own combination.
// CHECK-LABEL: gpu.func @columns
// CHECK: arith.maxsi
// CHECK-NOT: arith.maxsi
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
func.func @columns(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<2x32x!tile.ptr<i32>, #columns>
  %x = tile.load %ps : tensor<2x32x!tile.ptr<i32>, #columns>
  %s = tile.reduce %x along 0 : tensor<2x32xi32, #columns> -> tensor<32xi32, #of_columns> {
  ^bb0(%b: i32, %c: i32):
    %d = arith.maxsi %b, %c : i32
    tile.yield %d : i32
  }
  %qs = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>, #of_columns>
  tile.store %qs, %s : tensor<32x!tile.ptr<i32>, #of_columns>
  return
}

// -----

#line = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>

// Two narrow numbers in one word: five shuffles of both; four warps through memory for four of each, one thread of a warp
// writing, and all reading.
// CHECK: llvm.mlir.global internal @__mytriton_scratch() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16 x i8>
// CHECK-LABEL: gpu.func @narrow
// CHECK: arith.shli
// CHECK: arith.ori
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} : i16, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
// CHECK-NOT: llvm.load
// CHECK-NOT: gpu.barrier
func.func @narrow(%p: !tile.ptr<i16>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %ps = tile.splat %p : !tile.ptr<i16> -> tensor<128x!tile.ptr<i16>, #line>
  %x = tile.load %ps : tensor<128x!tile.ptr<i16>, #line>
  %s:2 = tile.reduce %x, %x along 0 : tensor<128xi16, #line>, tensor<128xi16, #line> -> i16, i16 {
  ^bb0(%a: i16, %b: i16, %c: i16, %d: i16):
    %e = arith.minsi %a, %c : i16
    %f = arith.maxsi %b, %d : i16
    tile.yield %e, %f : i16, i16
  }
  %r = arith.subi %s#1, %s#0 : i16
  tile.store %p, %r : !tile.ptr<i16>
  return
}

// -----

#line = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// An extent that is padded: what lies beyond does not enter. That the order of the two matters shows in the region: the
// lower lane's number stands to the left on both sides.
// CHECK-LABEL: gpu.func @padded
// CHECK: llvm.inline_asm
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<1xi32>
// CHECK: %[[LIVE:.*]] = vector.extract %[[INSIDE]][0]
// CHECK: arith.extui %[[LIVE]] : i1 to i32
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK: arith.select
func.func @padded(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<19x!tile.ptr<i32>, #line>
  %x = tile.load %ps : tensor<19x!tile.ptr<i32>, #line>
  %s = tile.reduce %x along 0 : tensor<19xi32, #line> -> i32 {
  ^bb0(%b: i32, %c: i32):
    tile.yield %b : i32
  }
  tile.store %p, %s : !tile.ptr<i32>
  return
}
