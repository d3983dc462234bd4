// RUN: mytriton-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile-assign-layouts)'

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @again() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+1 {{has a layout already: this pass starts from tiles without}}
  %r = tile.range 0, 32 : tensor<32xi32, #row>
  return
}

// -----

func.func @unknown() attributes {tile.kernel} {
  // expected-error @+1 {{the layout passes do not know 'gpu.lane_id'}}
  %r = gpu.lane_id
  return
}

// -----

func.func @values(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  // expected-error @+1 {{a constant tile has the same value everywhere: build others from tile.range}}
  %c = arith.constant dense<[1, 2]> : tensor<2xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>>
  tile.store %ps, %c : tensor<2x!tile.ptr<i32>>
  return
}
