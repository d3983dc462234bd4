// RUN: not mytriton-opt %s --pass-pipeline='builtin.module(tile-allocate-shared)' 2>&1 | FileCheck %s

#row = #tile.layout<{register = [[128], [256], [512], [1024], [2048], [4096]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
#shared = #tile.shared<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096]]}>

// The error is where most is taken, and lists by what.
// CHECK: tile-allocate-shared-errors.mlir:[[# @LINE + 11]]:8: error: the kernel takes 65536 bytes of shared memory; 49152 are available: use a smaller tile, or fewer at a time
// CHECK-NEXT: 32768 bytes: a buffer of tensor<8192xf32> at {{.*}}tile-allocate-shared-errors.mlir:[[# @LINE + 10]]:8
// CHECK-NEXT: 32768 bytes: a buffer of !tile.buffer<8192xf32> at {{.*}}tile-allocate-shared-errors.mlir:[[# @LINE + 10]]:8
// CHECK-NOT: bytes
func.func @too_much(%x: f32) attributes {tile.kernel} {
  %t = tile.splat %x : f32 -> tensor<8192xf32, #row>
  // Not this one: it is over when the others come.
  %0 = tile.alloc %t : tensor<8192xf32, #row> -> !tile.buffer<8192xf32, #shared>
  %u = tile.local_load %0 : !tile.buffer<8192xf32, #shared> -> tensor<8192xf32, #row>

  // These two.
  %a = tile.alloc %u : tensor<8192xf32, #row> -> !tile.buffer<8192xf32, #shared>
  %b = tile.alloc : !tile.buffer<8192xf32, #shared>
  %v = tile.local_load %a : !tile.buffer<8192xf32, #shared> -> tensor<8192xf32, #row>
  tile.local_store %v, %b : tensor<8192xf32, #row> -> !tile.buffer<8192xf32, #shared>
  return
}
