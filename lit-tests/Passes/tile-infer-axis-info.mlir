// RUN: mytriton-opt %s --pass-pipeline='builtin.module(tile-infer-axis-info)' | FileCheck %s

// CHECK-LABEL: func.func @facts
// CHECK: tile.range 0, 64 {axis_info = "contiguity [64], divisibility [1073741824], constancy [1]"}
// CHECK: arith.constant {axis_info = "contiguity [1], divisibility [8], constancy [1], constant 24"} 24 : i32
// CHECK: arith.muli %{{.*}}, %{{.*}} {axis_info = "contiguity [1], divisibility [8], constancy [1]"} : i32
// CHECK: tile.splat %{{.*}} {axis_info = "contiguity [1], divisibility [8], constancy [64]"}
// CHECK: arith.addi %{{.*}}, %{{.*}} {axis_info = "contiguity [64], divisibility [8], constancy [1]"}
// A pointer's divisibility is in bytes: 8 elements of 4 are more than the argument's 16.
// CHECK: tile.addptr %{{.*}}, %{{.*}} {axis_info = "contiguity [64], divisibility [16], constancy [1]"}
// Of a mask, how far it is certain to be the same.
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} {axis_info = "contiguity [1], divisibility [1], constancy [8]"}
// Nothing is known of loaded numbers, and nothing is said of floats.
// CHECK: tile.load %{{[^{]*}} : tensor<64x!tile.ptr<i32>
// CHECK: arith.sitofp %{{[^{]*}} : tensor<64xi32> to tensor<64xf32>
func.func @facts(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %pid: i32, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel} {
  %r = tile.range 0, 64 : tensor<64xi32>
  %size = arith.constant 24 : i32
  %start = arith.muli %pid, %size : i32
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %offs = arith.addi %starts, %r : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %at = tile.addptr %ps, %offs : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %offs, %ns : tensor<64xi32>
  %x = tile.load %at, %m : tensor<64x!tile.ptr<i32>>
  %f = arith.sitofp %x : tensor<64xi32> to tensor<64xf32>
  return
}

// Along each dimension by itself, into loops as well.
// CHECK-LABEL: func.func @dimensions
// CHECK: tile.expand_dims %{{.*}}, 0 {axis_info = "contiguity [1, 32], divisibility [1, 1073741824], constancy [1, 1]"}
// CHECK: scf.for
// CHECK: tile.broadcast %{{.*}} {axis_info = "contiguity [1, 32], divisibility [1, 1073741824], constancy [8, 1]"}
func.func @dimensions(%n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tile.range 0, 32 : tensor<32xi32>
  %e = tile.expand_dims %r, 0 : tensor<32xi32> -> tensor<1x32xi32>
  scf.for %i = %zero to %n step %one : i32 {
    %b = tile.broadcast %e : tensor<1x32xi32> -> tensor<8x32xi32>
  }
  return
}

// CHECK-LABEL: func.func @helper
// CHECK-NOT: axis_info
func.func @helper() {
  %r = tile.range 0, 64 : tensor<64xi32>
  return
}
