// RUN: mytriton-opt %s --pass-pipeline='builtin.module(tile-allocate-shared)' | FileCheck %s

#rows_32x32 = #tile.layout<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#columns_32x32 = #tile.layout<{register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]}>
#rows_16x32 = #tile.layout<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]}>
#columns_16x32 = #tile.layout<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]}>
#rows_16x8 = #tile.layout<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]}>
#columns_16x8 = #tile.layout<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], warp = [[0, 2], [0, 4]]}>
#long = #tile.layout<{register = [[128], [256], [512], [1024], [2048], [4096]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
#half = #tile.layout<{register = [[128], [256], [512], [1024], [2048]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
#long_shared = #tile.shared<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096]]}>
#half_shared = #tile.shared<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>

// Small uses take turns as long as the kernel then takes no more than a block has: here all of it, and no byte more.
// CHECK-LABEL: func.func @all_that_there_is
// CHECK-SAME: tile.shared_bytes = 49152 : i32
// CHECK: tile.convert_layout {{.*}}tile.bytes = 4096 : i32, tile.offset = 0 : i32
// CHECK: tile.convert_layout {{.*}}tile.bytes = 4096 : i32, tile.offset = 4096 : i32
// CHECK: tile.convert_layout {{.*}}tile.bytes = 2048 : i32, tile.offset = 47104 : i32
func.func @all_that_there_is(%x: f32) attributes {tile.kernel} {
  %t32x32 = tile.splat %x : f32 -> tensor<32x32xf32, #rows_32x32>
  %t16x32 = tile.splat %x : f32 -> tensor<16x32xf32, #rows_16x32>
  %t16x8 = tile.splat %x : f32 -> tensor<16x8xf32, #rows_16x8>
  %l = tile.splat %x : f32 -> tensor<8192xf32, #long>
  %m = tile.splat %x : f32 -> tensor<4096xf32, #half>
  %c0 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c1 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c2 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c3 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c4 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c5 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c6 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c7 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c8 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c9 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c10 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c11 = tile.convert_layout %t16x32 : tensor<16x32xf32, #rows_16x32> -> tensor<16x32xf32, #columns_16x32>
  %c12 = tile.convert_layout %t16x32 : tensor<16x32xf32, #rows_16x32> -> tensor<16x32xf32, #columns_16x32>
  %a = tile.alloc %l : tensor<8192xf32, #long> -> !tile.buffer<8192xf32, #long_shared>
  %b = tile.alloc %m : tensor<4096xf32, #half> -> !tile.buffer<4096xf32, #half_shared>
  %v = tile.local_load %a : !tile.buffer<8192xf32, #long_shared> -> tensor<8192xf32, #long>
  %w = tile.local_load %b : !tile.buffer<4096xf32, #half_shared> -> tensor<4096xf32, #half>
  return
}

// Another turn would go beyond that: each use lies where it takes least.
// CHECK-LABEL: func.func @more_than_there_is
// CHECK-SAME: tile.shared_bytes = 49152 : i32
// CHECK-COUNT-11: tile.convert_layout {{.*}}tile.bytes = 4096 : i32, tile.offset = 0 : i32
// CHECK-COUNT-2: tile.convert_layout {{.*}}tile.bytes = 2048 : i32, tile.offset = 0 : i32
// CHECK: tile.convert_layout {{.*}}tile.bytes = 512 : i32, tile.offset = 0 : i32
func.func @more_than_there_is(%x: f32) attributes {tile.kernel} {
  %t32x32 = tile.splat %x : f32 -> tensor<32x32xf32, #rows_32x32>
  %t16x32 = tile.splat %x : f32 -> tensor<16x32xf32, #rows_16x32>
  %t16x8 = tile.splat %x : f32 -> tensor<16x8xf32, #rows_16x8>
  %l = tile.splat %x : f32 -> tensor<8192xf32, #long>
  %m = tile.splat %x : f32 -> tensor<4096xf32, #half>
  %c0 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c1 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c2 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c3 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c4 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c5 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c6 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c7 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c8 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c9 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c10 = tile.convert_layout %t32x32 : tensor<32x32xf32, #rows_32x32> -> tensor<32x32xf32, #columns_32x32>
  %c11 = tile.convert_layout %t16x32 : tensor<16x32xf32, #rows_16x32> -> tensor<16x32xf32, #columns_16x32>
  %c12 = tile.convert_layout %t16x32 : tensor<16x32xf32, #rows_16x32> -> tensor<16x32xf32, #columns_16x32>
  %c13 = tile.convert_layout %t16x8 : tensor<16x8xf32, #rows_16x8> -> tensor<16x8xf32, #columns_16x8>
  %a = tile.alloc %l : tensor<8192xf32, #long> -> !tile.buffer<8192xf32, #long_shared>
  %b = tile.alloc %m : tensor<4096xf32, #half> -> !tile.buffer<4096xf32, #half_shared>
  %v = tile.local_load %a : !tile.buffer<8192xf32, #long_shared> -> tensor<8192xf32, #long>
  %w = tile.local_load %b : !tile.buffer<4096xf32, #half_shared> -> tensor<4096xf32, #half>
  return
}
