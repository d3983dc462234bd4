// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1_source(%x: tensor<4x!tile.ptr<f32>>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'tile.gather' op operand #0 must be tile (static tensor of rank 1 to 5) of scalars (i1, i8, i16, i32, i64, f16, bf16, f32, f64), but got 'tensor<4x!tile.ptr<f32>>'}}
  %0 = tile.gather %x, %i along 0 : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  return
}

// -----

func.func @gather_c1_index(%x: tensor<4xf32>, %i: tensor<4xi1>) {
  // expected-error @+1 {{'tile.gather' op operand #1 must be tile (static tensor of rank 1 to 5) of integers (i8, i16, i32, i64), but got 'tensor<4xi1>'}}
  %0 = tile.gather %x, %i along 0 : tensor<4xf32>, tensor<4xi1>
  return
}

// -----

func.func @gather_c1_float(%x: tensor<4xf32>, %i: tensor<4xf32>) {
  // expected-error @+1 {{'tile.gather' op operand #1 must be tile (static tensor of rank 1 to 5) of integers (i8, i16, i32, i64), but got 'tensor<4xf32>'}}
  %0 = tile.gather %x, %i along 0 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @gather_c2_axis(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // expected-error @+1 {{'tile.gather' op axis must be between 0 and 1 for a source of rank 2, got 2}}
  %0 = tile.gather %x, %i along 2 : tensor<4x8xf32>, tensor<4x8xi32>
  return
}

// -----

func.func @gather_c2_negative(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'tile.gather' op axis must be between 0 and 0 for a source of rank 1, got -1}}
  %0 = tile.gather %x, %i along -1 : tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @gather_c3_rank(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'tile.gather' op source and index must have the same rank, got 2 and 1}}
  %0 = tile.gather %x, %i along 0 : tensor<4x8xf32>, tensor<4xi32>
  return
}

// -----

func.func @gather_c3_extent(%x: tensor<4x8xf32>, %i: tensor<2x4xi32>) {
  // expected-error @+1 {{'tile.gather' op source and index can differ along axis 0 alone; dimension 1 has extent 8 and 4}}
  %0 = tile.gather %x, %i along 0 : tensor<4x8xf32>, tensor<2x4xi32>
  return
}

// -----

func.func @gather_c4_result(%x: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error @+2 {{'tile.gather' op inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @+1 {{'tile.gather' op failed to infer returned types}}
  %0 = "tile.gather"(%x, %i) <{axis = 0 : i32}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @gather_c5_layout(%x: tensor<32xf32>, %i: tensor<32xi32, #row>) {
  // expected-error @+1 {{'tile.gather' op source and index must both have a layout or both have none; only the index has}}
  %0 = tile.gather %x, %i along 0 : tensor<32xf32>, tensor<32xi32, #row>
  return
}

// -----

func.func @histogram_c1_source(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.histogram' op operand #0 must be tile (static tensor of rank 1 to 5) of integers (i1, i8, i16, i32, i64), but got 'tensor<4xf32>'}}
  %0 = tile.histogram %x : tensor<4xf32> -> tensor<2xi32>
  return
}

// -----

func.func @histogram_c2_mask(%x: tensor<4xi32>, %m: tensor<4xi8>) {
  // expected-error @+1 {{'tile.histogram' op operand #1 must be tile (static tensor of rank 1 to 5) of i1, but got 'tensor<4xi8>'}}
  %0 = tile.histogram %x, %m : tensor<4xi32>, tensor<4xi8> -> tensor<2xi32>
  return
}

// -----

func.func @histogram_c2_shape(%x: tensor<4xi32>, %m: tensor<2x2xi1>) {
  // expected-error @+1 {{'tile.histogram' op mask must have the source's shape and layout, got 'tensor<2x2xi1>' and 'tensor<4xi32>'}}
  %0 = tile.histogram %x, %m : tensor<4xi32>, tensor<2x2xi1> -> tensor<2xi32>
  return
}

// -----

func.func @histogram_c3_element(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tile.histogram' op result #0 must be tile (static tensor of rank 1 to 5) of i32, but got 'tensor<2xi64>'}}
  %0 = tile.histogram %x : tensor<4xi32> -> tensor<2xi64>
  return
}

// -----

func.func @histogram_c3_rank(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tile.histogram' op result must have rank 1, got 'tensor<2x2xi32>'}}
  %0 = tile.histogram %x : tensor<4xi32> -> tensor<2x2xi32>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @histogram_c4_layout(%x: tensor<32xi32, #row>) {
  // expected-error @+1 {{'tile.histogram' op source and result must both have a layout or both have none; only the source has}}
  %0 = tile.histogram %x : tensor<32xi32, #row> -> tensor<32xi32>
  return
}
