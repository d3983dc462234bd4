// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-assign-layouts,tile-coalesce-memory)' | FileCheck %s

// 16 bytes for each thread, side by side. Loads and stores share it; the rest keeps its layout, with conversions between.
// CHECK-DAG: #[[$WIDE:.*]] = #tile.layout<{register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]}>
// CHECK-DAG: #[[$D:.*]] = #tile.layout<{register = {{\[\[}}128], [256], [512]], lane = {{.*}}
// CHECK-LABEL: func.func @vectors
// CHECK: %[[A:.*]] = tile.load %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[$WIDE]]>
// CHECK: %[[C:.*]] = tile.convert_layout %[[A]] : tensor<1024xf32, #[[$WIDE]]> -> tensor<1024xf32, #[[$D]]>
// CHECK: %[[B:.*]] = arith.addf %[[C]], %[[C]] : tensor<1024xf32, #[[$D]]>
// CHECK: %[[BC:.*]] = tile.convert_layout %[[B]]
// CHECK: tile.store %{{.*}}, %[[BC]] : tensor<1024x!tile.ptr<f32>, #[[$WIDE]]>
func.func @vectors(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %offs = tile.range 0, 1024 : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %a = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %b = arith.addf %a, %a : tensor<1024xf32>
  tile.store %xp, %b : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// Narrow elements: more of them.
// CHECK-DAG: #[[$L:.*]] = #tile.layout<{register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = []}>
// CHECK-LABEL: func.func @halves
// CHECK: tile.load %{{.*}} : tensor<256x!tile.ptr<f16>, #[[$L]]>
func.func @halves(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %offs = tile.range 0, 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %offs : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %a = tile.load %xp : tensor<256x!tile.ptr<f16>>
  tile.store %xp, %a : tensor<256x!tile.ptr<f16>>
  return
}

// -----

// No wider than is certain: neither by the alignment, nor by a mask that may end anywhere.
// CHECK-DAG: #[[$ONE:.*]] = #tile.layout<{register = {{\[\[}}128], [256]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]}>
// CHECK-LABEL: func.func @unaligned
// CHECK: tile.load %{{.*}} : tensor<512x!tile.ptr<f32>, #[[$ONE]]>
func.func @unaligned(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %offs = tile.range 0, 512 : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %a = tile.load %xp : tensor<512x!tile.ptr<f32>>
  return
}
// CHECK-LABEL: func.func @masked
// CHECK: tile.load %{{.*}}, %{{.*}} : tensor<512x!tile.ptr<f32>, #[[$ONE]]>
func.func @masked(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %offs = tile.range 0, 512 : tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %offs, %ns : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %a = tile.load %xp, %m : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// Nor wider than leaves every thread something: 200 elements are padded to 256, two for each of 128 threads.
// CHECK-DAG: #[[$TWO:.*]] = #tile.layout<{register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]]}>
// CHECK-LABEL: func.func @few
// CHECK: tile.load %{{.*}} : tensor<200x!tile.ptr<f32>, #[[$TWO]]>
func.func @few(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %offs = tile.range 0, 200 : tensor<200xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<200x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<200x!tile.ptr<f32>>, tensor<200xi32>
  %a = tile.load %xp : tensor<200x!tile.ptr<f32>>
  return
}

// -----

// Each access runs along its own contiguous dimension: a transpose reads rows and writes columns.
// CHECK-DAG: #[[$ROWS:.*]] = #tile.layout<{register = {{\[\[}}0, 1], [0, 2], {{.*}}
// CHECK-DAG: #[[$COLUMNS:.*]] = #tile.layout<{register = {{\[\[}}1, 0], [2, 0], {{.*}} lane = {{\[\[}}4, 0], [8, 0], {{.*}}
// CHECK-LABEL: func.func @transpose
// CHECK: tile.load %{{.*}} : tensor<32x32x!tile.ptr<f32>, #[[$ROWS]]>
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<32x32x!tile.ptr<f32>, #[[$COLUMNS]]>
func.func @transpose(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 32 : tensor<32xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %r2 = tile.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %c1 = tile.expand_dims %r, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %c2 = tile.broadcast %c1 : tensor<1x32xi32> -> tensor<32x32xi32>
  %size = arith.constant dense<32> : tensor<32x32xi32>
  %rs = arith.muli %r2, %size : tensor<32x32xi32>
  %cs = arith.muli %c2, %size : tensor<32x32xi32>
  %from = arith.addi %rs, %c2 : tensor<32x32xi32>
  %to = arith.addi %cs, %r2 : tensor<32x32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %from : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %yp = tile.addptr %ys, %to : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %a = tile.load %xp : tensor<32x32x!tile.ptr<f32>>
  tile.store %yp, %a : tensor<32x32x!tile.ptr<f32>>
  return
}

// -----

// A kernel without tiles in memory stays as it is.
// CHECK-LABEL: func.func @scalars
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @scalars(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %p : !tile.ptr<f32>
  tile.store %p, %v : !tile.ptr<f32>
  return
}
