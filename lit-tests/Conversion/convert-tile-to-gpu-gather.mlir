// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,convert-tile-to-gpu)' | FileCheck %s

#row = #tile.layout<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]}>
#some = #tile.layout<{register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = [[0]]}>

// Elements are in both warps: the source without its padding lies in shared memory. An index that names none of its elements loads the first.
// CHECK: llvm.mlir.global internal @__mytriton_scratch() {{.*}} : !llvm.array<400 x i8>
// CHECK-LABEL: gpu.func @row
// CHECK-SAME: (%[[X:.*]]: f32, %[[I:.*]]: i32)
// CHECK: %[[INDEX:.*]] = vector.broadcast %[[I]] : i32 to vector<2xi32>
// CHECK-COUNT-2: scf.if
// CHECK: gpu.barrier
// CHECK: %[[END:.*]] = arith.constant dense<100> : vector<2xi32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[INDEX]], %[[END]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[INDEX]],
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<2xi32>
// CHECK: arith.select %[[INSIDE]], %[[BYTES]], %[[ZERO]]
// A copy is loaded once.
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load
// CHECK: vector.from_elements %[[V]], %[[V]] : vector<2xf32>
func.func @row(%x: f32, %i: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %v = tile.splat %x : f32 -> tensor<100xf32, #row>
  %at = tile.splat %i : i32 -> tensor<32xi32, #some>
  %r = tile.gather %v, %at along 0 : tensor<100xf32, #row>, tensor<32xi32, #some>
  return
}

// -----

#wide = #tile.layout<{register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [[0, 16]]}>
#narrow = #tile.layout<{register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 0], [0, 0], [0, 0]], warp = [[0, 0]]}>

// Indices are compared in their own width where it is more than 32 bits, unsigned; the rest of the place is the index's own.
// CHECK-LABEL: gpu.func @widths
// CHECK: gpu.barrier
// CHECK: %[[END:.*]] = arith.constant dense<32> : vector<2xi64>
// CHECK: arith.cmpi ult, %{{.*}}, %[[END]] : vector<2xi64>
// CHECK: arith.trunci %{{.*}} : vector<2xi64> to vector<2xi32>
// CHECK-COUNT-2: llvm.load
// CHECK: gpu.barrier
// CHECK: arith.extui %{{.*}} : vector<2xi8> to vector<2xi32>
// CHECK-COUNT-2: llvm.load
func.func @widths(%x: i16, %i: i64, %j: i8) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %v = tile.splat %x : i16 -> tensor<2x32xi16, #wide>
  %i4 = tile.splat %i : i64 -> tensor<2x4xi64, #narrow>
  %j4 = tile.splat %j : i8 -> tensor<2x4xi8, #narrow>
  %a = tile.gather %v, %i4 along 1 : tensor<2x32xi16, #wide>, tensor<2x4xi64, #narrow>
  %b = tile.gather %v, %j4 along 1 : tensor<2x32xi16, #wide>, tensor<2x4xi8, #narrow>
  return
}

// -----

#rows = #tile.layout<{register = [[0, 1], [0, 16], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[8, 0]]}>
#some = #tile.layout<{register = [[4, 0]], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = [[8, 0]]}>

// A row is in eight lanes, four numbers in each: the index's bits 1 to 3 say which lane, and 0 and 4 which of its numbers.
// All four come from there, two in a word; nothing goes through shared memory.
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: gpu.func @rows
// CHECK: %[[LOW:.*]] = arith.constant dense<31> : vector<2xi32>
// CHECK: %[[NAMED:.*]] = arith.andi %{{.*}}, %[[LOW]]
// CHECK: %[[I:.*]] = vector.extract %[[NAMED]][0]
// CHECK-DAG: vector.extract %[[X:.*]][0] : f16
// CHECK-DAG: vector.extract %[[X]][1] : f16
// CHECK-DAG: vector.extract %[[X]][2] : f16
// CHECK-DAG: vector.extract %[[X]][3] : f16
// CHECK: %[[LANE:.*]] = arith.xori
// CHECK-COUNT-2: gpu.shuffle idx %{{.*}}, %[[LANE]]
// CHECK-NOT: gpu.shuffle
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: arith.andi %[[I]], %[[ONE]]
// CHECK-COUNT-2: arith.select
// CHECK: %[[BIT4:.*]] = arith.constant 16 : i32
// CHECK: arith.andi %[[I]], %[[BIT4]]
// CHECK-COUNT-1: arith.select
// CHECK-NOT: arith.select
// The registers of other rows are other ones.
// CHECK: vector.extract %[[NAMED]][1]
// CHECK: vector.extract %[[X]][4] : f16
// CHECK-COUNT-2: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @rows(%p: !tile.ptr<f16>, %i: i64) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>, #rows>
  %v = tile.load %ps : tensor<16x32x!tile.ptr<f16>, #rows>
  %at = tile.splat %i : i64 -> tensor<16x8xi64, #some>
  %r = tile.gather %v, %at along 1 : tensor<16x32xf16, #rows>, tensor<16x8xi64, #some>
  %qs = tile.splat %p : !tile.ptr<f16> -> tensor<16x8x!tile.ptr<f16>, #some>
  tile.store %qs, %r : tensor<16x8x!tile.ptr<f16>, #some>
  return
}

// -----

#columns = #tile.layout<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32]]}>

// A thread holds all that it may want: it chooses, and nothing is sent.
// CHECK-LABEL: gpu.func @columns
// CHECK-COUNT-12: arith.select
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: llvm.load
// CHECK: gpu.return
func.func @columns(%p: !tile.ptr<f32>, %q: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<4x64x!tile.ptr<f32>, #columns>
  %v = tile.load %ps : tensor<4x64x!tile.ptr<f32>, #columns>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<4x64x!tile.ptr<i32>, #columns>
  %at = tile.load %qs : tensor<4x64x!tile.ptr<i32>, #columns>
  %r = tile.gather %v, %at along 0 : tensor<4x64xf32, #columns>, tensor<4x64xi32, #columns>
  tile.store %ps, %r : tensor<4x64x!tile.ptr<f32>, #columns>
  return
}

// -----

#long = #tile.layout<{register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = []}>

// Sixteen numbers of a lane may be wanted: to send them all would take longer than shared memory does.
// CHECK: llvm.mlir.global
// CHECK-LABEL: gpu.func @long
// CHECK-NOT: gpu.shuffle
// CHECK-COUNT-16: llvm.load
// CHECK: gpu.return
func.func @long(%x: f32, %i: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %v = tile.splat %x : f32 -> tensor<512xf32, #long>
  %at = tile.splat %i : i32 -> tensor<512xi32, #long>
  %r = tile.gather %v, %at along 0 : tensor<512xf32, #long>, tensor<512xi32, #long>
  return
}
