// RUN: not mytriton-opt %s --pass-pipeline='builtin.module(tile-allocate-shared)' 2>&1 | FileCheck %s

#row = #tile.layout<{register = [[128], [256], [512], [1024], [2048], [4096]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
#part = #tile.layout<{register = [[128], [256], [512], [1024]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
#shared = #tile.shared<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096]]}>
#part_shared = #tile.shared<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024]]}>

// A small buffer between two pairs of large ones lies behind both: more is taken than lives at any time.
// CHECK: error: the kernel takes 73728 bytes of shared memory; 49152 are available: use a smaller tile, or fewer at a time
// CHECK-NEXT: 32768 bytes: a buffer of tensor<8192xf32> at
// CHECK-NEXT: 32768 bytes: a buffer of tensor<8192xf32> at
// CHECK-NEXT: 8192 bytes: gaps between them, and what lives at other times
func.func @gaps(%x: f32) attributes {tile.kernel} {
  %t = tile.splat %x : f32 -> tensor<8192xf32, #row>
  %s = tile.splat %x : f32 -> tensor<2048xf32, #part>
  %a = tile.alloc %t : tensor<8192xf32, #row> -> !tile.buffer<8192xf32, #shared>
  %b = tile.alloc %t : tensor<8192xf32, #row> -> !tile.buffer<8192xf32, #shared>
  %va = tile.local_load %a : !tile.buffer<8192xf32, #shared> -> tensor<8192xf32, #row>
  %c = tile.alloc %s : tensor<2048xf32, #part> -> !tile.buffer<2048xf32, #part_shared>
  %vb = tile.local_load %b : !tile.buffer<8192xf32, #shared> -> tensor<8192xf32, #row>
  %d = tile.alloc %t : tensor<8192xf32, #row> -> !tile.buffer<8192xf32, #shared>
  %vc = tile.local_load %c : !tile.buffer<2048xf32, #part_shared> -> tensor<2048xf32, #part>
  %vd = tile.local_load %d : !tile.buffer<8192xf32, #shared> -> tensor<8192xf32, #row>
  return
}
