// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-assign-layouts)' | FileCheck %s

// Lanes along the elements, then warps; one layout serves a shape, and the arguments' facts stay.
// CHECK: #[[$L:.*]] = #tile.layout<{register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]}>
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

// Warps take the outermost dimension, so that a row is within one. An extent of 12 is rounded up to 16, and a tile smaller
// than the block has copies.
// CHECK-DAG: #[[$ROWS:.*]] = #tile.layout<{register = [], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = {{\[\[}}2, 0], [4, 0]]}>
// CHECK-DAG: #[[$COLUMN:.*]] = #tile.layout<{register = [], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [0, 0], [0, 0]], warp = {{\[\[}}0, 0], [0, 0]]}>
// CHECK-LABEL: func.func @broadcast
// A column's default is that of its elements with one dimension more. The operand of a broadcast is wanted where the result
// is, without the stretched dimension: it is converted to that.
// CHECK: %[[R:.*]] = tile.range 0, 8 : tensor<8xi32, #[[RANGE:.*]]>
// CHECK-NEXT: %[[E:.*]] = tile.expand_dims %[[R]], 1 : tensor<8xi32, #[[RANGE]]> -> tensor<8x1xi32, #[[$COLUMN]]>
// CHECK: %[[EC:.*]] = tile.convert_layout %[[E]] : tensor<8x1xi32, #[[$COLUMN]]> -> tensor<8x1xi32, #[[STRETCHED:.*]]>
// CHECK: tile.broadcast %[[EC]] : tensor<8x1xi32, #[[STRETCHED]]> -> tensor<8x12xi32, #[[$ROWS]]>
func.func @broadcast(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range 0, 8 : tensor<8xi32>
  %e = tile.expand_dims %r, 1 : tensor<8xi32> -> tensor<8x1xi32>
  %b = tile.broadcast %e : tensor<8x1xi32> -> tensor<8x12xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x12x!tile.ptr<i32>>
  %at = tile.addptr %ps, %b : tensor<8x12x!tile.ptr<i32>>, tensor<8x12xi32>
  tile.store %at, %b : tensor<8x12x!tile.ptr<i32>>
  return
}

// -----

// A reduction's result comes where the operand is, without the axis, and is converted to its shape's default. One that gives
// a scalar needs none.
// CHECK-LABEL: func.func @reduce
// CHECK: %[[S:.*]] = tile.reduce %{{.*}} along 1 : tensor<4x32xi32, #{{.*}}> -> tensor<4xi32, #[[SLICE:.*]]> {
// CHECK: %[[C:.*]] = tile.convert_layout %[[S]] : tensor<4xi32, #[[SLICE]]> -> tensor<4xi32, #[[D:.*]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.reduce %[[C]] along 0 : tensor<4xi32, #[[D]]> -> i32 {
func.func @reduce(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %x = arith.constant dense<1> : tensor<4x32xi32>
  %s = tile.reduce %x along 1 : tensor<4x32xi32> -> tensor<4xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %t = tile.reduce %s along 0 : tensor<4xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %t : !tile.ptr<i32>
  return
}

// -----

// Loops and branches carry defaults, inside and outside; a rank of 4.
// CHECK: #[[$L:.*]] = #tile.layout<{register = [], lane = {{\[\[}}0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]], warp = {{\[\[}}2, 0, 0, 0]]}>
// CHECK-LABEL: func.func @control
// CHECK: scf.for {{.*}} iter_args(%[[ARG:.*]] = %{{.*}}) -> (tensor<3x2x2x4xi32, #[[$L]]>) : i32
// CHECK: %[[IF:.*]] = scf.if %{{.*}} -> (tensor<3x2x2x4xi32, #[[$L]]>)
// CHECK: scf.yield %[[ARG]] : tensor<3x2x2x4xi32, #[[$L]]>
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @control(%p: !tile.ptr<i32>, %n: i32, %c: i1) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = arith.constant dense<1> : tensor<3x2x2x4xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> (tensor<3x2x2x4xi32>) : i32 {
    %t = scf.if %c -> (tensor<3x2x2x4xi32>) {
      scf.yield %s : tensor<3x2x2x4xi32>
    } else {
      %u = arith.addi %s, %s : tensor<3x2x2x4xi32>
      scf.yield %u : tensor<3x2x2x4xi32>
    }
    scf.yield %t : tensor<3x2x2x4xi32>
  }
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<3x2x2x4x!tile.ptr<i32>>
  tile.store %ps, %r : tensor<3x2x2x4x!tile.ptr<i32>>
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
