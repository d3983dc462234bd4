// RUN: mytriton-opt %s --canonicalize | FileCheck %s

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#reversed = #tile.layout<{register = [], lane = [[16], [8], [4], [2], [1]], warp = []}>
#twice = #tile.layout<{register = [[0]], lane = [[1], [2], [4], [8], [16]], warp = []}>
// CHECK-DAG: #[[$ROW:.*]] = #tile.layout<{register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = []}>
// CHECK-DAG: #[[$REVERSED:.*]] = #tile.layout<{register = [], lane = {{\[\[}}16], [8], [4], [2], [1]], warp = []}>
// CHECK-DAG: #[[$TWICE:.*]] = #tile.layout<{register = {{\[\[}}0]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = []}>

// CHECK-LABEL: func.func @splat_of_constant
func.func @splat_of_constant() -> (tensor<4x8xi32>, tensor<4xf16>, tensor<32xi1, #row>) {
  // CHECK-DAG: %[[I:.*]] = arith.constant dense<-7> : tensor<4x8xi32>
  // CHECK-DAG: %[[F:.*]] = arith.constant dense<-0.000000e+00> : tensor<4xf16>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<true> : tensor<32xi1, #[[$ROW]]>
  // CHECK: return %[[I]], %[[F]], %[[B]]
  %i = arith.constant -7 : i32
  %f = arith.constant -0.0 : f16
  %b = arith.constant true
  %0 = tile.splat %i : i32 -> tensor<4x8xi32>
  %1 = tile.splat %f : f16 -> tensor<4xf16>
  %2 = tile.splat %b : i1 -> tensor<32xi1, #row>
  return %0, %1, %2 : tensor<4x8xi32>, tensor<4xf16>, tensor<32xi1, #row>
}

// CHECK-LABEL: func.func @expand_dims_of_constant
func.func @expand_dims_of_constant() -> (tensor<1x4xi32>, tensor<4x1xi32>) {
  // CHECK-DAG: %[[EQUAL:.*]] = arith.constant dense<5> : tensor<1x4xi32>
  // CHECK-DAG: %[[ANY:.*]] = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  // CHECK: %[[KEPT:.*]] = tile.expand_dims %[[ANY]], 1
  // CHECK: return %[[EQUAL]], %[[KEPT]]
  %equal = arith.constant dense<5> : tensor<4xi32>
  %any = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = tile.expand_dims %equal, 0 : tensor<4xi32> -> tensor<1x4xi32>
  %1 = tile.expand_dims %any, 1 : tensor<4xi32> -> tensor<4x1xi32>
  return %0, %1 : tensor<1x4xi32>, tensor<4x1xi32>
}

// CHECK-LABEL: func.func @expand_dims_of_splat
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>
func.func @expand_dims_of_splat(%p: !tile.ptr<f32>) -> tensor<4x1x!tile.ptr<f32>> {
  // CHECK-NEXT: %[[R:.*]] = tile.splat %[[P]] : !tile.ptr<f32> -> tensor<4x1x!tile.ptr<f32>>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %1 = tile.expand_dims %0, 1 : tensor<4x!tile.ptr<f32>> -> tensor<4x1x!tile.ptr<f32>>
  return %1 : tensor<4x1x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @broadcast_of_constant
func.func @broadcast_of_constant() -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = arith.constant dense<2.500000e+00> : tensor<4x8xf32>
  // CHECK-NEXT: return %[[R]]
  %c = arith.constant dense<2.5> : tensor<4x1xf32>
  %0 = tile.broadcast %c : tensor<4x1xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @broadcast_of_splat
// CHECK-SAME: %[[X:.*]]: f32
func.func @broadcast_of_splat(%x: f32) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = tile.splat %[[X]] : f32 -> tensor<4x8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.splat %x : f32 -> tensor<1x8xf32>
  %1 = tile.broadcast %0 : tensor<1x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @broadcast_of_broadcast
// CHECK-SAME: %[[T:.*]]: tensor<1x1x8xf32>
func.func @broadcast_of_broadcast(%t: tensor<1x1x8xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: %[[R:.*]] = tile.broadcast %[[T]] : tensor<1x1x8xf32> -> tensor<2x4x8xf32>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.broadcast %t : tensor<1x1x8xf32> -> tensor<1x4x8xf32>
  %1 = tile.broadcast %0 : tensor<1x4x8xf32> -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @broadcast_to_the_same_type
// CHECK-SAME: %[[T:.*]]: tensor<4x8xf32>
func.func @broadcast_to_the_same_type(%t: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: return %[[T]]
  %0 = tile.broadcast %t : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @convert_layout_to_the_same
// CHECK-SAME: %[[T:.*]]: tensor<32xf32
func.func @convert_layout_to_the_same(%t: tensor<32xf32, #row>) -> tensor<32xf32, #row> {
  // CHECK-NEXT: return %[[T]]
  %0 = tile.convert_layout %t : tensor<32xf32, #row> -> tensor<32xf32, #row>
  return %0 : tensor<32xf32, #row>
}

// CHECK-LABEL: func.func @convert_layout_and_back
// CHECK-SAME: %[[T:.*]]: tensor<32xf32
func.func @convert_layout_and_back(%t: tensor<32xf32, #row>) -> tensor<32xf32, #row> {
  // CHECK-NEXT: return %[[T]]
  %0 = tile.convert_layout %t : tensor<32xf32, #row> -> tensor<32xf32, #reversed>
  %1 = tile.convert_layout %0 : tensor<32xf32, #reversed> -> tensor<32xf32, #row>
  return %1 : tensor<32xf32, #row>
}

// CHECK-LABEL: func.func @convert_layout_of_conversion
// CHECK-SAME: %[[T:.*]]: tensor<32xf32
func.func @convert_layout_of_conversion(%t: tensor<32xf32, #row>) -> tensor<32xf32, #twice> {
  // CHECK-NEXT: %[[R:.*]] = tile.convert_layout %[[T]] : tensor<32xf32, #[[$ROW]]> -> tensor<32xf32, #[[$TWICE]]>
  // CHECK-NEXT: return %[[R]]
  %0 = tile.convert_layout %t : tensor<32xf32, #row> -> tensor<32xf32, #reversed>
  %1 = tile.convert_layout %0 : tensor<32xf32, #reversed> -> tensor<32xf32, #twice>
  return %1 : tensor<32xf32, #twice>
}

// CHECK-LABEL: func.func @convert_layout_of_constant
func.func @convert_layout_of_constant() -> tensor<32xf32, #reversed> {
  // CHECK-NEXT: %[[R:.*]] = arith.constant dense<1.000000e+00> : tensor<32xf32, #[[$REVERSED]]>
  // CHECK-NEXT: return %[[R]]
  %c = arith.constant dense<1.0> : tensor<32xf32, #row>
  %0 = tile.convert_layout %c : tensor<32xf32, #row> -> tensor<32xf32, #reversed>
  return %0 : tensor<32xf32, #reversed>
}
