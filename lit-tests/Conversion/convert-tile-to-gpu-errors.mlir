// RUN: mytriton-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(convert-tile-to-gpu)'

func.func @no_layout() attributes {tile.kernel} {
  // expected-error @+1 {{tensor<16xi32> of 'tile.range' has no layout: run tile-assign-layouts first}}
  %r = tile.range 0, 16 : tensor<16xi32>
  return
}

// -----

#row = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>
func.func @unknown(%x: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+1 {{'index.castu' has no form in the gpu stage}}
  %0 = index.castu %x : i32 to index
  return
}

// -----

#lanes = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#back = #tile.layout<{register = [], lane = [[0, 16], [0, 8], [0, 4], [0, 2], [0, 1]], warp = []}>
func.func @other_lanes() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 32 : tensor<32xi32, #lanes>
  // expected-error @+1 {{lane bit 0 of the operand's layout differs from the result's}}
  %e = tile.expand_dims %r, 0 : tensor<32xi32, #lanes> -> tensor<1x32xi32, #back>
  return
}

// -----

#lanes = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @values() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+1 {{a constant tile has the same value everywhere: build others from tile.range}}
  %c = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 32]> : tensor<32xi32, #lanes>
  return
}

// -----

#turned = #tile.layout<{register = [[1, 1]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 1]], warp = []}>
func.func @scan_of_mixed_bits(%x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<8x8xf32, #turned>
  // expected-error @+1 {{a scan along axis 1 takes a layout in which each bit of that coordinate is one bit of the register, lane or warp; register bit 0 is none: convert the layout first}}
  %s = tile.scan %a along 1 : tensor<8x8xf32, #turned> {
  ^bb0(%b: f32, %c: f32):
    %d = arith.addf %b, %c : f32
    tile.yield %d : f32
  }
  return
}

// -----

#rows = #tile.layout<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = []}>
#elsewhere = #tile.layout<{register = [], lane = [[1], [2], [0], [0], [0]], warp = []}>
func.func @result_elsewhere(%x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<4x8xf32, #rows>
  // expected-error @+1 {{lane bit 0 of the operand's layout differs from the result's}}
  %s = tile.reduce %a along 1 : tensor<4x8xf32, #rows> -> tensor<4xf32, #elsewhere> {
  ^bb0(%b: f32, %c: f32):
    %d = arith.addf %b, %c : f32
    tile.yield %d : f32
  }
  return
}

// -----

#half = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [0]], warp = []}>
#pair = #tile.layout<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1]], warp = []}>
func.func @half_elsewhere(%x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %p = tile.splat %x : f32 -> tensor<16x2xf32, #pair>
  // expected-error @+1 {{lane bit 4 of the operand's layout differs from the result's}}
  %a, %b = tile.split %p : tensor<16x2xf32, #pair> -> tensor<16xf32, #half>
  return
}

// -----

#half = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [0]], warp = []}>
#pair = #tile.layout<{register = [[8, 0], [0, 1]], lane = [[1, 0], [2, 0], [4, 0], [0, 0], [0, 0]], warp = []}>
func.func @joined_elsewhere(%x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<16xf32, #half>
  // expected-error @+1 {{lane bit 3 of the operand's layout differs from the result's}}
  %p = tile.join %a, %a : tensor<16xf32, #half> -> tensor<16x2xf32, #pair>
  return
}

// -----

#some = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#bins = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @no_shared_memory(%x: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %v = tile.splat %x : i32 -> tensor<32xi32, #some>
  // expected-error @+1 {{the histogram takes 128 bytes of shared memory: run tile-allocate-shared first}}
  %h = tile.histogram %v : tensor<32xi32, #some> -> tensor<32xi32, #bins>
  return
}

// -----

#some = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#bins = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @less_shared_memory(%x: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.shared_bytes = 64 : i32} {
  %v = tile.splat %x : i32 -> tensor<32xi32, #some>
  // expected-error @+1 {{the histogram takes 128 bytes of shared memory and has been given 64: run tile-allocate-shared again}}
  %h = tile.histogram %v {tile.bytes = 64 : i32, tile.offset = 0 : i32} : tensor<32xi32, #some> -> tensor<32xi32, #bins>
  return
}

// -----

#shared = #tile.shared<{offset = [[1], [2], [4], [8], [16]]}>
func.func @no_place_for_a_buffer() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+1 {{a buffer takes 128 bytes of shared memory: run tile-allocate-shared first}}
  %b = tile.alloc : !tile.buffer<32xf32, #shared>
  return
}
