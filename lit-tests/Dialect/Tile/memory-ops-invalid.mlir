// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

func.func @addptr_c1_pointer(%i: i64, %j: i32) {
  // expected-error @+1 {{operand #0 must be pointer (!tile.ptr) or a tile of them, but got 'i64'}}
  %0 = "tile.addptr"(%i, %j) : (i64, i32) -> i64
  return
}

// -----

func.func @addptr_c2_bool(%p: !tile.ptr<f32>, %b: i1) {
  // expected-error @+1 {{operand #1 must be integer (i8, i16, i32, i64) or a tile of them, but got 'i1'}}
  %0 = tile.addptr %p, %b : !tile.ptr<f32>, i1
  return
}

// -----

func.func @addptr_c2_float(%p: tensor<4x!tile.ptr<f32>>, %x: tensor<4xf32>) {
  // expected-error @+1 {{operand #1 must be integer (i8, i16, i32, i64) or a tile of them, but got 'tensor<4xf32>'}}
  %0 = tile.addptr %p, %x : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}

// -----

func.func @addptr_c3_shape(%p: tensor<4x!tile.ptr<f32>>, %i: tensor<8xi32>) {
  // expected-error @+1 {{pointer and offset must have the same shape and layout, got 'tensor<4x!tile.ptr<f32>>' and 'tensor<8xi32>'}}
  %0 = tile.addptr %p, %i : tensor<4x!tile.ptr<f32>>, tensor<8xi32>
  return
}

// -----

func.func @addptr_c3_scalar_and_tile(%p: !tile.ptr<f32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{pointer and offset must have the same shape and layout, got '!tile.ptr<f32>' and 'tensor<8xi32>'}}
  %0 = tile.addptr %p, %i : !tile.ptr<f32>, tensor<8xi32>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#reversed = #tile.layout<{register = [], lane = [[16], [8], [4], [2], [1]], warp = []}>
func.func @addptr_c3_layout(%p: tensor<32x!tile.ptr<f32>, #row>, %i: tensor<32xi32, #reversed>) {
  // expected-error @+1 {{pointer and offset must have the same shape and layout}}
  %0 = tile.addptr %p, %i : tensor<32x!tile.ptr<f32>, #row>, tensor<32xi32, #reversed>
  return
}

// -----

func.func @addptr_c4_result(%p: !tile.ptr<f32>, %i: i32) {
  // expected-error @+1 {{result must have type '!tile.ptr<f32>' to match the pointer, got '!tile.ptr<i32>'}}
  %0 = "tile.addptr"(%p, %i) : (!tile.ptr<f32>, i32) -> !tile.ptr<i32>
  return
}

// -----

func.func @ptr_to_int_c1_pointer(%i: i64) {
  // expected-error @+1 {{operand #0 must be pointer (!tile.ptr) or a tile of them, but got 'i64'}}
  %0 = "tile.ptr_to_int"(%i) : (i64) -> i64
  return
}

// -----

func.func @ptr_to_int_c2_element(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{result #0 must be i64 or a tile of them, but got 'i32'}}
  %0 = "tile.ptr_to_int"(%p) : (!tile.ptr<f32>) -> i32
  return
}

// -----

func.func @ptr_to_int_c2_shape(%p: tensor<4x!tile.ptr<f32>>) {
  // expected-error @+1 {{result must have type 'tensor<4xi64>' to match the pointer, got 'i64'}}
  %0 = "tile.ptr_to_int"(%p) : (tensor<4x!tile.ptr<f32>>) -> i64
  return
}

// -----

func.func @load_c1_pointer(%t: tensor<4xi64>) {
  // expected-error @+1 {{expected a !tile.ptr or a tensor of them, got 'tensor<4xi64>'}}
  %0 = tile.load %t : tensor<4xi64>
  return
}

// -----

func.func @load_c1_generic(%t: i64) {
  // expected-error @+1 {{operand #0 must be pointer (!tile.ptr) or a tile of them, but got 'i64'}}
  %0 = "tile.load"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i64) -> i64
  return
}

// -----

func.func @load_c2_result(%p: tensor<4x!tile.ptr<f32>>) {
  // expected-error @+1 {{result must have type 'tensor<4xf32>' to match the pointer, got 'tensor<4xf16>'}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x!tile.ptr<f32>>) -> tensor<4xf16>
  return
}

// -----

func.func @load_c3_mask_shape(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<8xi1>) {
  // expected-error @+1 {{mask must have type 'tensor<4xi1>' to match the pointer, got 'tensor<8xi1>'}}
  %0 = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x!tile.ptr<f32>>, tensor<8xi1>) -> tensor<4xf32>
  return
}

// -----

func.func @load_c3_mask_element(%p: !tile.ptr<f32>, %m: i8) {
  // expected-error @+1 {{operand #1 must be i1 or a tile of them, but got 'i8'}}
  %0 = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tile.ptr<f32>, i8) -> f32
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#reversed = #tile.layout<{register = [], lane = [[16], [8], [4], [2], [1]], warp = []}>
func.func @load_c3_mask_layout(%p: tensor<32x!tile.ptr<f32>, #row>, %m: tensor<32xi1, #reversed>) {
  // expected-error @+1 {{mask must have type 'tensor<32xi1, #tile.layout<{register = []}}
  %0 = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<32x!tile.ptr<f32>, #row>, tensor<32xi1, #reversed>) -> tensor<32xf32, #row>
  return
}

// -----

func.func @load_c4_other(%p: !tile.ptr<f32>, %m: i1, %o: f16) {
  // expected-error @+1 {{other must have type 'f32' to match the pointer, got 'f16'}}
  %0 = "tile.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tile.ptr<f32>, i1, f16) -> f32
  return
}

// -----

func.func @load_c5_other_without_mask(%p: !tile.ptr<f32>, %o: f32) {
  // expected-error @+1 {{'tile.load' op has 'other' but no mask}}
  %0 = "tile.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tile.ptr<f32>, f32) -> f32
  return
}

// -----

func.func @load_syntax(%p: !tile.ptr<f32>, %m: i1, %o: f32) {
  // expected-error @+1 {{expected a pointer, an optional mask and an optional other, got 4 operands}}
  %0 = tile.load %p, %m, %o, %o : !tile.ptr<f32>
  return
}

// -----

func.func @load_syntax_none() {
  // expected-error @+1 {{expected a pointer, an optional mask and an optional other, got 0 operands}}
  %0 = tile.load : !tile.ptr<f32>
  return
}

// -----

// The short form takes all types from the pointer's.
// expected-note @+1 {{prior use here}}
func.func @load_syntax_mask(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<8xi1>) {
  // expected-error @+1 {{use of value '%m' expects different type than prior uses: 'tensor<4xi1>' vs 'tensor<8xi1>'}}
  %0 = tile.load %p, %m : tensor<4x!tile.ptr<f32>>
  return
}

// -----

func.func @store_c1_pointer(%p: tensor<4xi64>, %v: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be pointer (!tile.ptr) or a tile of them, but got 'tensor<4xi64>'}}
  "tile.store"(%p, %v) : (tensor<4xi64>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @store_c2_element(%p: tensor<4x!tile.ptr<f32>>, %v: tensor<4xf64>) {
  // expected-error @+1 {{value must have type 'tensor<4xf32>' to match the pointer, got 'tensor<4xf64>'}}
  "tile.store"(%p, %v) : (tensor<4x!tile.ptr<f32>>, tensor<4xf64>) -> ()
  return
}

// -----

func.func @store_c2_shape(%p: tensor<4x!tile.ptr<f32>>, %v: f32) {
  // expected-error @+1 {{value must have type 'tensor<4xf32>' to match the pointer, got 'f32'}}
  "tile.store"(%p, %v) : (tensor<4x!tile.ptr<f32>>, f32) -> ()
  return
}

// -----

func.func @store_c3_mask(%p: tensor<4x!tile.ptr<f32>>, %v: tensor<4xf32>, %m: i1) {
  // expected-error @+1 {{mask must have type 'tensor<4xi1>' to match the pointer, got 'i1'}}
  "tile.store"(%p, %v, %m) : (tensor<4x!tile.ptr<f32>>, tensor<4xf32>, i1) -> ()
  return
}

// -----

func.func @store_syntax(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{expected a pointer, a value and an optional mask, got 1 operands}}
  tile.store %p : !tile.ptr<f32>
  return
}

// -----

func.func @store_syntax_type(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{expected a !tile.ptr or a tensor of them, got 'f32'}}
  tile.store %p, %v : f32
  return
}
