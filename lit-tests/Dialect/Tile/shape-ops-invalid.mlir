// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

func.func @range_c1_element() {
  // expected-error @+1 {{result #0 must be tile (static tensor of rank 1 to 5) of i32, but got 'tensor<4xi64>'}}
  %0 = tile.range 0, 4 : tensor<4xi64>
  return
}

// -----

func.func @range_c1_scalar() {
  // expected-error @+1 {{'tile.range' op result #0 must be tile (static tensor of rank 1 to 5) of i32, but got 'i32'}}
  %0 = "tile.range"() <{start = 0 : i32, end = 4 : i32}> : () -> i32
  return
}

// -----

func.func @range_c2_rank() {
  // expected-error @+1 {{result must have rank 1, got 'tensor<2x2xi32>'}}
  %0 = tile.range 0, 4 : tensor<2x2xi32>
  return
}

// -----

func.func @range_c3_order() {
  // expected-error @+1 {{start must be less than end, got 4 and 4}}
  %0 = tile.range 4, 4 : tensor<1xi32>
  return
}

// -----

func.func @range_c4_extent() {
  // expected-error @+1 {{result must have end - start = 4 elements, got 8}}
  %0 = tile.range 4, 8 : tensor<8xi32>
  return
}

// -----

func.func @range_c4_no_overflow() {
  // expected-error @+1 {{result must have end - start = 4294967295 elements, got 1}}
  %0 = tile.range -2147483648, 2147483647 : tensor<1xi32>
  return
}

// -----

func.func @splat_c1_source(%t: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be scalar (i1, i8, i16, i32, i64, f16, bf16, f32, f64) or pointer, but got 'tensor<4xf32>'}}
  %0 = tile.splat %t : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @splat_c1_index(%i: index) {
  // expected-error @+1 {{operand #0 must be scalar (i1, i8, i16, i32, i64, f16, bf16, f32, f64) or pointer, but got 'index'}}
  %0 = tile.splat %i : index -> tensor<4xindex>
  return
}

// -----

func.func @splat_c2_result(%x: f32) {
  // expected-error @+1 {{result #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'vector<4xf32>'}}
  %0 = "tile.splat"(%x) : (f32) -> vector<4xf32>
  return
}

// -----

func.func @splat_c3_element(%x: f32) {
  // expected-error @+1 {{result's element type must be the source's type, got 'f16' and 'f32'}}
  %0 = tile.splat %x : f32 -> tensor<4xf16>
  return
}

// -----

func.func @splat_c3_pointee(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{result's element type must be the source's type, got '!tile.ptr<i32>' and '!tile.ptr<f32>'}}
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<4x!tile.ptr<i32>>
  return
}

// -----

func.func @expand_dims_c1_element(%t: tensor<16xi32>) {
  // expected-error @+1 {{source and result must have the same element type, got 'i32' and 'i64'}}
  %0 = tile.expand_dims %t, 0 : tensor<16xi32> -> tensor<1x16xi64>
  return
}

// -----

func.func @expand_dims_c1_scalar(%x: f32) {
  // expected-error @+1 {{operand #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'f32'}}
  %0 = "tile.expand_dims"(%x) <{axis = 0 : i32}> : (f32) -> tensor<1xf32>
  return
}

// -----

func.func @expand_dims_c2_beyond(%t: tensor<16xi32>) {
  // expected-error @+1 {{axis must be between 0 and the source's rank 1, got 2}}
  %0 = tile.expand_dims %t, 2 : tensor<16xi32> -> tensor<16x1xi32>
  return
}

// -----

func.func @expand_dims_c2_negative(%t: tensor<16xi32>) {
  // expected-error @+1 {{axis must be between 0 and the source's rank 1, got -1}}
  %0 = tile.expand_dims %t, -1 : tensor<16xi32> -> tensor<16x1xi32>
  return
}

// -----

func.func @expand_dims_c3_place(%t: tensor<16xi32>) {
  // expected-error @+1 {{result must have shape 16x1, got 1x16}}
  %0 = tile.expand_dims %t, 1 : tensor<16xi32> -> tensor<1x16xi32>
  return
}

// -----

func.func @expand_dims_c3_rank(%t: tensor<16xi32>) {
  // expected-error @+1 {{result must have shape 16x1, got 16}}
  %0 = tile.expand_dims %t, 1 : tensor<16xi32> -> tensor<16xi32>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @expand_dims_c4_layout(%t: tensor<32xi32, #row>) {
  // expected-error @+1 {{source and result must both have a layout or both have none; only the source has}}
  %0 = tile.expand_dims %t, 1 : tensor<32xi32, #row> -> tensor<32x1xi32>
  return
}

// -----

func.func @broadcast_c1_element(%t: tensor<16x1xi32>) {
  // expected-error @+1 {{source and result must have the same element type, got 'i32' and 'f32'}}
  %0 = tile.broadcast %t : tensor<16x1xi32> -> tensor<16x32xf32>
  return
}

// -----

func.func @broadcast_c1_scalar(%x: f32) {
  // expected-error @+1 {{operand #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'f32'}}
  %0 = "tile.broadcast"(%x) : (f32) -> tensor<1xf32>
  return
}

// -----

func.func @broadcast_c2_rank(%t: tensor<32xi32>) {
  // expected-error @+1 {{source and result must have the same rank, got 1 and 2}}
  %0 = tile.broadcast %t : tensor<32xi32> -> tensor<16x32xi32>
  return
}

// -----

func.func @broadcast_c3_not_one(%t: tensor<16x2xi32>) {
  // expected-error @+1 {{can only stretch an extent of 1; dimension 1 goes from 2 to 32}}
  %0 = tile.broadcast %t : tensor<16x2xi32> -> tensor<16x32xi32>
  return
}

// -----

func.func @broadcast_c3_shrink(%t: tensor<16x1xi32>) {
  // expected-error @+1 {{can only stretch an extent of 1; dimension 0 goes from 16 to 1}}
  %0 = tile.broadcast %t : tensor<16x1xi32> -> tensor<1x1xi32>
  return
}

// -----

#rows = #tile.layout<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []}>
func.func @broadcast_c4_layout(%t: tensor<1x32xi32>) {
  // expected-error @+1 {{source and result must both have a layout or both have none; only the result has}}
  %0 = tile.broadcast %t : tensor<1x32xi32> -> tensor<4x32xi32, #rows>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @convert_layout_c1_element(%t: tensor<32xi32, #row>) {
  // expected-error @+1 {{source and result must have the same element type, got 'i32' and 'f32'}}
  %0 = tile.convert_layout %t : tensor<32xi32, #row> -> tensor<32xf32, #row>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#long = #tile.layout<{register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @convert_layout_c1_shape(%t: tensor<32xi32, #row>) {
  // expected-error-re @+1 {{source and result must have the same shape, got 'tensor<32xi32, {{.*}}>' and 'tensor<64xi32, {{.*}}>'}}
  %0 = tile.convert_layout %t : tensor<32xi32, #row> -> tensor<64xi32, #long>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @convert_layout_c2_source(%t: tensor<32xi32>) {
  // expected-error @+1 {{needs a layout on both sides; there is none on 'tensor<32xi32>'}}
  %0 = tile.convert_layout %t : tensor<32xi32> -> tensor<32xi32, #row>
  return
}

// -----

func.func @convert_layout_c2_both(%t: tensor<32xi32>) {
  // expected-error @+1 {{needs a layout on both sides; there is none on 'tensor<32xi32>'}}
  %0 = tile.convert_layout %t : tensor<32xi32> -> tensor<32xi32>
  return
}
