// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,convert-tile-to-gpu)' | FileCheck %s

#all = #tile.layout<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>
#bins = #tile.layout<{register = [[32], [64], [128]], lane = [[1], [2], [4], [8], [16]], warp = []}>

// A warp clears its bins at once. Elements that have a bin in any case are counted without a condition.
// CHECK: llvm.mlir.global internal @__mytriton_scratch() {{.*}} : !llvm.array<1024 x i8>
// CHECK-LABEL: gpu.func @bytes
// CHECK-COUNT-8: llvm.store %{{.*}} : i32, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-NOT: scf.if
// CHECK-COUNT-2: llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("block") monotonic : !llvm.ptr<3>, i32
// CHECK-NOT: llvm.atomicrmw
// CHECK: gpu.barrier
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT: llvm.load
func.func @bytes(%x: i8) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %v = tile.splat %x : i8 -> tensor<64xi8, #all>
  %h = tile.histogram %v : tensor<64xi8, #all> -> tensor<256xi32, #bins>
  return
}

// -----

#copies = #tile.layout<{register = [[1], [0]], lane = [[2], [4], [8], [16], [0]], warp = []}>
#bins = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// Copies in registers and lanes count once, padding and what the mask excludes not at all.
// CHECK-LABEL: gpu.func @some
// CHECK-SAME: (%[[X:.*]]: i64, %[[M:.*]]: i1)
// CHECK: %[[MASK:.*]] = vector.broadcast %[[M]] : i1 to vector<4xi1>
// CHECK: %[[LAST:.*]] = arith.constant 17 : i32
// CHECK: arith.cmpi ult, %{{.*}}, %[[LAST]] : i32
// CHECK: gpu.barrier
// CHECK: %[[END:.*]] = arith.constant dense<17> : vector<4xi64>
// CHECK: %[[BELOW:.*]] = arith.cmpi ult, %{{.*}}, %[[END]] : vector<4xi64>
// CHECK: %[[EXTENT:.*]] = arith.constant dense<30> : vector<4xi32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %[[EXTENT]] : vector<4xi32>
// CHECK: %[[BIT:.*]] = arith.constant 16 : i32
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %[[BIT]] : i32
// CHECK: %[[OWNER:.*]] = arith.cmpi eq, %[[LANE]],
// CHECK: %[[OWNERS:.*]] = vector.broadcast %[[OWNER]] : i1 to vector<4xi1>
// CHECK: %[[A:.*]] = arith.andi %[[MASK]], %[[BELOW]]
// CHECK: %[[B:.*]] = arith.andi %[[A]], %[[INSIDE]]
// CHECK: %[[COUNTED:.*]] = arith.andi %[[B]], %[[OWNERS]]
// CHECK: vector.extract %[[COUNTED]][0]
// CHECK: scf.if
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: llvm.atomicrmw
// CHECK: vector.extract %[[COUNTED]][1]
// CHECK: llvm.atomicrmw
// CHECK-NOT: llvm.atomicrmw
func.func @some(%x: i64, %m: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %v = tile.splat %x : i64 -> tensor<30xi64, #copies>
  %mask = tile.splat %m : i1 -> tensor<30xi1, #copies>
  %h = tile.histogram %v, %mask : tensor<30xi64, #copies>, tensor<30xi1, #copies> -> tensor<17xi32, #bins>
  return
}
