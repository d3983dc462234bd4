// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

func.func @reduce_c1_number() {
  // expected-error @+1 {{'tile.reduce' op takes 1 to 4 operands, got 0}}
  "tile.reduce"() <{axis = 0 : i32}> ({
    "tile.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @reduce_c1_shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{operands must have the same shape and layout; operand #1 has type 'tensor<4xf32>', operand #0 has type 'tensor<8xf32>'}}
  %0:2 = tile.reduce %x, %y along 0 : tensor<8xf32>, tensor<4xf32> -> f32, f32 {
  ^bb0(%a: f32, %ay: f32, %b: f32, %by: f32):
    tile.yield %a, %ay : f32, f32
  }
  return
}

// -----

func.func @reduce_c1_pointers(%x: tensor<8x!tile.ptr<f32>>) {
  // expected-error @+1 {{operand #0 must be variadic of tile (static tensor of rank 1 to 5) of scalars}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8x!tile.ptr<f32>>) -> f32
  return
}

// -----

func.func @reduce_c2_axis(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{axis must be between 0 and 1 for operands of rank 2, got 2}}
  %0 = tile.reduce %x along 2 : tensor<8x4xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c3_number(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{has 1 operands and 2 results; there must be one for each}}
  %0:2 = tile.reduce %x along 0 : tensor<8x4xf32> -> tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c3_shape(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{result #0 must be 'tensor<4xf32>', operand #0 without axis 0, got 'tensor<8xf32>'}}
  %0 = tile.reduce %x along 0 : tensor<8x4xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c3_scalar(%x: tensor<8xf32>) {
  // expected-error @+1 {{result #0 must be 'f32', operand #0 without axis 0, got 'f64'}}
  %0 = tile.reduce %x along 0 : tensor<8xf32> -> f64 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

#rows = #tile.layout<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []}>
func.func @reduce_c4_layout(%x: tensor<4x32xf32, #rows>) {
  // expected-error @+1 {{operands and results must all have a layout or none; only the operands have}}
  %0 = tile.reduce %x along 1 : tensor<4x32xf32, #rows> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c5_arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{region must take 2 arguments for each operand, 2 in all, got 1}}
  %0 = tile.reduce %x along 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c5_type(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{region's argument #1 must have type 'i32', that of the elements of operand #1, got 'f32'}}
  %0:2 = tile.reduce %x, %i along 0 : tensor<8xf32>, tensor<8xi32> -> f32, i32 {
  ^bb0(%a: f32, %b: f32, %ai: i32, %bi: i32):
    tile.yield %a, %ai : f32, i32
  }
  return
}

// -----

func.func @reduce_c5_yield(%x: tensor<8xf32>) {
  %0 = tile.reduce %x along 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %less = arith.cmpf olt, %a, %b : f32
    // expected-error @+1 {{must yield ('f32'), the element types of 'tile.reduce', got ('i1')}}
    tile.yield %less : i1
  }
  return
}

// -----

func.func @reduce_c6_operation(%x: tensor<8xi32>) {
  %0 = tile.reduce %x along 0 : tensor<8xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    // expected-error @+1 {{'tile.program_id' op cannot stand in the region of 'tile.reduce', which combines scalars by operations of arith and math alone}}
    %c = tile.program_id x : i32
    tile.yield %c : i32
  }
  return
}

// -----

func.func @reduce_c6_tiles(%x: tensor<8xf32>) {
  %0 = tile.reduce %x along 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{has the type 'tensor<4xf32>'; the region of 'tile.reduce' combines scalars}}
    %c = arith.constant dense<1.0> : tensor<4xf32>
    tile.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c6_load(%x: tensor<8xi64>) {
  %0 = tile.reduce %x along 0 : tensor<8xi64> -> i64 {
  ^bb0(%a: i64, %b: i64):
    %p = builtin.unrealized_conversion_cast %a : i64 to !tile.ptr<i64>
    // expected-error @-1 {{cannot stand in the region of 'tile.reduce', which combines scalars by operations of arith and math alone}}
    %c = tile.load %p : !tile.ptr<i64>
    tile.yield %c : i64
  }
  return
}

// -----

func.func @reduce_c6_branch(%x: tensor<8xf32>) {
  %0 = tile.reduce %x along 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %less = arith.cmpf olt, %a, %b : f32
    // expected-error @+1 {{'scf.if' op cannot stand in the region of 'tile.reduce', which combines scalars by operations of arith and math alone}}
    %c = scf.if %less -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %b : f32
    }
    tile.yield %c : f32
  }
  return
}

// -----

func.func @reduce_c6_no_yield(%x: tensor<8xf32>) {
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{block with no terminator}}
    %c = arith.addf %a, %b : f32
  }) : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @reduce_c7_difference(%x: tensor<8xf32>) {
  %0 = tile.reduce %x along 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{'arith.subf' op of the two elements is not associative; the region of 'tile.reduce' may be applied in any order, to (a, b), c or to a, (b, c)}}
    %c = arith.subf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// -----

func.func @reduce_c7_second_operand(%x: tensor<8xi32>, %y: tensor<8xi64>) {
  %0:2 = tile.reduce %x, %y along 0 : tensor<8xi32>, tensor<8xi64> -> i32, i64 {
  ^bb0(%a: i32, %c: i64, %b: i32, %d: i64):
    %e = arith.addi %a, %b : i32
    // expected-error @+1 {{'tile.shl' op of the two elements is not associative}}
    %f = tile.shl %d, %c : i64
    tile.yield %e, %f : i32, i64
  }
  return
}

// -----

func.func @reduce_isolated(%x: tensor<8xf32>, %y: f32) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = tile.reduce %x along 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{using value defined outside the region}}
    %c = arith.addf %a, %y : f32
    tile.yield %c : f32
  }
  return
}

// -----

func.func @scan_c2_axis(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.scan' op axis must be between 0 and 0 for operands of rank 1, got -1}}
  %0 = tile.scan %x along -1 : tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scan_c3_types(%x: tensor<8xf32>) {
  // expected-error @+2 {{'tile.scan' op inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<8xf64>'}}
  // expected-error @+1 {{'tile.scan' op failed to infer returned types}}
  %0 = "tile.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf64>
  return
}

// -----

func.func @scan_c5_operation(%x: tensor<8xf32>) {
  %0 = tile.scan %x along 0 : tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{'gpu.barrier' op cannot stand in the region of 'tile.scan', which combines scalars by operations of arith and math alone}}
    gpu.barrier
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scan_c6_function(%x: tensor<8xf32>) {
  %0 = tile.scan %x along 0 : tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{'tile.binary_function' op of the two elements is not associative; the region of 'tile.scan' may be applied in any order, to (a, b), c or to a, (b, c)}}
    %c = tile.binary_function "fdim" %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// -----

func.func @scan_c6_power(%x: tensor<8xf32>) {
  %0 = tile.scan %x along 0 : tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{'math.powf' op of the two elements is not associative; the region of 'tile.scan' may be applied in any order, to (a, b), c or to a, (b, c)}}
    %c = math.powf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// -----

func.func @yield_c1_parent(%x: f32) {
  // expected-error @+1 {{'tile.yield' op expects parent op to be one of 'tile.reduce, tile.scan'}}
  tile.yield %x : f32
}

// -----

func.func @reshape_c1_element(%x: tensor<8xf32>) {
  // expected-error @+1 {{source and result must have the same element type, got 'f32' and 'i32'}}
  %0 = tile.reshape %x : tensor<8xf32> -> tensor<8xi32>
  return
}

// -----

func.func @reshape_c2_elements(%x: tensor<8xf32>) {
  // expected-error @+1 {{source and result must have the same number of elements, got 8 and 9}}
  %0 = tile.reshape %x : tensor<8xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @reshape_c2_scalar(%x: tensor<8xf32>) {
  // expected-error @+1 {{source and result must have the same number of elements, got 8 and 1}}
  %0 = tile.reshape %x : tensor<8xf32> -> f32
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @reshape_c3_layout(%x: tensor<32xf32, #row>) {
  // expected-error @+1 {{source and result must both have a layout or both have none; only the source has}}
  %0 = tile.reshape %x : tensor<32xf32, #row> -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_c2_twice(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{permutation must name each of the source's 2 dimensions once, got [1, 1]}}
  %0 = tile.transpose %x, [1, 1] : tensor<8x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @transpose_c2_missing(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{permutation must name each of the source's 2 dimensions once, got [0]}}
  %0 = tile.transpose %x, [0] : tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @transpose_c3_shape(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{result must have shape 4x8, got 8x4}}
  %0 = tile.transpose %x, [1, 0] : tensor<8x4xf32> -> tensor<8x4xf32>
  return
}
