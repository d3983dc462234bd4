// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(convert-tile-to-gpu)' | FileCheck %s

#row = #tile.layout<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>
#some = #tile.layout<{register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = []}>

// The source without its padding lies in shared memory. An index that names none of its elements loads the first.
// CHECK: llvm.mlir.global internal @__mytriton_scratch() {{.*}} : !llvm.array<200 x i8>
// CHECK-LABEL: gpu.func @row
// CHECK-SAME: (%[[X:.*]]: f32, %[[I:.*]]: i32)
// CHECK: %[[INDEX:.*]] = vector.broadcast %[[I]] : i32 to vector<2xi32>
// CHECK-COUNT-2: scf.if
// CHECK: gpu.barrier
// CHECK: %[[END:.*]] = arith.constant dense<50> : vector<2xi32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[INDEX]], %[[END]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[INDEX]],
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<2xi32>
// CHECK: arith.select %[[INSIDE]], %[[BYTES]], %[[ZERO]]
// A copy is loaded once.
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load
// CHECK: vector.from_elements %[[V]], %[[V]] : vector<2xf32>
func.func @row(%x: f32, %i: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %v = tile.splat %x : f32 -> tensor<50xf32, #row>
  %at = tile.splat %i : i32 -> tensor<32xi32, #some>
  %r = tile.gather %v, %at along 0 : tensor<50xf32, #row>, tensor<32xi32, #some>
  return
}

// -----

#wide = #tile.layout<{register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []}>
#narrow = #tile.layout<{register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 0], [0, 0], [0, 0]], warp = []}>

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
func.func @widths(%x: i16, %i: i64, %j: i8) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %v = tile.splat %x : i16 -> tensor<2x32xi16, #wide>
  %i4 = tile.splat %i : i64 -> tensor<2x4xi64, #narrow>
  %j4 = tile.splat %j : i8 -> tensor<2x4xi8, #narrow>
  %a = tile.gather %v, %i4 along 1 : tensor<2x32xi16, #wide>, tensor<2x4xi64, #narrow>
  %b = tile.gather %v, %j4 along 1 : tensor<2x32xi16, #wide>, tensor<2x4xi8, #narrow>
  return
}
