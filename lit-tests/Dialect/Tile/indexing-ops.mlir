// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#long = #tile.layout<{register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []}>

// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[X:.*]]: tensor<16x3xf32>, %[[I:.*]]: tensor<16x8xi8>, %[[J:.*]]: tensor<1x3xi64>, %[[R:.*]]: tensor<64xi1, #{{.*}}>, %[[K:.*]]: tensor<32xi32, #{{.*}}>)
func.func @gather(%x: tensor<16x3xf32>, %i: tensor<16x8xi8>, %j: tensor<1x3xi64>, %r: tensor<64xi1, #long>, %k: tensor<32xi32, #row>)
    -> (tensor<16x8xf32>, tensor<1x3xf32>, tensor<32xi1, #row>) {
  // CHECK: tile.gather %[[X]], %[[I]] along 1 : tensor<16x3xf32>, tensor<16x8xi8>
  %0 = tile.gather %x, %i along 1 : tensor<16x3xf32>, tensor<16x8xi8>
  // CHECK: tile.gather %[[X]], %[[J]] along 0 : tensor<16x3xf32>, tensor<1x3xi64>
  %1 = tile.gather %x, %j along 0 : tensor<16x3xf32>, tensor<1x3xi64>
  // CHECK: tile.gather %[[R]], %[[K]] along 0 : tensor<64xi1, #{{.*}}>, tensor<32xi32, #{{.*}}>
  %2 = tile.gather %r, %k along 0 : tensor<64xi1, #long>, tensor<32xi32, #row>
  return %0, %1, %2 : tensor<16x8xf32>, tensor<1x3xf32>, tensor<32xi1, #row>
}

// CHECK-LABEL: func.func @histogram
// CHECK-SAME: %[[X:.*]]: tensor<512xi32>, %[[Y:.*]]: tensor<3x5xi1>, %[[M:.*]]: tensor<3x5xi1>, %[[R:.*]]: tensor<32xi64, #{{.*}}>)
func.func @histogram(%x: tensor<512xi32>, %y: tensor<3x5xi1>, %m: tensor<3x5xi1>, %r: tensor<32xi64, #row>) {
  // CHECK: tile.histogram %[[X]] : tensor<512xi32> -> tensor<17xi32>
  %0 = tile.histogram %x : tensor<512xi32> -> tensor<17xi32>
  // CHECK: tile.histogram %[[Y]], %[[M]] : tensor<3x5xi1>, tensor<3x5xi1> -> tensor<2xi32>
  %1 = tile.histogram %y, %m : tensor<3x5xi1>, tensor<3x5xi1> -> tensor<2xi32>
  // CHECK: tile.histogram %[[R]] : tensor<32xi64, #{{.*}}> -> tensor<64xi32, #{{.*}}>
  %2 = tile.histogram %r : tensor<32xi64, #row> -> tensor<64xi32, #long>
  return
}
