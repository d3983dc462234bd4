// RUN: mytriton-opt %s --canonicalize | FileCheck %s

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#pairs = #tile.layout<{register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []}>

// CHECK-LABEL: func.func @join_of_constants
func.func @join_of_constants() -> (tensor<4x2xi32>, tensor<2xf16>, tensor<4x2xi32>) {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : tensor<4xi32>
  // CHECK-DAG: %[[TWO:.*]] = arith.constant dense<2> : tensor<4xi32>
  // CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1> : tensor<4x2xi32>
  // CHECK-DAG: %[[HALVES:.*]] = arith.constant dense<5.000000e-01> : tensor<2xf16>
  // CHECK: %[[BOTH:.*]] = tile.join %[[ONE]], %[[TWO]]
  // CHECK: return %[[ONES]], %[[HALVES]], %[[BOTH]]
  %one = arith.constant dense<1> : tensor<4xi32>
  %two = arith.constant dense<2> : tensor<4xi32>
  %half = arith.constant 0.5 : f16
  %0 = tile.join %one, %one : tensor<4xi32> -> tensor<4x2xi32>
  %1 = tile.join %half, %half : f16 -> tensor<2xf16>
  %2 = tile.join %one, %two : tensor<4xi32> -> tensor<4x2xi32>
  return %0, %1, %2 : tensor<4x2xi32>, tensor<2xf16>, tensor<4x2xi32>
}

// CHECK-LABEL: func.func @split_of_constants
func.func @split_of_constants() -> (tensor<4xi32>, tensor<4xi32>, f16, f16, i32) {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1> : tensor<4xi32>
  // CHECK-DAG: %[[HALF:.*]] = arith.constant 5.000000e-01 : f16
  // CHECK-DAG: %[[ANY:.*]] = arith.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: %[[KEPT:.*]], %{{.*}} = tile.split %[[ANY]]
  // CHECK: return %[[ONE]], %[[ONE]], %[[HALF]], %[[HALF]], %[[KEPT]]
  %ones = arith.constant dense<1> : tensor<4x2xi32>
  %halves = arith.constant dense<0.5> : tensor<2xf16>
  %any = arith.constant dense<[1, 2]> : tensor<2xi32>
  %0, %1 = tile.split %ones : tensor<4x2xi32> -> tensor<4xi32>
  %2, %3 = tile.split %halves : tensor<2xf16> -> f16
  %4, %5 = tile.split %any : tensor<2xi32> -> i32
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, f16, f16, i32
}

// CHECK-LABEL: func.func @one_undoes_the_other
// CHECK-SAME: %[[A:.*]]: tensor<32xf32, #{{.*}}>, %[[B:.*]]: tensor<32xf32, #{{.*}}>, %[[P:.*]]: tensor<4x2xf32>)
func.func @one_undoes_the_other(%a: tensor<32xf32, #row>, %b: tensor<32xf32, #row>, %p: tensor<4x2xf32>)
    -> (tensor<32xf32, #row>, tensor<32xf32, #row>, tensor<4x2xf32>) {
  // CHECK-NEXT: return %[[A]], %[[B]], %[[P]]
  %0 = tile.join %a, %b : tensor<32xf32, #row> -> tensor<32x2xf32, #pairs>
  %1, %2 = tile.split %0 : tensor<32x2xf32, #pairs> -> tensor<32xf32, #row>
  %3, %4 = tile.split %p : tensor<4x2xf32> -> tensor<4xf32>
  %5 = tile.join %3, %4 : tensor<4xf32> -> tensor<4x2xf32>
  return %1, %2, %5 : tensor<32xf32, #row>, tensor<32xf32, #row>, tensor<4x2xf32>
}

// CHECK-LABEL: func.func @halves_in_another_order
// CHECK-SAME: %[[P:.*]]: tensor<4x2xf32>)
func.func @halves_in_another_order(%p: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK: %[[A:.*]], %[[B:.*]] = tile.split %[[P]]
  // CHECK: %[[R:.*]] = tile.join %[[B]], %[[A]]
  // CHECK: return %[[R]]
  %0, %1 = tile.split %p : tensor<4x2xf32> -> tensor<4xf32>
  %2 = tile.join %1, %0 : tensor<4xf32> -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
