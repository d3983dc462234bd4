// RUN: mytriton-opt %s | FileCheck %s
// RUN: mytriton-opt %s | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --mlir-print-op-generic | mytriton-opt | FileCheck %s
// RUN: mytriton-opt %s --emit-bytecode | mytriton-opt | FileCheck %s

#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// CHECK-LABEL: func.func @shl
func.func @shl(%b: i1, %s: i64, %t: tensor<4x8xi8>, %l: tensor<32xi16, #row>) {
  // CHECK: tile.shl %{{.*}}, %{{.*}} : i1
  %0 = tile.shl %b, %b : i1
  // CHECK: tile.shl %{{.*}}, %{{.*}} : i64
  %1 = tile.shl %s, %s : i64
  // CHECK: tile.shl %{{.*}}, %{{.*}} : tensor<4x8xi8>
  %2 = tile.shl %t, %t : tensor<4x8xi8>
  // CHECK: tile.shl %{{.*}}, %{{.*}} : tensor<32xi16, #{{.*}}>
  %3 = tile.shl %l, %l : tensor<32xi16, #row>
  return
}

// CHECK-LABEL: func.func @shr_s
func.func @shr_s(%b: i1, %s: i64, %t: tensor<4x8xi8>, %l: tensor<32xi16, #row>) {
  // CHECK: tile.shr_s %{{.*}}, %{{.*}} : i1
  %0 = tile.shr_s %b, %b : i1
  // CHECK: tile.shr_s %{{.*}}, %{{.*}} : i64
  %1 = tile.shr_s %s, %s : i64
  // CHECK: tile.shr_s %{{.*}}, %{{.*}} : tensor<4x8xi8>
  %2 = tile.shr_s %t, %t : tensor<4x8xi8>
  // CHECK: tile.shr_s %{{.*}}, %{{.*}} : tensor<32xi16, #{{.*}}>
  %3 = tile.shr_s %l, %l : tensor<32xi16, #row>
  return
}

// CHECK-LABEL: func.func @shr_u
func.func @shr_u(%b: i1, %s: i64, %t: tensor<4x8xi8>, %l: tensor<32xi16, #row>) {
  // CHECK: tile.shr_u %{{.*}}, %{{.*}} : i1
  %0 = tile.shr_u %b, %b : i1
  // CHECK: tile.shr_u %{{.*}}, %{{.*}} : i64
  %1 = tile.shr_u %s, %s : i64
  // CHECK: tile.shr_u %{{.*}}, %{{.*}} : tensor<4x8xi8>
  %2 = tile.shr_u %t, %t : tensor<4x8xi8>
  // CHECK: tile.shr_u %{{.*}}, %{{.*}} : tensor<32xi16, #{{.*}}>
  %3 = tile.shr_u %l, %l : tensor<32xi16, #row>
  return
}

// CHECK-LABEL: func.func @div_s
func.func @div_s(%b: i1, %s: i64, %t: tensor<4x8xi8>, %l: tensor<32xi16, #row>) {
  // CHECK: tile.div_s %{{.*}}, %{{.*}} : i1
  %0 = tile.div_s %b, %b : i1
  // CHECK: tile.div_s %{{.*}}, %{{.*}} : i64
  %1 = tile.div_s %s, %s : i64
  // CHECK: tile.div_s %{{.*}}, %{{.*}} : tensor<4x8xi8>
  %2 = tile.div_s %t, %t : tensor<4x8xi8>
  // CHECK: tile.div_s %{{.*}}, %{{.*}} : tensor<32xi16, #{{.*}}>
  %3 = tile.div_s %l, %l : tensor<32xi16, #row>
  return
}

// CHECK-LABEL: func.func @div_u
func.func @div_u(%b: i1, %s: i64, %t: tensor<4x8xi8>, %l: tensor<32xi16, #row>) {
  // CHECK: tile.div_u %{{.*}}, %{{.*}} : i1
  %0 = tile.div_u %b, %b : i1
  // CHECK: tile.div_u %{{.*}}, %{{.*}} : i64
  %1 = tile.div_u %s, %s : i64
  // CHECK: tile.div_u %{{.*}}, %{{.*}} : tensor<4x8xi8>
  %2 = tile.div_u %t, %t : tensor<4x8xi8>
  // CHECK: tile.div_u %{{.*}}, %{{.*}} : tensor<32xi16, #{{.*}}>
  %3 = tile.div_u %l, %l : tensor<32xi16, #row>
  return
}

// CHECK-LABEL: func.func @rem_s
func.func @rem_s(%b: i1, %s: i64, %t: tensor<4x8xi8>, %l: tensor<32xi16, #row>) {
  // CHECK: tile.rem_s %{{.*}}, %{{.*}} : i1
  %0 = tile.rem_s %b, %b : i1
  // CHECK: tile.rem_s %{{.*}}, %{{.*}} : i64
  %1 = tile.rem_s %s, %s : i64
  // CHECK: tile.rem_s %{{.*}}, %{{.*}} : tensor<4x8xi8>
  %2 = tile.rem_s %t, %t : tensor<4x8xi8>
  // CHECK: tile.rem_s %{{.*}}, %{{.*}} : tensor<32xi16, #{{.*}}>
  %3 = tile.rem_s %l, %l : tensor<32xi16, #row>
  return
}

// CHECK-LABEL: func.func @rem_u
func.func @rem_u(%b: i1, %s: i64, %t: tensor<4x8xi8>, %l: tensor<32xi16, #row>) {
  // CHECK: tile.rem_u %{{.*}}, %{{.*}} : i1
  %0 = tile.rem_u %b, %b : i1
  // CHECK: tile.rem_u %{{.*}}, %{{.*}} : i64
  %1 = tile.rem_u %s, %s : i64
  // CHECK: tile.rem_u %{{.*}}, %{{.*}} : tensor<4x8xi8>
  %2 = tile.rem_u %t, %t : tensor<4x8xi8>
  // CHECK: tile.rem_u %{{.*}}, %{{.*}} : tensor<32xi16, #{{.*}}>
  %3 = tile.rem_u %l, %l : tensor<32xi16, #row>
  return
}

// CHECK-LABEL: func.func @fp_to_si
func.func @fp_to_si(%d: f64, %h: f16, %t: tensor<4x8xbf16>, %l: tensor<32xf32, #row>) {
  // CHECK: tile.fp_to_si %{{.*}} : f64 -> i64
  %0 = tile.fp_to_si %d : f64 -> i64
  // CHECK: tile.fp_to_si %{{.*}} : f16 -> i8
  %1 = tile.fp_to_si %h : f16 -> i8
  // CHECK: tile.fp_to_si %{{.*}} : tensor<4x8xbf16> -> tensor<4x8xi16>
  %2 = tile.fp_to_si %t : tensor<4x8xbf16> -> tensor<4x8xi16>
  // CHECK: tile.fp_to_si %{{.*}} : tensor<32xf32, #[[L:.*]]> -> tensor<32xi32, #[[L]]>
  %3 = tile.fp_to_si %l : tensor<32xf32, #row> -> tensor<32xi32, #row>
  return
}

// CHECK-LABEL: func.func @fp_to_ui
func.func @fp_to_ui(%d: f64, %h: f16, %t: tensor<4x8xbf16>, %l: tensor<32xf32, #row>) {
  // CHECK: tile.fp_to_ui %{{.*}} : f64 -> i64
  %0 = tile.fp_to_ui %d : f64 -> i64
  // CHECK: tile.fp_to_ui %{{.*}} : f16 -> i8
  %1 = tile.fp_to_ui %h : f16 -> i8
  // CHECK: tile.fp_to_ui %{{.*}} : tensor<4x8xbf16> -> tensor<4x8xi16>
  %2 = tile.fp_to_ui %t : tensor<4x8xbf16> -> tensor<4x8xi16>
  // CHECK: tile.fp_to_ui %{{.*}} : tensor<32xf32, #[[L:.*]]> -> tensor<32xi32, #[[L]]>
  %3 = tile.fp_to_ui %l : tensor<32xf32, #row> -> tensor<32xi32, #row>
  return
}

// CHECK-LABEL: func.func @unary_function
func.func @unary_function(%s: f64, %t: tensor<4x8xf16>, %l: tensor<32xbf16, #row>) {
  // CHECK: tile.unary_function "cospi" %{{.*}} : f64
  %0 = tile.unary_function "cospi" %s : f64
  // CHECK: tile.unary_function "exp10" %{{.*}} : tensor<4x8xf16>
  %1 = tile.unary_function "exp10" %t : tensor<4x8xf16>
  // CHECK: tile.unary_function "lgamma" %{{.*}} : tensor<32xbf16, #{{.*}}>
  %2 = tile.unary_function "lgamma" %l : tensor<32xbf16, #row>
  // CHECK: tile.unary_function "sinpi" %{{.*}} : f64
  %3 = tile.unary_function "sinpi" %s : f64
  // CHECK: tile.unary_function "tgamma" %{{.*}} : f64
  %4 = tile.unary_function "tgamma" %s : f64
  return
}

// CHECK-LABEL: func.func @binary_function
func.func @binary_function(%s: f64, %t: tensor<4x8xf16>, %l: tensor<32xf32, #row>) {
  // CHECK: tile.binary_function "fdim" %{{.*}}, %{{.*}} : f64
  %0 = tile.binary_function "fdim" %s, %s : f64
  // CHECK: tile.binary_function "hypot" %{{.*}}, %{{.*}} : tensor<4x8xf16>
  %1 = tile.binary_function "hypot" %t, %t : tensor<4x8xf16>
  // CHECK: tile.binary_function "nextafter" %{{.*}}, %{{.*}} : tensor<32xf32, #{{.*}}>
  %2 = tile.binary_function "nextafter" %l, %l : tensor<32xf32, #row>
  // CHECK: tile.binary_function "remainder" %{{.*}}, %{{.*}} : f64
  %3 = tile.binary_function "remainder" %s, %s : f64
  return
}
