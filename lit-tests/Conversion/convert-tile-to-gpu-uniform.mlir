// Integers, masks and addresses of a thread's registers that follow from one another are computed once.

// RUN: mytriton-opt %s --pass-pipeline='builtin.module(convert-tile-to-gpu,gpu.module(canonicalize,cse))' | FileCheck %s

// Four neighbours, twice, 512 elements apart.
#far = #tile.layout<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>
// What is one register further has lane bits changed too.
#mixed = #tile.layout<{register = [[1], [130]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]}>

// One comparison for each four neighbours; the second four are at a constant distance of 512 elements.
// CHECK-LABEL: gpu.func @masked
// CHECK-DAG: arith.constant dense<[0, 4, 8, 12, 2048, 2052, 2056, 2060]> : vector<8xi64>
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK-NOT: arith.cmpi
// CHECK: arith.muli %{{.*}}, %{{.*}} : vector<1xi64>
// CHECK-COUNT-2: ld.global.v4.b32
// CHECK-NOT: ld.global
func.func @masked(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>, %n: i32 {tile.divisibility = 4 : i32})
    attributes {tile.kernel} {
  %r = tile.range 0, 1024 : tensor<1024xi32, #far>
  %ns = tile.splat %n : i32 -> tensor<1024xi32, #far>
  %m = arith.cmpi slt, %r, %ns : tensor<1024xi32, #far>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #far>
  %at = tile.addptr %ps, %r : tensor<1024x!tile.ptr<f32>, #far>, tensor<1024xi32, #far>
  %v = tile.load %at, %m : tensor<1024x!tile.ptr<f32>, #far>
  tile.store %at, %v : tensor<1024x!tile.ptr<f32>, #far>
  return
}

// Where nothing is known of n, nor of where offsets begin, each is computed.
// CHECK-LABEL: gpu.func @unknown
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK: arith.muli %{{.*}}, %{{.*}} : vector<8xi64>
func.func @unknown(%p: !tile.ptr<f32>, %s: i32, %n: i32) attributes {tile.kernel} {
  %r = tile.range 0, 1024 : tensor<1024xi32, #far>
  %ss = tile.splat %s : i32 -> tensor<1024xi32, #far>
  %i = arith.addi %ss, %r : tensor<1024xi32, #far>
  %ns = tile.splat %n : i32 -> tensor<1024xi32, #far>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #far>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #far>
  %at = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>, #far>, tensor<1024xi32, #far>
  %v = tile.load %at, %m : tensor<1024x!tile.ptr<f32>, #far>
  tile.store %at, %v : tensor<1024x!tile.ptr<f32>, #far>
  return
}

// Offsets that begin at a multiple of 16 do not overflow among 16: neighbours are at constant distances, the second four
// may not be.
// CHECK-LABEL: gpu.func @aligned_start
// CHECK-DAG: arith.constant dense<[0, 4, 8, 12, 0, 4, 8, 12]> : vector<8xi64>
// CHECK: arith.muli %{{.*}}, %{{.*}} : vector<2xi64>
func.func @aligned_start(%p: !tile.ptr<f32>, %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 0, 1024 : tensor<1024xi32, #far>
  %ss = tile.splat %s : i32 -> tensor<1024xi32, #far>
  %i = arith.addi %ss, %r : tensor<1024xi32, #far>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #far>
  %at = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>, #far>, tensor<1024xi32, #far>
  %v = tile.load %at : tensor<1024x!tile.ptr<f32>, #far>
  tile.store %at, %v : tensor<1024x!tile.ptr<f32>, #far>
  return
}

// Exclusive or is no sum where a warp decides the same bit: only neighbours are at a constant distance.
// CHECK-LABEL: gpu.func @mixed
// CHECK-DAG: arith.constant dense<[0, 4, 0, 4]> : vector<4xi64>
// CHECK: arith.muli %{{.*}}, %{{.*}} : vector<2xi64>
func.func @mixed(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0, 256 : tensor<256xi32, #mixed>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #mixed>
  %at = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>, #mixed>, tensor<256xi32, #mixed>
  %v = tile.load %at : tensor<256x!tile.ptr<f32>, #mixed>
  tile.store %at, %v : tensor<256x!tile.ptr<f32>, #mixed>
  return
}

// An i8 overflows in the middle of a long run: 0 to 127, then -128. Groups of 128 are below 0 or not.
// CHECK-LABEL: gpu.func @narrow
// CHECK: arith.trunci %{{.*}} : vector<8xi32> to vector<8xi8>
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : vector<2xi8>
func.func @narrow(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0, 1024 : tensor<1024xi32, #far>
  %b = arith.trunci %r : tensor<1024xi32, #far> to tensor<1024xi8, #far>
  %zero = arith.constant dense<0> : tensor<1024xi8, #far>
  %m = arith.cmpi slt, %b, %zero : tensor<1024xi8, #far>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #far>
  %v = tile.load %ps, %m : tensor<1024x!tile.ptr<f32>, #far>
  tile.store %ps, %v : tensor<1024x!tile.ptr<f32>, #far>
  return
}
