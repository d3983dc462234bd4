// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#pairs = #tile.layout<{register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []}>

// CHECK-LABEL: func.func @join
// CHECK-SAME: %[[A:.*]]: tensor<16x3xf32>, %[[P:.*]]: tensor<4x!tile.ptr<i8>>, %[[S:.*]]: f16, %[[Q:.*]]: !tile.ptr<f64>, %[[R:.*]]: tensor<32xi1, #{{.*}}>)
func.func @join(%a: tensor<16x3xf32>, %p: tensor<4x!tile.ptr<i8>>, %s: f16, %q: !tile.ptr<f64>, %r: tensor<32xi1, #row>) {
  // CHECK: tile.join %[[A]], %[[A]] : tensor<16x3xf32> -> tensor<16x3x2xf32>
  %0 = tile.join %a, %a : tensor<16x3xf32> -> tensor<16x3x2xf32>
  // CHECK: tile.join %[[P]], %[[P]] : tensor<4x!tile.ptr<i8>> -> tensor<4x2x!tile.ptr<i8>>
  %1 = tile.join %p, %p : tensor<4x!tile.ptr<i8>> -> tensor<4x2x!tile.ptr<i8>>
  // CHECK: tile.join %[[S]], %[[S]] : f16 -> tensor<2xf16>
  %2 = tile.join %s, %s : f16 -> tensor<2xf16>
  // CHECK: tile.join %[[Q]], %[[Q]] : !tile.ptr<f64> -> tensor<2x!tile.ptr<f64>>
  %3 = tile.join %q, %q : !tile.ptr<f64> -> tensor<2x!tile.ptr<f64>>
  // CHECK: tile.join %[[R]], %[[R]] : tensor<32xi1, #{{.*}}> -> tensor<32x2xi1, #{{.*}}>
  %4 = tile.join %r, %r : tensor<32xi1, #row> -> tensor<32x2xi1, #pairs>
  return
}

// CHECK-LABEL: func.func @split
// CHECK-SAME: %[[A:.*]]: tensor<16x3x2xf32>, %[[S:.*]]: tensor<2x!tile.ptr<i8>>, %[[R:.*]]: tensor<32x2xi1, #{{.*}}>)
func.func @split(%a: tensor<16x3x2xf32>, %s: tensor<2x!tile.ptr<i8>>, %r: tensor<32x2xi1, #pairs>) {
  // CHECK: %{{.*}}, %{{.*}} = tile.split %[[A]] : tensor<16x3x2xf32> -> tensor<16x3xf32>
  %0, %1 = tile.split %a : tensor<16x3x2xf32> -> tensor<16x3xf32>
  // CHECK: tile.split %[[S]] : tensor<2x!tile.ptr<i8>> -> !tile.ptr<i8>
  %2, %3 = tile.split %s : tensor<2x!tile.ptr<i8>> -> !tile.ptr<i8>
  // CHECK: tile.split %[[R]] : tensor<32x2xi1, #{{.*}}> -> tensor<32xi1, #{{.*}}>
  %4, %5 = tile.split %r : tensor<32x2xi1, #pairs> -> tensor<32xi1, #row>
  return
}
