// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x"}
// CHECK-SAME: i1, %{{.*}}: i8, %{{.*}}: i16, %{{.*}}: i32 {tile.divisibility = 1 : i32}, %{{.*}}: i64 {tile.divisibility = 1073741824 : i32}
// CHECK-SAME: f16, %{{.*}}: bf16, %{{.*}}: f32, %{{.*}}: f64
// CHECK-SAME: attributes {tile.kernel, tile.num_warps = 4 : i32}
func.func @kernel(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x"}, %a: i1, %b: i8, %c: i16,
                  %d: i32 {tile.divisibility = 1 : i32}, %e: i64 {tile.divisibility = 1073741824 : i32},
                  %f: f16, %g: bf16, %h: f32, %i: f64)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  return
}

// A function that kernels call may have results, and need not be a kernel to know its warps.
// CHECK-LABEL: func.func @helper
// CHECK-SAME: attributes {tile.num_warps = 32 : i32}
func.func @helper(%t: tensor<4xf32>) -> tensor<4xf32> attributes {tile.num_warps = 32 : i32} {
  return %t : tensor<4xf32>
}

#one_warp = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
// CHECK-LABEL: func.func @one_warp
func.func @one_warp() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 32 : tensor<32xi32, #one_warp>
  return
}
