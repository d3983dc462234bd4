// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#rows = #tile.layout<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []}>
#one_row = #tile.layout<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []}>
#pairs = #tile.layout<{register = [[0, 1], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = []}>

// CHECK-LABEL: func.func @range
func.func @range() {
  // CHECK: tile.range 0, 1024 : tensor<1024xi32>
  %0 = tile.range 0, 1024 : tensor<1024xi32>
  // CHECK: tile.range -3, 2 : tensor<5xi32>
  %1 = tile.range -3, 2 : tensor<5xi32>
  // The extremes: 2^31 - 1 is never reached, so that the last element is representable.
  // CHECK: tile.range -2147483648, -2147483647 : tensor<1xi32>
  %2 = tile.range -2147483648, -2147483647 : tensor<1xi32>
  // CHECK: tile.range 0, 32 : tensor<32xi32, #{{.*}}>
  %3 = tile.range 0, 32 : tensor<32xi32, #row>
  return
}

// CHECK-LABEL: func.func @splat
// CHECK-SAME: %[[X:.*]]: f32, %[[P:.*]]: !tile.ptr<bf16>, %[[B:.*]]: i1
func.func @splat(%x: f32, %p: !tile.ptr<bf16>, %b: i1) {
  // CHECK: tile.splat %[[X]] : f32 -> tensor<16x32xf32>
  %0 = tile.splat %x : f32 -> tensor<16x32xf32>
  // CHECK: tile.splat %[[P]] : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %1 = tile.splat %p : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  // CHECK: tile.splat %[[B]] : i1 -> tensor<1x1x1x1x2xi1>
  %2 = tile.splat %b : i1 -> tensor<1x1x1x1x2xi1>
  // CHECK: tile.splat %[[X]] : f32 -> tensor<32xf32, #{{.*}}>
  %3 = tile.splat %x : f32 -> tensor<32xf32, #row>
  return
}

// CHECK-LABEL: func.func @expand_dims
func.func @expand_dims(%t: tensor<16xi32>, %m: tensor<16x32x!tile.ptr<f32>>, %r: tensor<32xf32, #row>) {
  // CHECK: tile.expand_dims %{{.*}}, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %0 = tile.expand_dims %t, 0 : tensor<16xi32> -> tensor<1x16xi32>
  // CHECK: tile.expand_dims %{{.*}}, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %1 = tile.expand_dims %t, 1 : tensor<16xi32> -> tensor<16x1xi32>
  // CHECK: tile.expand_dims %{{.*}}, 1 : tensor<16x32x!tile.ptr<f32>> -> tensor<16x1x32x!tile.ptr<f32>>
  %2 = tile.expand_dims %m, 1 : tensor<16x32x!tile.ptr<f32>> -> tensor<16x1x32x!tile.ptr<f32>>
  // CHECK: tile.expand_dims %{{.*}}, 0 : tensor<32xf32, #{{.*}}> -> tensor<1x32xf32, #{{.*}}>
  %3 = tile.expand_dims %r, 0 : tensor<32xf32, #row> -> tensor<1x32xf32, #one_row>
  return
}

// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%c: tensor<16x1xi32>, %s: tensor<1x1xf32>, %r: tensor<1x32xf32, #one_row>) {
  // CHECK: tile.broadcast %{{.*}} : tensor<16x1xi32> -> tensor<16x32xi32>
  %0 = tile.broadcast %c : tensor<16x1xi32> -> tensor<16x32xi32>
  // CHECK: tile.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<19x37xf32>
  %1 = tile.broadcast %s : tensor<1x1xf32> -> tensor<19x37xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<16x1xi32> -> tensor<16x1xi32>
  %2 = tile.broadcast %c : tensor<16x1xi32> -> tensor<16x1xi32>
  // CHECK: tile.broadcast %{{.*}} : tensor<1x32xf32, #{{.*}}> -> tensor<4x32xf32, #{{.*}}>
  %3 = tile.broadcast %r : tensor<1x32xf32, #one_row> -> tensor<4x32xf32, #rows>
  return
}

// CHECK-LABEL: func.func @convert_layout
func.func @convert_layout(%t: tensor<4x32xf32, #rows>) -> tensor<4x32xf32, #pairs> {
  // CHECK: tile.convert_layout %{{.*}} : tensor<4x32xf32, #[[FROM:.*]]> -> tensor<4x32xf32, #[[TO:.*]]>
  // CHECK: return %{{.*}} : tensor<4x32xf32, #[[TO]]>
  %0 = tile.convert_layout %t : tensor<4x32xf32, #rows> -> tensor<4x32xf32, #pairs>
  return %0 : tensor<4x32xf32, #pairs>
}
