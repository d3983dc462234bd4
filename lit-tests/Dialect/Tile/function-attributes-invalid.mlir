// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{a kernel must not have results; it has 1}}
func.func @kernel_results(%a: i32) -> i32 attributes {tile.kernel} {
  return %a : i32
}

// -----

// expected-error @+1 {{a kernel must have a body}}
func.func private @kernel_body() attributes {tile.kernel}

// -----

// expected-error @+1 {{kernel argument #1 must be a scalar (i1, i8, i16, i32, i64, f16, bf16, f32, f64) or a !tile.ptr, got 'index'}}
func.func @kernel_index(%a: i32, %b: index) attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{kernel argument #0 must be a scalar (i1, i8, i16, i32, i64, f16, bf16, f32, f64) or a !tile.ptr, got 'tensor<4xf32>'}}
func.func @kernel_tensor(%a: tensor<4xf32>) attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{tile.kernel must be a unit attribute, got true}}
func.func @kernel_value() attributes {tile.kernel = true} {
  return
}

// -----

// expected-error @+1 {{tile.kernel belongs on a func.func}}
module attributes {tile.kernel} {}

// -----

// expected-error @+1 {{tile.num_warps must be a power of two of at least 1, got 3}}
func.func @num_warps_three() attributes {tile.num_warps = 3 : i32} {
  return
}

// -----

// expected-error @+1 {{tile.num_warps must be a power of two of at least 1, got 0}}
func.func @num_warps_zero() attributes {tile.num_warps = 0 : i32} {
  return
}

// -----

// expected-error @+1 {{tile.num_warps must be at most 32, got 64}}
func.func @num_warps_many() attributes {tile.num_warps = 64 : i32} {
  return
}

// -----

// expected-error @+1 {{tile.num_warps must be an i32, got 4 : i64}}
func.func @num_warps_type() attributes {tile.num_warps = 4} {
  return
}

// -----

// expected-error @+1 {{tile.num_warps belongs on a function}}
module attributes {tile.num_warps = 4 : i32} {}

// -----

#one_warp = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @num_warps_against_layout() attributes {tile.num_warps = 4 : i32} {
  // expected-error @+1 {{layout has 0 warp bases, but the function has tile.num_warps = 4, which takes 2}}
  %r = tile.range 0, 32 : tensor<32xi32, #one_warp>
  return
}

// -----

// expected-error @+1 {{tile.divisibility must be a power of two of at least 1, got 12}}
func.func @divisibility_twelve(%n: i32 {tile.divisibility = 12 : i32}) {
  return
}

// -----

// expected-error @+1 {{tile.divisibility must be a power of two of at least 1, got -16}}
func.func @divisibility_negative(%n: i32 {tile.divisibility = -16 : i32}) {
  return
}

// -----

// expected-error @+1 {{tile.divisibility must be an i32, got "16"}}
func.func @divisibility_type(%n: i32 {tile.divisibility = "16"}) {
  return
}

// -----

// expected-error @+1 {{tile.divisibility needs an integer or pointer argument; argument #1 has type 'f32'}}
func.func @divisibility_float(%n: i32, %x: f32 {tile.divisibility = 16 : i32}) {
  return
}

// -----

// expected-error @+1 {{tile.divisibility needs an integer or pointer argument; argument #0 has type 'i1'}}
func.func @divisibility_bool(%b: i1 {tile.divisibility = 16 : i32}) {
  return
}

// -----

// expected-error @+1 {{tile.divisibility belongs on a function argument}}
func.func @divisibility_on_function() attributes {tile.divisibility = 16 : i32} {
  return
}

// -----

// expected-error @+1 {{unknown attribute tile.divisibilty on argument #0; the tile dialect has tile.divisibility and tile.name}}
func.func @misspelt_argument(%n: i32 {tile.divisibilty = 16 : i32}) {
  return
}

// -----

// expected-error @+1 {{"tile.compute_capability" must be an i32 that is not negative, got "sm_90"}}
func.func @capability_by_name() attributes {tile.compute_capability = "sm_90"} {
  return
}

// -----

// expected-error @+1 {{unknown attribute tile.warps; the tile dialect has tile.kernel, tile.num_warps, tile.shared_bytes, tile.shared_limit, tile.compute_capability, tile.offset, tile.bytes and tile.within_warps for operations}}
func.func @misspelt_function() attributes {tile.warps = 4 : i32} {
  return
}

// -----

// expected-error @+1 {{tile.name is a string, not 3 : i32}}
func.func @name_of_another_kind(%x: i32 {tile.name = 3 : i32}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{tile.name belongs on a function argument}}
func.func @name_of_the_function() attributes {tile.kernel, tile.name = "f"} {
  return
}
