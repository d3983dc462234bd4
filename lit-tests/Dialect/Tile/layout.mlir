// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

// Layouts are printed under aliases; `block` only where it has bases.

// CHECK-DAG: #[[$VECTOR:.*]] = #tile.layout<{register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]}>
// CHECK-DAG: #[[$MATRIX:.*]] = #tile.layout<{register = {{\[\[}}0, 1], [2, 0], [4, 0], [8, 0]], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = []}>
// CHECK-DAG: #[[$CLUSTER:.*]] = #tile.layout<{register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}0]], block = {{\[\[}}32], [64]]}>
// CHECK-DAG: #[[$PADDED:.*]] = #tile.layout<{register = {{\[\[}}0, 16], [0, 32], [16, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = {{\[\[}}2, 0], [4, 0], [8, 0]]}>
// CHECK-DAG: #[[$DEEP:.*]] = #tile.layout<{register = [], lane = {{\[\[}}1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]], warp = []}>

#vector = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
// The order of the indices is free.
#matrix = #tile.layout<{warp = [], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]],
                        register = [[0, 1], [2, 0], [4, 0], [8, 0]]}>
#cluster = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]], block = [[32], [64]]}>
#padded = #tile.layout<{register = [[0, 16], [0, 32], [16, 0]],
                        lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = [[2, 0], [4, 0], [8, 0]]}>
#deep = #tile.layout<{register = [], lane = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0],
                      [0, 0, 0, 0, 1]], warp = []}>

// CHECK: @vector(tensor<512xf32, #[[$VECTOR]]>)
func.func private @vector(tensor<512xf32, #vector>)
// CHECK: @matrix(tensor<16x32x!tile.ptr<f16>, #[[$MATRIX]]>)
func.func private @matrix(tensor<16x32x!tile.ptr<f16>, #matrix>)
// CHECK: @cluster(tensor<128xf32, #[[$CLUSTER]]>)
func.func private @cluster(tensor<128xf32, #cluster>)
// 19x37 is padded to 32x64.
// CHECK: @padded(tensor<19x37xf32, #[[$PADDED]]>)
func.func private @padded(tensor<19x37xf32, #padded>)
// CHECK: @deep(tensor<2x2x2x2x2xf32, #[[$DEEP]]>)
func.func private @deep(tensor<2x2x2x2x2xf32, #deep>)

// Upstream elementwise operations keep layouts.
// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: tensor<512xf32, #vector>, %b: tensor<512xf32, #vector>) -> tensor<512xf32, #vector> {
  // CHECK: arith.constant dense<1.000000e+00> : tensor<512xf32, #[[$VECTOR]]>
  %one = arith.constant dense<1.0> : tensor<512xf32, #vector>
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : tensor<512xf32, #[[$VECTOR]]>
  %less = arith.cmpf olt, %a, %b : tensor<512xf32, #vector>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<512xi1, #[[$VECTOR]]>, tensor<512xf32, #[[$VECTOR]]>
  %least = arith.select %less, %a, %b : tensor<512xi1, #vector>, tensor<512xf32, #vector>
  // CHECK: math.exp %{{.*}} : tensor<512xf32, #[[$VECTOR]]>
  %exp = math.exp %least : tensor<512xf32, #vector>
  // CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : tensor<512xf32, #[[$VECTOR]]>
  %r = arith.divf %one, %exp fastmath<arcp> : tensor<512xf32, #vector>
  return %r : tensor<512xf32, #vector>
}
