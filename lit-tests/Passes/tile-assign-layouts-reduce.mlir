// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-assign-layouts)' | FileCheck %s

// Rows less their largest element. The result is where the rows are, without the axis, and comes back to them without a
// conversion.
// CHECK-DAG: #[[$ROWS:.*]] = #tile.layout<{register = {{\[\[}}0, 1], [0, 2], [4, 0], [8, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = []}>
// CHECK-DAG: #[[$KEPT:.*]] = #tile.layout<{register = {{\[\[}}4], [8]], lane = {{\[\[}}0], [0], [0], [1], [2]], warp = []}>
// CHECK-LABEL: func.func @rows
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[M:.*]] = tile.reduce %[[X]] along 1 : tensor<16x32xf32, #[[$ROWS]]> -> tensor<16xf32, #[[$KEPT]]> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[C:.*]] = arith.maxnumf %[[A]], %[[B]] : f32
// CHECK-NEXT: tile.yield %[[C]] : f32
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store
func.func @rows(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c32 = arith.constant dense<32> : tensor<16x32xi32>
  %i = tile.range 0, 16 : tensor<16xi32>
  %i1 = tile.expand_dims %i, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %i2 = tile.broadcast %i1 : tensor<16x1xi32> -> tensor<16x32xi32>
  %j = tile.range 0, 32 : tensor<32xi32>
  %j1 = tile.expand_dims %j, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %j2 = tile.broadcast %j1 : tensor<1x32xi32> -> tensor<16x32xi32>
  %row = arith.muli %i2, %c32 : tensor<16x32xi32>
  %at = arith.addi %row, %j2 : tensor<16x32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %ptrs = tile.addptr %ps, %at : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  %x = tile.load %ptrs : tensor<16x32x!tile.ptr<f32>>
  %m = tile.reduce %x along 1 : tensor<16x32xf32> -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %m1 = tile.expand_dims %m, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %m2 = tile.broadcast %m1 : tensor<16x1xf32> -> tensor<16x32xf32>
  %y = arith.subf %x, %m2 : tensor<16x32xf32>
  tile.store %ptrs, %y : tensor<16x32x!tile.ptr<f32>>
  return
}

// -----

// A scan stays at home. A transpose and a reshape that moves nothing want their operand as their result is wanted, so that
// the one conversion comes before them.
// CHECK-LABEL: func.func @others
// CHECK: %[[S:.*]]:2 = tile.scan %{{.*}}, %{{.*}} along 0 reverse : tensor<32xi32, #[[L:.*]]>, tensor<32xi32, #[[L]]> {
// CHECK: %[[C:.*]] = tile.convert_layout %[[S]]#0 : tensor<32xi32, #[[L]]> -> tensor<32xi32, #[[W:.*]]>
// CHECK-NOT: tile.convert_layout
// CHECK: %[[R:.*]] = tile.reshape %[[C]] : tensor<32xi32, #[[W]]> -> tensor<4x8xi32, #{{.*}}>
// CHECK: %[[T:.*]] = tile.transpose %[[R]], [1, 0]
// CHECK: tile.store %{{.*}}, %[[T]]
func.func @others(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.range 0, 32 : tensor<32xi32>
  %s:2 = tile.scan %i, %i along 0 reverse : tensor<32xi32>, tensor<32xi32> {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %e = arith.addi %a, %c : i32
    %f = arith.muli %b, %d : i32
    tile.yield %e, %f : i32, i32
  }
  %r = tile.reshape %s#0 : tensor<32xi32> -> tensor<4x8xi32>
  %t = tile.transpose %r, [1, 0] : tensor<4x8xi32> -> tensor<8x4xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x4x!tile.ptr<i32>>
  tile.store %ps, %t : tensor<8x4x!tile.ptr<i32>>
  return
}
