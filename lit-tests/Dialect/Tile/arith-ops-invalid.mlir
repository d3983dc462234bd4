// RUN: mytriton-opt %s --split-input-file --verify-diagnostics

func.func @shl_c1_float(%a: f32) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'f32'}}
  %0 = "tile.shl"(%a, %a) : (f32, f32) -> f32
  return
}

// -----

func.func @shl_c1_index(%a: index) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'index'}}
  %0 = tile.shl %a, %a : index
  return
}

// -----

func.func @shl_c2_types(%a: i32, %b: i8) {
  // expected-error @+1 {{'tile.shl' op requires the same type for all operands and results}}
  %0 = "tile.shl"(%a, %b) : (i32, i8) -> i32
  return
}

// -----

func.func @shr_s_c1_float(%a: f32) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'f32'}}
  %0 = "tile.shr_s"(%a, %a) : (f32, f32) -> f32
  return
}

// -----

func.func @shr_s_c1_index(%a: index) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'index'}}
  %0 = tile.shr_s %a, %a : index
  return
}

// -----

func.func @shr_s_c2_types(%a: i32, %b: i8) {
  // expected-error @+1 {{'tile.shr_s' op requires the same type for all operands and results}}
  %0 = "tile.shr_s"(%a, %b) : (i32, i8) -> i32
  return
}

// -----

func.func @shr_u_c1_float(%a: f32) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'f32'}}
  %0 = "tile.shr_u"(%a, %a) : (f32, f32) -> f32
  return
}

// -----

func.func @shr_u_c1_index(%a: index) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'index'}}
  %0 = tile.shr_u %a, %a : index
  return
}

// -----

func.func @shr_u_c2_types(%a: i32, %b: i8) {
  // expected-error @+1 {{'tile.shr_u' op requires the same type for all operands and results}}
  %0 = "tile.shr_u"(%a, %b) : (i32, i8) -> i32
  return
}

// -----

func.func @div_s_c1_float(%a: f32) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'f32'}}
  %0 = "tile.div_s"(%a, %a) : (f32, f32) -> f32
  return
}

// -----

func.func @div_s_c1_index(%a: index) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'index'}}
  %0 = tile.div_s %a, %a : index
  return
}

// -----

func.func @div_s_c2_types(%a: i32, %b: i8) {
  // expected-error @+1 {{'tile.div_s' op requires the same type for all operands and results}}
  %0 = "tile.div_s"(%a, %b) : (i32, i8) -> i32
  return
}

// -----

func.func @div_u_c1_float(%a: f32) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'f32'}}
  %0 = "tile.div_u"(%a, %a) : (f32, f32) -> f32
  return
}

// -----

func.func @div_u_c1_index(%a: index) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'index'}}
  %0 = tile.div_u %a, %a : index
  return
}

// -----

func.func @div_u_c2_types(%a: i32, %b: i8) {
  // expected-error @+1 {{'tile.div_u' op requires the same type for all operands and results}}
  %0 = "tile.div_u"(%a, %b) : (i32, i8) -> i32
  return
}

// -----

func.func @rem_s_c1_float(%a: f32) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'f32'}}
  %0 = "tile.rem_s"(%a, %a) : (f32, f32) -> f32
  return
}

// -----

func.func @rem_s_c1_index(%a: index) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'index'}}
  %0 = tile.rem_s %a, %a : index
  return
}

// -----

func.func @rem_s_c2_types(%a: i32, %b: i8) {
  // expected-error @+1 {{'tile.rem_s' op requires the same type for all operands and results}}
  %0 = "tile.rem_s"(%a, %b) : (i32, i8) -> i32
  return
}

// -----

func.func @rem_u_c1_float(%a: f32) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'f32'}}
  %0 = "tile.rem_u"(%a, %a) : (f32, f32) -> f32
  return
}

// -----

func.func @rem_u_c1_index(%a: index) {
  // expected-error @+1 {{operand #0 must be integer (i1, i8, i16, i32, i64) or a tile of them, but got 'index'}}
  %0 = tile.rem_u %a, %a : index
  return
}

// -----

func.func @rem_u_c2_types(%a: i32, %b: i8) {
  // expected-error @+1 {{'tile.rem_u' op requires the same type for all operands and results}}
  %0 = "tile.rem_u"(%a, %b) : (i32, i8) -> i32
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#reversed = #tile.layout<{register = [], lane = [[16], [8], [4], [2], [1]], warp = []}>
func.func @shl_c2_layout(%a: tensor<32xi32, #row>, %b: tensor<32xi32, #reversed>) {
  // expected-error @+1 {{'tile.shl' op requires the same encoding for all operands and results}}
  %0 = "tile.shl"(%a, %b) : (tensor<32xi32, #row>, tensor<32xi32, #reversed>) -> tensor<32xi32, #row>
  return
}

// -----

func.func @fp_to_si_c1_source(%a: i32) {
  // expected-error @+1 {{operand #0 must be float (f16, bf16, f32, f64) or a tile of them, but got 'i32'}}
  %0 = tile.fp_to_si %a : i32 -> i32
  return
}

// -----

func.func @fp_to_si_c2_result(%a: f32) {
  // expected-error @+1 {{result #0 must be integer (i8, i16, i32, i64) or a tile of them, but got 'i1'}}
  %0 = tile.fp_to_si %a : f32 -> i1
  return
}

// -----

func.func @fp_to_si_c3_shape(%a: tensor<4xf32>) {
  // expected-error @+1 {{source and result must have the same shape and layout, got 'tensor<4xf32>' and 'tensor<8xi32>'}}
  %0 = tile.fp_to_si %a : tensor<4xf32> -> tensor<8xi32>
  return
}

// -----

func.func @fp_to_si_c3_scalar_and_tile(%a: f32) {
  // expected-error @+1 {{source and result must have the same shape and layout, got 'f32' and 'tensor<8xi32>'}}
  %0 = tile.fp_to_si %a : f32 -> tensor<8xi32>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @fp_to_si_c3_layout(%a: tensor<32xf32, #row>) {
  // expected-error @+1 {{source and result must have the same shape and layout}}
  %0 = tile.fp_to_si %a : tensor<32xf32, #row> -> tensor<32xi32>
  return
}

// -----

func.func @fp_to_ui_c1_source(%a: i32) {
  // expected-error @+1 {{operand #0 must be float (f16, bf16, f32, f64) or a tile of them, but got 'i32'}}
  %0 = tile.fp_to_ui %a : i32 -> i32
  return
}

// -----

func.func @fp_to_ui_c2_result(%a: f32) {
  // expected-error @+1 {{result #0 must be integer (i8, i16, i32, i64) or a tile of them, but got 'i1'}}
  %0 = tile.fp_to_ui %a : f32 -> i1
  return
}

// -----

func.func @fp_to_ui_c3_shape(%a: tensor<4xf32>) {
  // expected-error @+1 {{source and result must have the same shape and layout, got 'tensor<4xf32>' and 'tensor<8xi32>'}}
  %0 = tile.fp_to_ui %a : tensor<4xf32> -> tensor<8xi32>
  return
}

// -----

func.func @fp_to_ui_c3_scalar_and_tile(%a: f32) {
  // expected-error @+1 {{source and result must have the same shape and layout, got 'f32' and 'tensor<8xi32>'}}
  %0 = tile.fp_to_ui %a : f32 -> tensor<8xi32>
  return
}

// -----

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
func.func @fp_to_ui_c3_layout(%a: tensor<32xf32, #row>) {
  // expected-error @+1 {{source and result must have the same shape and layout}}
  %0 = tile.fp_to_ui %a : tensor<32xf32, #row> -> tensor<32xi32>
  return
}

// -----

func.func @unary_function_c1_name(%a: f32) {
  // expected-error @+1 {{attribute 'function' failed to satisfy constraint: string attribute one of cospi, exp10, lgamma, sinpi, tgamma}}
  %0 = tile.unary_function "hypot" %a : f32
  return
}

// -----

func.func @unary_function_c2_integer(%a: i32) {
  // expected-error @+1 {{operand #0 must be float (f16, bf16, f32, f64) or a tile of them, but got 'i32'}}
  %0 = tile.unary_function "cospi" %a : i32
  return
}

// -----

func.func @unary_function_c3_types(%a: f32) {
  // expected-error @+1 {{'tile.unary_function' op requires the same type for all operands and results}}
  %0 = "tile.unary_function"(%a) <{function = "cospi"}> : (f32) -> f64
  return
}

// -----

func.func @binary_function_c1_name(%a: f32) {
  // expected-error @+1 {{attribute 'function' failed to satisfy constraint: string attribute one of fdim, hypot, nextafter, remainder}}
  %0 = tile.binary_function "cospi" %a, %a : f32
  return
}

// -----

func.func @binary_function_c2_integer(%a: i32) {
  // expected-error @+1 {{operand #0 must be float (f16, bf16, f32, f64) or a tile of them, but got 'i32'}}
  %0 = tile.binary_function "hypot" %a, %a : i32
  return
}

// -----

func.func @binary_function_c3_types(%a: f32, %b: f64) {
  // expected-error @+1 {{'tile.binary_function' op requires the same type for all operands and results}}
  %0 = "tile.binary_function"(%a, %b) <{function = "hypot"}> : (f32, f64) -> f32
  return
}
