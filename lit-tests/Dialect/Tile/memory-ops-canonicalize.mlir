// RUN: mytriton-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @addptr_zero
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[PS:.*]]: tensor<4x!tile.ptr<f32>>
func.func @addptr_zero(%p: !tile.ptr<f32>, %ps: tensor<4x!tile.ptr<f32>>) -> (!tile.ptr<f32>, tensor<4x!tile.ptr<f32>>) {
  // CHECK-NEXT: return %[[P]], %[[PS]]
  %zero = arith.constant 0 : i64
  %zeros = arith.constant dense<0> : tensor<4xi32>
  %0 = tile.addptr %p, %zero : !tile.ptr<f32>, i64
  %1 = tile.addptr %ps, %zeros : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  return %0, %1 : !tile.ptr<f32>, tensor<4x!tile.ptr<f32>>
}

// Not all offsets are zero.
// CHECK-LABEL: func.func @addptr_not_zero
func.func @addptr_not_zero(%ps: tensor<2x!tile.ptr<f32>>) -> tensor<2x!tile.ptr<f32>> {
  // CHECK: tile.addptr
  %c = arith.constant dense<[0, 1]> : tensor<2xi32>
  %0 = tile.addptr %ps, %c : tensor<2x!tile.ptr<f32>>, tensor<2xi32>
  return %0 : tensor<2x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @load_mask_true
// CHECK-SAME: %[[PS:.*]]: tensor<4x!tile.ptr<f32>>
func.func @load_mask_true(%ps: tensor<4x!tile.ptr<f32>>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = tile.load %[[PS]] : tensor<4x!tile.ptr<f32>>
  // CHECK-NEXT: return %[[R]]
  %true = arith.constant true
  %m = tile.splat %true : i1 -> tensor<4xi1>
  %0 = tile.load %ps, %m, %o : tensor<4x!tile.ptr<f32>>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @load_mask_false
// CHECK-SAME: %{{.*}}: !tile.ptr<f32>, %[[O:.*]]: f32
func.func @load_mask_false(%p: !tile.ptr<f32>, %o: f32) -> f32 {
  // CHECK-NEXT: return %[[O]]
  %false = arith.constant false
  %0 = tile.load %p, %false, %o : !tile.ptr<f32>
  return %0 : f32
}

// Without other there is nothing to put in its place.
// CHECK-LABEL: func.func @load_mask_false_without_other
func.func @load_mask_false_without_other(%p: !tile.ptr<f32>) -> f32 {
  // CHECK: tile.load
  %false = arith.constant false
  %0 = tile.load %p, %false : !tile.ptr<f32>
  return %0 : f32
}

// CHECK-LABEL: func.func @load_mask_mixed
func.func @load_mask_mixed(%ps: tensor<2x!tile.ptr<f32>>, %o: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: %[[M:.*]] = arith.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: tile.load %{{.*}}, %[[M]], %{{.*}}
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  %0 = tile.load %ps, %m, %o : tensor<2x!tile.ptr<f32>>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @store_mask_true
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[V:.*]]: f32
func.func @store_mask_true(%p: !tile.ptr<f32>, %v: f32) {
  // CHECK-NEXT: tile.store %[[P]], %[[V]] : !tile.ptr<f32>
  // CHECK-NEXT: return
  %true = arith.constant true
  tile.store %p, %v, %true : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @store_mask_false
func.func @store_mask_false(%ps: tensor<4x!tile.ptr<f32>>, %vs: tensor<4xf32>) {
  // CHECK-NEXT: return
  %m = arith.constant dense<false> : tensor<4xi1>
  tile.store %ps, %vs, %m : tensor<4x!tile.ptr<f32>>
  return
}
