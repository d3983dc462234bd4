// RUN: mytriton-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile-allocate-shared)'

#row = #tile.layout<{register = [[32], [64], [128], [256], [512], [1024], [2048], [4096]], lane = [[1], [2], [4], [8], [16]], warp = []}>
#some = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @gather_of_too_much(%x: f64, %i: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %v = tile.splat %x : f64 -> tensor<8000xf64, #row>
  %at = tile.splat %i : i32 -> tensor<32xi32, #some>
  // expected-error @+1 {{the kernel takes 64000 bytes of shared memory; 49152 are available: use a smaller tile, or fewer at a time}}
  %r = tile.gather %v, %at along 0 : tensor<8000xf64, #row>, tensor<32xi32, #some>
  return
}

// -----

#some = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#bins = #tile.layout<{register = [[32], [64], [128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @histogram_of_too_many_bins(%x: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %v = tile.splat %x : i32 -> tensor<32xi32, #some>
  // expected-error @+1 {{the kernel takes 65536 bytes of shared memory; 49152 are available: use a smaller tile, or fewer at a time}}
  %h = tile.histogram %v : tensor<32xi32, #some> -> tensor<16384xi32, #bins>
  return
}

// -----

// What an operation takes follows from its plan: one that its layouts do not allow is an error here, before it is lowered.
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
