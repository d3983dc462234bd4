// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// CHECK-LABEL: func.func @addptr
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[PS:.*]]: tensor<4x!tile.ptr<i1>>, %[[LP:.*]]: tensor<32x!tile.ptr<f32>, #[[L:[a-z0-9]*]]>
func.func @addptr(%p: !tile.ptr<f32>, %ps: tensor<4x!tile.ptr<i1>>, %lp: tensor<32x!tile.ptr<f32>, #row>,
                  %i: i32, %j: i64, %b: tensor<4xi8>, %s: tensor<4xi16>, %l: tensor<32xi32, #row>) {
  // CHECK: tile.addptr %[[P]], %{{.*}} : !tile.ptr<f32>, i32
  %0 = tile.addptr %p, %i : !tile.ptr<f32>, i32
  // CHECK: tile.addptr %[[P]], %{{.*}} : !tile.ptr<f32>, i64
  %1 = tile.addptr %p, %j : !tile.ptr<f32>, i64
  // CHECK: tile.addptr %[[PS]], %{{.*}} : tensor<4x!tile.ptr<i1>>, tensor<4xi8>
  %2 = tile.addptr %ps, %b : tensor<4x!tile.ptr<i1>>, tensor<4xi8>
  // CHECK: tile.addptr %[[PS]], %{{.*}} : tensor<4x!tile.ptr<i1>>, tensor<4xi16>
  %3 = tile.addptr %ps, %s : tensor<4x!tile.ptr<i1>>, tensor<4xi16>
  // CHECK: tile.addptr %[[LP]], %{{.*}} : tensor<32x!tile.ptr<f32>, #[[L]]>, tensor<32xi32, #[[L]]>
  %4 = tile.addptr %lp, %l : tensor<32x!tile.ptr<f32>, #row>, tensor<32xi32, #row>
  return
}

// CHECK-LABEL: func.func @ptr_to_int
func.func @ptr_to_int(%p: !tile.ptr<f32>, %ps: tensor<4x!tile.ptr<i1>>, %lp: tensor<32x!tile.ptr<f32>, #row>)
    -> (i64, tensor<4xi64>, tensor<32xi64, #row>) {
  // CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<f32>
  %0 = tile.ptr_to_int %p : !tile.ptr<f32>
  // CHECK: tile.ptr_to_int %{{.*}} {note = "a"} : tensor<4x!tile.ptr<i1>>
  %1 = tile.ptr_to_int %ps {note = "a"} : tensor<4x!tile.ptr<i1>>
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<32x!tile.ptr<f32>, #{{.*}}>
  %2 = tile.ptr_to_int %lp : tensor<32x!tile.ptr<f32>, #row>
  return %0, %1, %2 : i64, tensor<4xi64>, tensor<32xi64, #row>
}

// CHECK-LABEL: func.func @load
func.func @load(%p: !tile.ptr<f32>, %ps: tensor<4x8x!tile.ptr<i1>>, %lp: tensor<32x!tile.ptr<bf16>, #row>,
                %m: i1, %ms: tensor<4x8xi1>, %lm: tensor<32xi1, #row>, %o: f32, %os: tensor<4x8xi1>)
    -> (f32, tensor<4x8xi1>, tensor<32xbf16, #row>) {
  // CHECK: tile.load %{{[^,]*}} : !tile.ptr<f32>
  %0 = tile.load %p : !tile.ptr<f32>
  // CHECK: tile.load %{{.*}}, %{{[^,]*}} : !tile.ptr<f32>
  %1 = tile.load %p, %m : !tile.ptr<f32>
  // CHECK: tile.load %{{.*}}, %{{.*}}, %{{[^,]*}} : !tile.ptr<f32>
  %2 = tile.load %p, %m, %o : !tile.ptr<f32>
  // CHECK: tile.load %{{[^,]*}} : tensor<4x8x!tile.ptr<i1>>
  %3 = tile.load %ps : tensor<4x8x!tile.ptr<i1>>
  // CHECK: tile.load %{{.*}}, %{{.*}}, %{{[^,]*}} {note = "a"} : tensor<4x8x!tile.ptr<i1>>
  %4 = tile.load %ps, %ms, %os {note = "a"} : tensor<4x8x!tile.ptr<i1>>
  // CHECK: tile.load %{{.*}}, %{{[^,]*}} : tensor<32x!tile.ptr<bf16>, #{{.*}}>
  %5 = tile.load %lp, %lm : tensor<32x!tile.ptr<bf16>, #row>
  return %2, %4, %5 : f32, tensor<4x8xi1>, tensor<32xbf16, #row>
}

// CHECK-LABEL: func.func @store
func.func @store(%p: !tile.ptr<i64>, %ps: tensor<4x!tile.ptr<f16>>, %lp: tensor<32x!tile.ptr<f32>, #row>,
                 %v: i64, %vs: tensor<4xf16>, %lv: tensor<32xf32, #row>,
                 %m: i1, %ms: tensor<4xi1>, %lm: tensor<32xi1, #row>) {
  // CHECK: tile.store %{{.*}}, %{{[^,]*}} : !tile.ptr<i64>
  tile.store %p, %v : !tile.ptr<i64>
  // CHECK: tile.store %{{.*}}, %{{.*}}, %{{[^,]*}} : !tile.ptr<i64>
  tile.store %p, %v, %m : !tile.ptr<i64>
  // CHECK: tile.store %{{.*}}, %{{[^,]*}} : tensor<4x!tile.ptr<f16>>
  tile.store %ps, %vs : tensor<4x!tile.ptr<f16>>
  // CHECK: tile.store %{{.*}}, %{{.*}}, %{{[^,]*}} {note = "a"} : tensor<4x!tile.ptr<f16>>
  tile.store %ps, %vs, %ms {note = "a"} : tensor<4x!tile.ptr<f16>>
  // CHECK: tile.store %{{.*}}, %{{.*}}, %{{[^,]*}} : tensor<32x!tile.ptr<f32>, #{{.*}}>
  tile.store %lp, %lv, %lm : tensor<32x!tile.ptr<f32>, #row>
  return
}
