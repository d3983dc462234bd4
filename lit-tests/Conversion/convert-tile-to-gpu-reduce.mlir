// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,convert-tile-to-gpu)' | FileCheck %s

#pairs = #tile.layout<{register = [[0, 1], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = []}>
#sums = #tile.layout<{register = [[2]], lane = [[0], [0], [0], [0], [1]], warp = []}>

// Rows of 32 on 16 lanes: two numbers of a thread, then four shuffles for each of its two rows, and no shared memory.
// CHECK: gpu.module
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: gpu.func @rows
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: %[[WORD:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[OTHER:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[ALL:.*]] = arith.constant 32 : i32
// CHECK: %[[GOT:.*]], %{{.*}} = gpu.shuffle xor %[[WORD]], %[[ONE]], %[[ALL]] : i32
// CHECK: gpu.shuffle xor %[[OTHER]], %[[ONE]], %[[ALL]] : i32
// CHECK: arith.bitcast %[[GOT]] : i32 to f32
// CHECK-COUNT-6: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
func.func @rows(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<4x32xf32, #pairs>
  %s = tile.reduce %a along 1 : tensor<4x32xf32, #pairs> -> tensor<4xf32, #sums> {
  ^bb0(%b: f32, %c: f32):
    %d = arith.addf %b, %c : f32
    tile.yield %d : f32
  }
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>, #sums>
  %i = tile.range 0, 4 : tensor<4xi32, #sums>
  %at = tile.addptr %ps, %i : tensor<4x!tile.ptr<f32>, #sums>, tensor<4xi32, #sums>
  tile.store %at, %s : tensor<4x!tile.ptr<f32>, #sums>
  return
}

// -----

#columns = #tile.layout<{register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []}>
#of_columns = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// Columns that a thread holds whole: nothing but its own combination.
// CHECK-LABEL: gpu.func @columns
// CHECK: arith.maxsi
// CHECK-NOT: arith.maxsi
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
func.func @columns(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<2x32x!tile.ptr<i32>, #columns>
  %x = tile.load %ps : tensor<2x32x!tile.ptr<i32>, #columns>
  %s = tile.reduce %x along 0 : tensor<2x32xi32, #columns> -> tensor<32xi32, #of_columns> {
  ^bb0(%b: i32, %c: i32):
    %d = arith.maxsi %b, %c : i32
    tile.yield %d : i32
  }
  %qs = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>, #of_columns>
  tile.store %qs, %s : tensor<32x!tile.ptr<i32>, #of_columns>
  return
}

// -----

#line = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>

// Two narrow numbers in one word: five shuffles of both; four warps through memory for four of each, one thread of a warp
// writing, and all reading.
// CHECK: llvm.mlir.global internal @__mytriton_scratch() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16 x i8>
// CHECK-LABEL: gpu.func @narrow
// CHECK: arith.shli
// CHECK: arith.ori
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} : i16, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
// CHECK-NOT: llvm.load
// CHECK-NOT: gpu.barrier
func.func @narrow(%p: !tile.ptr<i16>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %ps = tile.splat %p : !tile.ptr<i16> -> tensor<128x!tile.ptr<i16>, #line>
  %x = tile.load %ps : tensor<128x!tile.ptr<i16>, #line>
  %s:2 = tile.reduce %x, %x along 0 : tensor<128xi16, #line>, tensor<128xi16, #line> -> i16, i16 {
  ^bb0(%a: i16, %b: i16, %c: i16, %d: i16):
    %e = arith.minsi %a, %c : i16
    %f = arith.maxsi %b, %d : i16
    tile.yield %e, %f : i16, i16
  }
  %r = arith.subi %s#1, %s#0 : i16
  tile.store %p, %r : !tile.ptr<i16>
  return
}

// -----

#line = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// An extent that is padded: what lies beyond does not enter. That the order of the two matters shows in the region: the
// lower lane's number stands to the left on both sides. No number is known that the combiner would leave as it is: whether
// a number is an element goes with it from lane to lane.
// CHECK-LABEL: gpu.func @padded
// CHECK: llvm.inline_asm
// CHECK: %[[END:.*]] = arith.constant 19 : i32
// CHECK: %[[LIVE:.*]] = arith.cmpi ult, %{{.*}}, %[[END]] : i32
// CHECK-NOT: arith.select
// CHECK: arith.extui %[[LIVE]] : i1 to i32
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK: arith.select
func.func @padded(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<19x!tile.ptr<i32>, #line>
  %x = tile.load %ps : tensor<19x!tile.ptr<i32>, #line>
  %s = tile.reduce %x along 0 : tensor<19xi32, #line> -> i32 {
  ^bb0(%b: i32, %c: i32):
    tile.yield %b : i32
  }
  tile.store %p, %s : !tile.ptr<i32>
  return
}

// -----

#line = #tile.layout<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]}>

// Of a known operation padding gets the number that it leaves as it is: once, and nothing else goes between threads. For a
// sum it is -0.0, for a maximum that ignores NaN it is NaN. Elements that no thread has beyond the extent stay.
// CHECK: llvm.mlir.global internal @__mytriton_scratch() {{.*}} : !llvm.array<16 x i8>
// CHECK-LABEL: gpu.func @filled
// CHECK: llvm.inline_asm
// CHECK-DAG: %[[NONE:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK-DAG: arith.select %[[FIRST:.*]], %{{.*}}, %[[NONE]] : f32
// CHECK-DAG: arith.select %[[FIRST]], %{{.*}}, %[[NAN]] : f32
// CHECK-DAG: arith.select %[[SECOND:.*]], %{{.*}}, %{{.*}} : f32
// CHECK-DAG: arith.select %[[SECOND]], %{{.*}}, %{{.*}} : f32
// CHECK: arith.addf
// CHECK-NEXT: llvm.call_intrinsic "llvm.maximumnum.f32"
// CHECK-NOT: arith.select
// CHECK-COUNT-10: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: arith.select
// CHECK: gpu.return
func.func @filled(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<97x!tile.ptr<f32>, #line>
  %x = tile.load %ps : tensor<97x!tile.ptr<f32>, #line>
  %s:2 = tile.reduce %x, %x along 0 : tensor<97xf32, #line>, tensor<97xf32, #line> -> f32, f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %e = arith.addf %a, %c : f32
    %f = arith.maxnumf %d, %b : f32
    tile.yield %e, %f : f32, f32
  }
  %r = arith.subf %s#1, %s#0 : f32
  tile.store %p, %r : !tile.ptr<f32>
  return
}

// -----

#line = #tile.layout<{register = [[1], [32]], lane = [[2], [4], [8], [16], [0]], warp = []}>

// Half of the registers are within in all threads, and are left as they are.
// CHECK-LABEL: gpu.func @half
// CHECK: arith.constant 2147483647 : i32
// CHECK: arith.select
// CHECK: arith.constant 2147483647 : i32
// CHECK: arith.select
// CHECK-NOT: arith.select
// CHECK: gpu.return
func.func @half(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<50x!tile.ptr<i32>, #line>
  %x = tile.load %ps : tensor<50x!tile.ptr<i32>, #line>
  %s = tile.reduce %x along 0 : tensor<50xi32, #line> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.minsi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %s : !tile.ptr<i32>
  return
}

// -----

#line = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// A combiner of known operations that mixes its operands is one of the user's: what is an element is asked at each step.
// CHECK-LABEL: gpu.func @mixed
// CHECK: arith.cmpi ult
// CHECK-NOT: arith.select
// CHECK: arith.extui %{{.*}} : i1 to i32
// CHECK: arith.muli
// CHECK: arith.muli
// CHECK: arith.addi
// CHECK: arith.select
func.func @mixed(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<19x!tile.ptr<i32>, #line>
  %x = tile.load %ps : tensor<19x!tile.ptr<i32>, #line>
  %s:2 = tile.reduce %x, %x along 0 : tensor<19xi32, #line>, tensor<19xi32, #line> -> i32, i32 {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %e = arith.muli %a, %c : i32
    %f = arith.muli %b, %c : i32
    %g = arith.addi %f, %d : i32
    tile.yield %e, %g : i32, i32
  }
  tile.store %p, %s#0 : !tile.ptr<i32>
  return
}
