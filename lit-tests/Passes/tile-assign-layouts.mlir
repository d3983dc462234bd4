// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-assign-layouts)' | FileCheck %s

// 16 bytes for each thread, side by side; one layout serves the whole kernel, and the arguments' facts stay.
// CHECK: #[[$L:.*]] = #tile.layout<{register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]}>
// CHECK-LABEL: func.func @add
// CHECK-SAME: !tile.ptr<f32> {tile.divisibility = 16 : i32}
// CHECK-SAME: tile.kernel
// CHECK-NOT: #tile.layout
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[$L]]>
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %offs = tile.range 0, 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %offs, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %a = tile.load %xp, %m : tensor<1024x!tile.ptr<f32>>
  %b = arith.addf %a, %a : tensor<1024xf32>
  tile.store %xp, %b, %m : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// Narrow elements: more of them. The number of warps is the kernel's.
// CHECK: #tile.layout<{register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = []}>
// CHECK-LABEL: func.func @halves
func.func @halves(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %offs = tile.range 0, 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %offs : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %a = tile.load %xp : tensor<256x!tile.ptr<f16>>
  tile.store %xp, %a : tensor<256x!tile.ptr<f16>>
  return
}

// -----

// No alignment known: one element for each thread at a time.
// CHECK: #tile.layout<{register = {{\[\[}}128], [256]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]}>
// CHECK-LABEL: func.func @unaligned
func.func @unaligned(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %offs = tile.range 0, 512 : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %a = tile.load %xp : tensor<512x!tile.ptr<f32>>
  tile.store %xp, %a : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// A tile smaller than the block: the warps hold copies. An extent of 12 is rounded up to 16.
// CHECK: #tile.layout<{register = [], lane = {{\[\[}}1], [2], [4], [8], [0]], warp = {{\[\[}}0], [0]]}>
// CHECK-LABEL: func.func @small
// CHECK: tensor<12xi32, #
func.func @small(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %offs = tile.range 0, 12 : tensor<12xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<12x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<12x!tile.ptr<f32>>, tensor<12xi32>
  %a = tile.load %xp : tensor<12x!tile.ptr<f32>>
  tile.store %xp, %a : tensor<12x!tile.ptr<f32>>
  return
}

// -----

// Where addresses follow the rows, layouts do.
// CHECK: #[[$L:.*]] = #tile.layout<{register = {{\[\[}}1, 0], [2, 0], {{.*}}
// CHECK-LABEL: func.func @transposed
// CHECK: tile.load %{{.*}} : tensor<32x32x!tile.ptr<f32>, #[[$L]]>
func.func @transposed(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 0, 32 : tensor<32xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %r2 = tile.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %c1 = tile.expand_dims %r, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %c2 = tile.broadcast %c1 : tensor<1x32xi32> -> tensor<32x32xi32>
  %size = arith.constant dense<32> : tensor<32x32xi32>
  %c3 = arith.muli %c2, %size : tensor<32x32xi32>
  %offs = arith.addi %r2, %c3 : tensor<32x32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %a = tile.load %xp : tensor<32x32x!tile.ptr<f32>>
  tile.store %xp, %a : tensor<32x32x!tile.ptr<f32>>
  return
}

// -----

// One range serves as rows and as columns: it is made twice, in two layouts. What nobody uses is not made at all.
// CHECK-LABEL: func.func @rows_and_columns
// CHECK-NOT: arith.mulf
// CHECK: tile.range 0, 64 : tensor<64xi32, #[[A:.*]]>
// CHECK-NEXT: tile.range 0, 64 : tensor<64xi32, #[[B:.*]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store
func.func @rows_and_columns(%x: !tile.ptr<i32>, %f: f32) attributes {tile.kernel} {
  %t = tile.splat %f : f32 -> tensor<64xf32>
  %unused = arith.mulf %t, %t : tensor<64xf32>
  %r = tile.range 0, 64 : tensor<64xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c1 = tile.expand_dims %r, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %offs = arith.addi %r2, %c2 : tensor<64x64xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %offs : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  tile.store %xp, %offs : tensor<64x64x!tile.ptr<i32>>
  return
}

// -----

// A load is not repeated: its value is converted.
// CHECK-LABEL: func.func @loaded_twice
// CHECK: %[[V:.*]] = tile.load
// CHECK-NOT: tile.load
// CHECK: tile.convert_layout %[[V]]
// CHECK: tile.store
func.func @loaded_twice(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range 0, 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<i32>>
  %r1 = tile.expand_dims %v, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c1 = tile.expand_dims %v, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %sum = arith.addi %r2, %c2 : tensor<64x64xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %sum : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  tile.store %yp, %sum : tensor<64x64x!tile.ptr<i32>>
  return
}

// -----

// Carried values have the layout of their shape's accesses, inside and outside.
// CHECK: #[[$L:.*]] = #tile.layout<{register = {{\[\[}}1], [2]], lane = {{.*}}
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} -> (tensor<512xf32, #[[$L]]>) : i32
// CHECK: scf.yield %{{.*}} : tensor<512xf32, #[[$L]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<512x!tile.ptr<f32>, #[[$L]]>
func.func @carried(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %offs = tile.range 0, 512 : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %start = arith.constant dense<0.0> : tensor<512xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (tensor<512xf32>) : i32 {
    %v = tile.load %xp : tensor<512x!tile.ptr<f32>>
    %t = arith.addf %s, %v : tensor<512xf32>
    scf.yield %t : tensor<512xf32>
  }
  tile.store %xp, %sum : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// What is no kernel stays as it is.
// CHECK-LABEL: func.func @helper
// CHECK-NEXT: tile.range 0, 64 : tensor<64xi32>{{$}}
func.func @helper() {
  %r = tile.range 0, 64 : tensor<64xi32>
  return
}
