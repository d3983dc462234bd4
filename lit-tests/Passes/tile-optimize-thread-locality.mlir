// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-assign-layouts,tile-coalesce-memory,tile-optimize-thread-locality)' | FileCheck %s

// Rows are spread over warps. Their sum is taken where warps have columns: what lanes had of them.
// A warp still asks for 64 bytes in a row, and each thread for 16.
// CHECK-DAG: #[[$LOCAL:.*]] = #tile.layout<{register = {{\[\[}}0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 4], [0, 8], [4, 0], [2, 0], [1, 0]], warp = {{\[\[}}0, 32], [0, 16]]}>
// CHECK-LABEL: func.func @columns
// CHECK: %[[C:.*]] = tile.convert_layout %{{.*}} : tensor<64x64xf32, #{{.*}}> -> tensor<64x64xf32, #[[$LOCAL]]>
// CHECK: tile.reduce %[[C]] along 0 : tensor<64x64xf32, #[[$LOCAL]]>
func.func @columns(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0, 64 : tensor<64xi32>
  %i1 = tile.expand_dims %i, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %i2 = tile.broadcast %i1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %j1 = tile.expand_dims %i, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %j2 = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %size = arith.constant dense<64> : tensor<64x64xi32>
  %row = arith.muli %i2, %size : tensor<64x64xi32>
  %at = arith.addi %row, %j2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ptrs = tile.addptr %ps, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %ptrs : tensor<64x64x!tile.ptr<f32>>
  %m = tile.reduce %x along 0 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %qp, %m : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// A reduction within warps is left alone; so is one of a single row, which has nothing to exchange.
// CHECK-LABEL: func.func @within
// CHECK: %[[X:.*]] = arith.constant
// CHECK-NEXT: tile.reduce %[[X]] along 1
// CHECK-LABEL: func.func @single
// CHECK: %[[X:.*]] = arith.constant
// CHECK-NEXT: tile.reduce %[[X]] along 0
func.func @within(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = arith.constant dense<1> : tensor<8x32xi32>
  %s = tile.reduce %x along 1 : tensor<8x32xi32> -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  tile.store %ps, %s : tensor<8x!tile.ptr<i32>>
  return
}
func.func @single(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = arith.constant dense<1> : tensor<1024xi32>
  %s = tile.reduce %x along 0 : tensor<1024xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %s : !tile.ptr<i32>
  return
}
