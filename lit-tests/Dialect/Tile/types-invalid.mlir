// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

// PtrType constraint 1.
// expected-error @+1 {{pointee must be one of i1, i8, i16, i32, i64, f16, bf16, f32, f64, got 'index'}}
func.func private @ptr_c1_index(!tile.ptr<index>)

// -----

// expected-error @+1 {{pointee must be one of i1, i8, i16, i32, i64, f16, bf16, f32, f64, got 'i7'}}
func.func private @ptr_c1_odd_width(!tile.ptr<i7>)

// -----

// expected-error @+1 {{pointee must be one of i1, i8, i16, i32, i64, f16, bf16, f32, f64, got 'si32'}}
func.func private @ptr_c1_signed(!tile.ptr<si32>)

// -----

// expected-error @+1 {{got '!tile.ptr<f32>'}}
func.func private @ptr_c1_pointer(!tile.ptr<!tile.ptr<f32>>)

// -----

// expected-error @+1 {{got 'tensor<4xf32>'}}
func.func private @ptr_c1_tensor(!tile.ptr<tensor<4xf32>>)

// -----

// What is no tile: more than five dimensions,
func.func @tile_rank_6(%s: f32) {
  // expected-error @+1 {{result #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'tensor<1x1x1x1x1x4xf32>'}}
  %t = tile.splat %s : f32 -> tensor<1x1x1x1x1x4xf32>
  return
}

// -----

// none,
func.func @tile_rank_0(%s: f32) {
  // expected-error @+1 {{result #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'tensor<f32>'}}
  %t = tile.splat %s : f32 -> tensor<f32>
  return
}

// -----

// a dynamic extent,
func.func @tile_dynamic(%s: f32) {
  // expected-error @+1 {{result #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'tensor<?xf32>'}}
  %t = tile.splat %s : f32 -> tensor<?xf32>
  return
}

// -----

// no elements,
func.func @tile_empty(%s: f32) {
  // expected-error @+1 {{result #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'tensor<4x0xf32>'}}
  %t = tile.splat %s : f32 -> tensor<4x0xf32>
  return
}

// -----

// an encoding that is no layout.
func.func @tile_other_encoding(%s: f32) {
  // expected-error @+1 {{result #0 must be tile (static tensor of rank 1 to 5) of scalars or pointers, but got 'tensor<4xf32, "mine">'}}
  %t = tile.splat %s : f32 -> tensor<4xf32, "mine">
  return
}
