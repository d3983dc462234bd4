// RUN: mytriton-opt %s --canonicalize --cse | FileCheck %s

// A reduction that nobody reads goes, and two equal ones become one.
// CHECK-LABEL: func.func @reductions
// CHECK: %[[R:.*]] = tile.reduce %{{.*}} along 0
// CHECK-NOT: tile.reduce
// CHECK: return %[[R]], %[[R]]
func.func @reductions(%x: tensor<32xi32>) -> (i32, i32) {
  %0 = tile.reduce %x along 0 : tensor<32xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %1 = tile.reduce %x along 0 : tensor<32xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %2 = tile.reduce %x along 0 : tensor<32xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  return %0, %1 : i32, i32
}

// Constants stay in the region, which sees none from outside.
// CHECK-LABEL: func.func @constants
// CHECK: tile.scan
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT: arith.muli %{{.*}}, %[[TWO]]
func.func @constants(%x: tensor<32xi32>) -> tensor<32xi32> {
  %0 = tile.scan %x along 0 : tensor<32xi32> {
  ^bb0(%a: i32, %b: i32):
    %one = arith.constant 1 : i32
    %two = arith.addi %one, %one : i32
    %c = arith.muli %a, %two : i32
    tile.yield %c : i32
  }
  return %0 : tensor<32xi32>
}

// CHECK-LABEL: func.func @shapes
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
// CHECK: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<6x4xf32>
// CHECK: %[[T:.*]] = tile.transpose %[[X]], [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK: %[[R:.*]] = tile.reshape %[[X]] : tensor<4x6xf32> -> tensor<24xf32>
// CHECK: return %[[X]], %[[X]], %[[T]], %[[R]], %[[C]]
func.func @shapes(%x: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x4xf32>, tensor<24xf32>, tensor<6x4xf32>) {
  %t = tile.transpose %x, [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %back = tile.transpose %t, [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %flat = tile.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  %square = tile.reshape %flat : tensor<2x12xf32> -> tensor<4x6xf32>
  %line = tile.reshape %flat : tensor<2x12xf32> -> tensor<24xf32>
  %one = arith.constant dense<1.0> : tensor<4x6xf32>
  %ones = tile.transpose %one, [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  return %back, %square, %t, %line, %ones
      : tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x4xf32>, tensor<24xf32>, tensor<6x4xf32>
}
