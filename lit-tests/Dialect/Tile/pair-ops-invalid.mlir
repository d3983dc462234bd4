// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

func.func @join_c1_operands(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @+1 {{'tile.join' op requires all operands to have the same type}}
  %0 = "tile.join"(%a, %b) : (tensor<4xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @join_c1_index(%a: index) {
  // expected-error @+1 {{'tile.join' op operand #0 must be scalar or pointer or a tile of them, but got 'index'}}
  %0 = tile.join %a, %a : index -> tensor<2xindex>
  return
}

// -----

func.func @join_c2_element(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tile.join' op source and result must have the same element type, got 'f32' and 'i32'}}
  %0 = tile.join %a, %a : tensor<4xf32> -> tensor<4x2xi32>
  return
}

// -----

func.func @join_c2_scalar(%a: f32) {
  // expected-error @+1 {{'tile.join' op result #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'f32'}}
  %0 = "tile.join"(%a, %a) : (f32, f32) -> f32
  return
}

// -----

func.func @join_c2_rank(%a: tensor<2x2x2x2x2xf32>) {
  // expected-error @+1 {{'tile.join' op result #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'tensor<2x2x2x2x2x2xf32>'}}
  %0 = tile.join %a, %a : tensor<2x2x2x2x2xf32> -> tensor<2x2x2x2x2x2xf32>
  return
}

// -----

func.func @join_c3_shape(%a: tensor<4x3xf32>) {
  // expected-error @+1 {{'tile.join' op result must have shape 4x3x2, got 2x4x3}}
  %0 = tile.join %a, %a : tensor<4x3xf32> -> tensor<2x4x3xf32>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @join_c4_layout(%a: tensor<32xf32, #row>) {
  // expected-error @+1 {{'tile.join' op source and result must both have a layout or both have none; only the source has}}
  %0 = tile.join %a, %a : tensor<32xf32, #row> -> tensor<32x2xf32>
  return
}

// -----

func.func @split_c1_extent(%a: tensor<2x4xf32>) {
  // expected-error @+1 {{'tile.split' op source's last extent must be 2, got 'tensor<2x4xf32>'}}
  %0, %1 = tile.split %a : tensor<2x4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @split_c1_scalar(%a: f32) {
  // expected-error @+1 {{'tile.split' op operand #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'f32'}}
  %0, %1 = "tile.split"(%a) : (f32) -> (f32, f32)
  return
}

// -----

func.func @split_c2_types(%a: tensor<4x2xf32>) {
  // expected-error @+1 {{'tile.split' op failed to verify that all of {first, second} have same type}}
  %0, %1 = "tile.split"(%a) : (tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

func.func @split_c2_element(%a: tensor<4x2xf32>) {
  // expected-error @+1 {{'tile.split' op source and result must have the same element type, got 'f32' and 'f64'}}
  %0, %1 = tile.split %a : tensor<4x2xf32> -> tensor<4xf64>
  return
}

// -----

func.func @split_c3_shape(%a: tensor<3x4x2xf32>) {
  // expected-error @+1 {{'tile.split' op result must have shape 3x4, got 4x3}}
  %0, %1 = tile.split %a : tensor<3x4x2xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @split_c3_scalar(%a: tensor<2xf32>) {
  // expected-error @+1 {{'tile.split' op result must be a scalar, got 1}}
  %0, %1 = tile.split %a : tensor<2xf32> -> tensor<1xf32>
  return
}

// -----

func.func @split_c3_tile(%a: tensor<3x2xf32>) {
  // expected-error @+1 {{'tile.split' op result must have shape 3, got a scalar}}
  %0, %1 = tile.split %a : tensor<3x2xf32> -> f32
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @split_c4_layout(%a: tensor<32x2xf32>) {
  // expected-error @+1 {{'tile.split' op source and result must both have a layout or both have none; only the result has}}
  %0, %1 = tile.split %a : tensor<32x2xf32> -> tensor<32xf32, #row>
  return
}
