// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

// CHECK-LABEL: func.func @types(
// CHECK-SAME: !tile.ptr<i1>, %{{.*}}: !tile.ptr<i8>, %{{.*}}: !tile.ptr<i16>, %{{.*}}: !tile.ptr<i32>, %{{.*}}: !tile.ptr<i64>
// CHECK-SAME: !tile.ptr<f16>, %{{.*}}: !tile.ptr<bf16>, %{{.*}}: !tile.ptr<f32>, %{{.*}}: !tile.ptr<f64>
func.func @types(%a: !tile.ptr<i1>, %b: !tile.ptr<i8>, %c: !tile.ptr<i16>, %d: !tile.ptr<i32>, %e: !tile.ptr<i64>,
                 %f: !tile.ptr<f16>, %g: !tile.ptr<bf16>, %h: !tile.ptr<f32>, %i: !tile.ptr<f64>) {
  return
}

// CHECK-LABEL: func.func private @tile_of_pointers(tensor<16x32x!tile.ptr<f32>>)
func.func private @tile_of_pointers(tensor<16x32x!tile.ptr<f32>>)
