// RUN: mytriton-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @shl
func.func @shl() -> (i8, i8, i8, i8, tensor<3xi32>, i1) {
  // CHECK-DAG: %[[A:.*]] = arith.constant -128 : i8
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[T:.*]] = arith.constant dense<[2, -2147483648, 0]> : tensor<3xi32>
  // CHECK-DAG: %[[B:.*]] = arith.constant false
  // CHECK: return %[[A]], %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[T]], %[[B]]
  %one = arith.constant 1 : i8
  %c7 = arith.constant 7 : i8
  %c8 = arith.constant 8 : i8
  %c100 = arith.constant 100 : i8
  %minus = arith.constant -1 : i8
  %ones = arith.constant dense<1> : tensor<3xi32>
  %amounts = arith.constant dense<[1, 31, 32]> : tensor<3xi32>
  %true = arith.constant true
  %0 = tile.shl %one, %c7 : i8
  %1 = tile.shl %one, %c8 : i8
  %2 = tile.shl %minus, %c100 : i8
  // The amount is unsigned: -1 is 255.
  %3 = tile.shl %one, %minus : i8
  %4 = tile.shl %ones, %amounts : tensor<3xi32>
  %5 = tile.shl %true, %true : i1
  return %0, %1, %2, %3, %4, %5 : i8, i8, i8, i8, tensor<3xi32>, i1
}

// CHECK-LABEL: func.func @shr_s
func.func @shr_s() -> (i8, i8, i8, i8, tensor<2xi64>) {
  // CHECK-DAG: %[[A:.*]] = arith.constant -2 : i8
  // CHECK-DAG: %[[MINUS:.*]] = arith.constant -1 : i8
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[T:.*]] = arith.constant dense<[-1, 0]> : tensor<2xi64>
  // CHECK: return %[[A]], %[[MINUS]], %[[ZERO]], %[[MINUS]], %[[T]]
  %least = arith.constant -128 : i8
  %most = arith.constant 127 : i8
  %c6 = arith.constant 6 : i8
  %c8 = arith.constant 8 : i8
  %minus = arith.constant -1 : i8
  %0 = tile.shr_s %least, %c6 : i8
  %1 = tile.shr_s %least, %c8 : i8
  %2 = tile.shr_s %most, %minus : i8
  %3 = tile.shr_s %minus, %minus : i8
  %t = arith.constant dense<[-5, 5]> : tensor<2xi64>
  %amounts = arith.constant dense<64> : tensor<2xi64>
  %4 = tile.shr_s %t, %amounts : tensor<2xi64>
  return %0, %1, %2, %3, %4 : i8, i8, i8, i8, tensor<2xi64>
}

// CHECK-LABEL: func.func @shr_u
func.func @shr_u() -> (i8, i8, tensor<2xi16>) {
  // CHECK-DAG: %[[A:.*]] = arith.constant 2 : i8
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[T:.*]] = arith.constant dense<[1, 0]> : tensor<2xi16>
  // CHECK: return %[[A]], %[[ZERO]], %[[T]]
  %least = arith.constant -128 : i8
  %c6 = arith.constant 6 : i8
  %c8 = arith.constant 8 : i8
  %0 = tile.shr_u %least, %c6 : i8
  %1 = tile.shr_u %least, %c8 : i8
  %t = arith.constant dense<-1> : tensor<2xi16>
  %amounts = arith.constant dense<[15, 16]> : tensor<2xi16>
  %2 = tile.shr_u %t, %amounts : tensor<2xi16>
  return %0, %1, %2 : i8, i8, tensor<2xi16>
}

// CHECK-LABEL: func.func @shift_identities
// CHECK-SAME: %[[X:.*]]: i32, %[[T:.*]]: tensor<4xi32>
func.func @shift_identities(%x: i32, %t: tensor<4xi32>)
    -> (i32, tensor<4xi32>, tensor<4xi32>, i32, tensor<4xi32>) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<4xi32>
  // CHECK: return %[[X]], %[[T]], %[[T]], %[[ZERO]], %[[ZEROS]]
  %zero = arith.constant 0 : i32
  %zeros = arith.constant dense<0> : tensor<4xi32>
  %0 = tile.shl %x, %zero : i32
  %1 = tile.shr_s %t, %zeros : tensor<4xi32>
  %2 = tile.shr_u %t, %zeros : tensor<4xi32>
  %3 = tile.shl %zero, %x : i32
  %4 = tile.shr_s %zeros, %t : tensor<4xi32>
  return %0, %1, %2, %3, %4 : i32, tensor<4xi32>, tensor<4xi32>, i32, tensor<4xi32>
}

// CHECK-LABEL: func.func @division
func.func @division() -> (i32, i32, i32, i32, tensor<4xi32>, tensor<4xi32>) {
  // CHECK-DAG: %[[DS:.*]] = arith.constant -3 : i32
  // CHECK-DAG: %[[DU:.*]] = arith.constant 2147483644 : i32
  // CHECK-DAG: %[[RS:.*]] = arith.constant -1 : i32
  // CHECK-DAG: %[[RU:.*]] = arith.constant 1 : i32
  // CHECK-DAG: %[[Q:.*]] = arith.constant dense<[2, -2, -2, 2]> : tensor<4xi32>
  // CHECK-DAG: %[[R:.*]] = arith.constant dense<[1, -1, 1, -1]> : tensor<4xi32>
  // CHECK: return %[[DS]], %[[DU]], %[[RS]], %[[RU]], %[[Q]], %[[R]]
  %a = arith.constant -7 : i32
  %b = arith.constant 2 : i32
  %0 = tile.div_s %a, %b : i32
  %1 = tile.div_u %a, %b : i32
  %2 = tile.rem_s %a, %b : i32
  %3 = tile.rem_u %a, %b : i32
  %x = arith.constant dense<[7, -7, 7, -7]> : tensor<4xi32>
  %y = arith.constant dense<[3, 3, -3, -3]> : tensor<4xi32>
  %4 = tile.div_s %x, %y : tensor<4xi32>
  %5 = tile.rem_s %x, %y : tensor<4xi32>
  return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @division_identities
// CHECK-SAME: %[[X:.*]]: i32, %[[T:.*]]: tensor<4xi16>
func.func @division_identities(%x: i32, %t: tensor<4xi16>) -> (i32, tensor<4xi16>, i32, tensor<4xi16>) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<4xi16>
  // CHECK: return %[[X]], %[[T]], %[[ZERO]], %[[ZEROS]]
  %one = arith.constant 1 : i32
  %ones = arith.constant dense<1> : tensor<4xi16>
  %0 = tile.div_s %x, %one : i32
  %1 = tile.div_u %t, %ones : tensor<4xi16>
  %2 = tile.rem_s %x, %one : i32
  %3 = tile.rem_u %t, %ones : tensor<4xi16>
  return %0, %1, %2, %3 : i32, tensor<4xi16>, i32, tensor<4xi16>
}

// What is unspecified stays for the executor to choose.
// CHECK-LABEL: func.func @unspecified
func.func @unspecified() -> (i32, i32, i32, i32, i32, i32, tensor<2xi32>) {
  %least = arith.constant -2147483648 : i32
  %minus = arith.constant -1 : i32
  %zero = arith.constant 0 : i32
  // CHECK: tile.div_s
  %0 = tile.div_s %least, %minus : i32
  // CHECK: tile.rem_s
  %1 = tile.rem_s %least, %minus : i32
  // CHECK: tile.div_s
  %2 = tile.div_s %minus, %zero : i32
  // CHECK: tile.rem_s
  %3 = tile.rem_s %minus, %zero : i32
  // CHECK: tile.div_u
  %4 = tile.div_u %minus, %zero : i32
  // CHECK: tile.rem_u
  %5 = tile.rem_u %minus, %zero : i32
  // One such element keeps the whole tile.
  // CHECK: tile.div_s
  %t = arith.constant dense<[6, 6]> : tensor<2xi32>
  %u = arith.constant dense<[3, 0]> : tensor<2xi32>
  %6 = tile.div_s %t, %u : tensor<2xi32>
  return %0, %1, %2, %3, %4, %5, %6 : i32, i32, i32, i32, i32, i32, tensor<2xi32>
}

// CHECK-LABEL: func.func @fp_to_si
func.func @fp_to_si() -> tensor<8xi8> {
  // -1.9, 1.9, 127.9, 128, -129, infinities, NaN
  // CHECK: arith.constant dense<[-1, 1, 127, 127, -128, 127, -128, 0]> : tensor<8xi8>
  %x = arith.constant dense<[-1.9, 1.9, 127.9, 128.0, -129.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<8xf32>
  %0 = tile.fp_to_si %x : tensor<8xf32> -> tensor<8xi8>
  return %0 : tensor<8xi8>
}

// CHECK-LABEL: func.func @fp_to_ui
func.func @fp_to_ui() -> tensor<8xi8> {
  // -1.9, -0.0, 255.9, 256, -129, infinities, NaN; 255 is printed as -1
  // CHECK: arith.constant dense<[0, 0, -1, -1, 0, -1, 0, 0]> : tensor<8xi8>
  %x = arith.constant dense<[-1.9, -0.0, 255.9, 256.0, -129.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<8xf32>
  %0 = tile.fp_to_ui %x : tensor<8xf32> -> tensor<8xi8>
  return %0 : tensor<8xi8>
}

// CHECK-LABEL: func.func @fp_to_int_of_other_forms
func.func @fp_to_int_of_other_forms() -> (i64, i32, tensor<4x4xi16>) {
  // CHECK-DAG: %[[A:.*]] = arith.constant 9223372036854775807 : i64
  // CHECK-DAG: %[[B:.*]] = arith.constant -1 : i32
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<-3> : tensor<4x4xi16>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %big = arith.constant 1.0e30 : f64
  %half = arith.constant 0x7C00 : f16
  %splat = arith.constant dense<-3.5> : tensor<4x4xbf16>
  %0 = tile.fp_to_si %big : f64 -> i64
  %1 = tile.fp_to_ui %half : f16 -> i32
  %2 = tile.fp_to_si %splat : tensor<4x4xbf16> -> tensor<4x4xi16>
  return %0, %1, %2 : i64, i32, tensor<4x4xi16>
}
