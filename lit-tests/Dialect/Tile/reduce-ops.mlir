// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

#rows = #tile.layout<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []}>
#sums = #tile.layout<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = []}>

// CHECK-LABEL: func.func @sum
func.func @sum(%x: tensor<16x32xf32>) -> tensor<16xf32> {
  // CHECK: tile.reduce %{{.*}} along 1 : tensor<16x32xf32> -> tensor<16xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[C:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tile.yield %[[C]] : f32
  %0 = tile.reduce %x along 1 : tensor<16x32xf32> -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %0 : tensor<16xf32>
}

// Two operands, rank 1: the results are scalars.
// CHECK-LABEL: func.func @argmax
func.func @argmax(%x: tensor<32xf32>, %i: tensor<32xi32>) -> (f32, i32) {
  // CHECK: tile.reduce %{{.*}}, %{{.*}} along 0 : tensor<32xf32>, tensor<32xi32> -> f32, i32 {
  %0:2 = tile.reduce %x, %i along 0 : tensor<32xf32>, tensor<32xi32> -> f32, i32 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %more = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %more, %a, %b : f32
    %ci = arith.select %more, %ai, %bi : i32
    tile.yield %c, %ci : f32, i32
  }
  return %0#0, %0#1 : f32, i32
}

// CHECK-LABEL: func.func @scans
func.func @scans(%x: tensor<4x8xi64>) -> (tensor<4x8xi64>, tensor<4x8xi64>) {
  // CHECK: tile.scan %{{.*}} along 0 : tensor<4x8xi64> {
  %0 = tile.scan %x along 0 : tensor<4x8xi64> {
  ^bb0(%a: i64, %b: i64):
    %c = arith.addi %a, %b : i64
    tile.yield %c : i64
  }
  // CHECK: tile.scan %{{.*}} along 1 reverse : tensor<4x8xi64> {
  %1 = tile.scan %x along 1 reverse : tensor<4x8xi64> {
  ^bb0(%a: i64, %b: i64):
    %c = arith.muli %a, %b : i64
    tile.yield %c : i64
  }
  return %0, %1 : tensor<4x8xi64>, tensor<4x8xi64>
}

// CHECK-LABEL: func.func @layouts
func.func @layouts(%x: tensor<4x32xf16, #rows>) -> tensor<4xf16, #sums> {
  // CHECK: tile.reduce %{{.*}} along 1 : tensor<4x32xf16, #{{.*}}> -> tensor<4xf16, #{{.*}}> {
  %0 = tile.reduce %x along 1 : tensor<4x32xf16, #rows> -> tensor<4xf16, #sums> {
  ^bb0(%a: f16, %b: f16):
    tile.yield %a : f16
  }
  return %0 : tensor<4xf16, #sums>
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<4x6xf32>, %p: tensor<2x3x!tile.ptr<i8>>, %s: f32) -> f32 {
  // CHECK: tile.reshape %{{.*}} : tensor<4x6xf32> -> tensor<2x12xf32>
  %0 = tile.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  // CHECK: tile.reshape %{{.*}} : f32 -> tensor<1x1xf32>
  %1 = tile.reshape %s : f32 -> tensor<1x1xf32>
  // CHECK: tile.reshape %{{.*}} : tensor<1x1xf32> -> f32
  %2 = tile.reshape %1 : tensor<1x1xf32> -> f32
  // CHECK: tile.transpose %{{.*}}, [1, 0] : tensor<2x3x!tile.ptr<i8>> -> tensor<3x2x!tile.ptr<i8>>
  %3 = tile.transpose %p, [1, 0] : tensor<2x3x!tile.ptr<i8>> -> tensor<3x2x!tile.ptr<i8>>
  return %2 : f32
}

// Differences that are associative: of booleans, and of more than the two elements.
// CHECK-LABEL: func.func @differences
func.func @differences(%x: tensor<8xi1>, %y: tensor<8xi32>) -> (i1, i32) {
  // CHECK: tile.reduce
  // CHECK: arith.subi %{{.*}}, %{{.*}} : i1
  %0 = tile.reduce %x along 0 : tensor<8xi1> -> i1 {
  ^bb0(%a: i1, %b: i1):
    %c = arith.subi %a, %b : i1
    tile.yield %c : i1
  }
  // a + b - ab
  // CHECK: tile.reduce
  // CHECK: arith.subi %{{.*}}, %{{.*}} : i32
  %1 = tile.reduce %y along 0 : tensor<8xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    %product = arith.muli %a, %b : i32
    %c = arith.subi %sum, %product : i32
    tile.yield %c : i32
  }
  return %0, %1 : i1, i32
}

// CHECK-LABEL: func.func @length
func.func @length(%x: tensor<8xf32>) -> f32 {
  // CHECK: tile.reduce
  // CHECK: tile.binary_function "hypot" %{{.*}}, %{{.*}} : f32
  %0 = tile.reduce %x along 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = tile.binary_function "hypot" %a, %b : f32
    tile.yield %c : f32
  }
  return %0 : f32
}
