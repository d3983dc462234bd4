// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-assign-layouts,tile-coalesce-memory,tile-propagate-layouts)' | FileCheck %s

// A pair goes where a thread has both halves: what is joined or split comes without a conversion.
// CHECK-DAG: #[[$HALF:.*]] = #tile.layout<{register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = []}>
// CHECK-DAG: #[[$PAIR:.*]] = #tile.layout<{register = {{\[\[}}0, 1], [1, 0]], lane = {{\[\[}}2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = []}>
// CHECK-LABEL: func.func @pairs
// CHECK-NOT: tile.convert_layout
// CHECK: %[[X:.*]] = tile.load %{{.*}} : tensor<64x!tile.ptr<f64>, #[[$HALF]]>
// CHECK: %[[P:.*]] = tile.join %[[X]], %[[X]] : tensor<64xf64, #[[$HALF]]> -> tensor<64x2xf64, #[[$PAIR]]>
// CHECK: %[[A:.*]], %[[B:.*]] = tile.split %{{.*}} : tensor<64x2xf64, #[[$PAIR]]> -> tensor<64xf64, #[[$HALF]]>
// CHECK: tile.store %{{.*}}, %[[A]]
// CHECK: tile.store %{{.*}}, %[[B]]
// CHECK-NOT: tile.convert_layout
func.func @pairs(%p: !tile.ptr<f64> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.range 0, 64 : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f64> -> tensor<64x!tile.ptr<f64>>
  %ptrs = tile.addptr %ps, %i : tensor<64x!tile.ptr<f64>>, tensor<64xi32>
  %x = tile.load %ptrs : tensor<64x!tile.ptr<f64>>
  %pair = tile.join %x, %x : tensor<64xf64> -> tensor<64x2xf64>
  %sum = arith.addf %pair, %pair : tensor<64x2xf64>
  %a, %b = tile.split %sum : tensor<64x2xf64> -> tensor<64xf64>
  tile.store %ptrs, %a : tensor<64x!tile.ptr<f64>>
  tile.store %ptrs, %b : tensor<64x!tile.ptr<f64>>
  return
}

// -----

// A gather takes its source as it is, and gives its result where the index is; a histogram takes its source and mask as they
// are.
// CHECK-LABEL: func.func @elements
// CHECK-NOT: tile.convert_layout
// CHECK: %[[X:.*]] = tile.load %{{.*}} : tensor<64x!tile.ptr<i32>, #[[L:.*]]>
// CHECK: %[[G:.*]] = tile.gather %[[X]], %[[X]] along 0 : tensor<64xi32, #[[L]]>, tensor<64xi32, #[[L]]>
// CHECK: %[[M:.*]] = arith.cmpi
// CHECK: tile.histogram %[[G]], %[[M]] : tensor<64xi32, #[[L]]>, tensor<64xi1, #[[L]]> -> tensor<64xi32, #[[L]]>
// CHECK-NOT: tile.convert_layout
func.func @elements(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.range 0, 64 : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %ptrs = tile.addptr %ps, %i : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %x = tile.load %ptrs : tensor<64x!tile.ptr<i32>>
  %g = tile.gather %x, %x along 0 : tensor<64xi32>, tensor<64xi32>
  %m = arith.cmpi slt, %g, %i : tensor<64xi32>
  %h = tile.histogram %g, %m : tensor<64xi32>, tensor<64xi1> -> tensor<64xi32>
  tile.store %ptrs, %h : tensor<64x!tile.ptr<i32>>
  return
}
