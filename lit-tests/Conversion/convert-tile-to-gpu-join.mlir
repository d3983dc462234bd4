// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,convert-tile-to-gpu)' | FileCheck %s
// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,convert-tile-to-gpu)' | FileCheck %s --check-prefix=ALONE

// What stays in a thread takes no shared memory.
// ALONE-COUNT-3: gpu.module
// ALONE-NOT: llvm.mlir.global
// ALONE: gpu.module
// ALONE: llvm.mlir.global

#half = #tile.layout<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>
#pair = #tile.layout<{register = [[0, 1], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = []}>

// The halves' elements alternate in the registers, and come apart again.
// CHECK-LABEL: gpu.func @registers
// CHECK: %[[X:.*]] = vector.broadcast %{{.*}} : f32 to vector<2xf32>
// CHECK: %[[Y:.*]] = vector.broadcast %{{.*}} : f32 to vector<2xf32>
// CHECK: %[[XS:.*]] = vector.shuffle %[[X]], %[[X]] [0, 0, 1, 1]
// CHECK: %[[YS:.*]] = vector.shuffle %[[Y]], %[[Y]] [0, 0, 1, 1]
// CHECK: %[[P:.*]] = vector.shuffle %[[XS]], %[[YS]] [0, 5, 2, 7] : vector<4xf32>, vector<4xf32>
// CHECK: vector.shuffle %[[P]], %[[P]] [0, 2] : vector<4xf32>, vector<4xf32>
// CHECK: vector.shuffle %[[P]], %[[P]] [1, 3] : vector<4xf32>, vector<4xf32>
func.func @registers(%x: f32, %y: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<64xf32, #half>
  %b = tile.splat %y : f32 -> tensor<64xf32, #half>
  %p = tile.join %a, %b : tensor<64xf32, #half> -> tensor<64x2xf32, #pair>
  %c, %d = tile.split %p : tensor<64x2xf32, #pair> -> tensor<64xf32, #half>
  return
}

// -----

#both = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [0]], warp = []}>
#lanes = #tile.layout<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], warp = []}>

// Lanes of the lower half of a warp take one operand's elements, those of the upper half the other's.
// CHECK-LABEL: gpu.func @lanes
// CHECK: %[[A:.*]] = vector.broadcast %{{.*}} : i8 to vector<1xi8>
// CHECK: %[[B:.*]] = vector.broadcast %{{.*}} : i8 to vector<1xi8>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : vector<1xi32>
// CHECK: arith.select %[[FIRST]], %[[A]], %[[B]] : vector<1xi1>, vector<1xi8>
func.func @lanes(%x: i8, %y: i8) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : i8 -> tensor<16xi8, #both>
  %b = tile.splat %y : i8 -> tensor<16xi8, #both>
  %p = tile.join %a, %b : tensor<16xi8, #both> -> tensor<16x2xi8, #lanes>
  return
}

// -----

#all = #tile.layout<{register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = []}>

// Scalars, which every thread has.
// CHECK-LABEL: gpu.func @scalars
// CHECK-SAME: (%[[X:.*]]: i64, %[[Y:.*]]: i64)
// CHECK: %[[XS:.*]] = vector.broadcast %[[X]] : i64 to vector<2xi64>
// CHECK: %[[YS:.*]] = vector.broadcast %[[Y]] : i64 to vector<2xi64>
// CHECK: %[[P:.*]] = vector.shuffle %[[XS]], %[[YS]] [0, 3] : vector<2xi64>, vector<2xi64>
// CHECK: vector.extract %[[P]][0] : i64 from vector<2xi64>
// CHECK: vector.extract %[[P]][1] : i64 from vector<2xi64>
func.func @scalars(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %p = tile.join %x, %y : !tile.ptr<f32> -> tensor<2x!tile.ptr<f32>, #all>
  %a, %b = tile.split %p : tensor<2x!tile.ptr<f32>, #all> -> !tile.ptr<f32>
  return
}

// -----

#apart = #tile.layout<{register = [], lane = [[1], [0], [0], [0], [0]], warp = []}>

// Each thread has one of two elements: both come through shared memory.
// CHECK-LABEL: gpu.func @apart
// CHECK-COUNT-1: llvm.store %{{.*}} : i16, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
// CHECK-NOT: llvm.load
func.func @apart(%x: i16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %p = tile.splat %x : i16 -> tensor<2xi16, #apart>
  %a, %b = tile.split %p : tensor<2xi16, #apart> -> i16
  return
}
