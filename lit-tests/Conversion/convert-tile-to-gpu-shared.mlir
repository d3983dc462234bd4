// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,tile-insert-barriers,convert-tile-to-gpu)' | FileCheck %s

// Buffers: a pointer into the one block of shared memory.

#rows = #tile.layout<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []}>
#pairs = #tile.layout<{register = [[0, 1], [8, 0], [0, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [[2, 0], [4, 0]]}>
#plain = #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]]}>
#swizzled = #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16]]}>

// 8 registers of 2 bytes next to one another are one access of 16 bytes.
// CHECK: llvm.mlir.global internal @__mytriton_scratch() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<512 x i8>
// CHECK-LABEL: gpu.func @wide
// CHECK: %[[BASE:.*]] = llvm.mlir.addressof @__mytriton_scratch : !llvm.ptr<3>
// CHECK: %[[TO:.*]] = llvm.getelementptr %[[BASE]][%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: llvm.store %{{.*}}, %[[TO]] {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: %[[FROM:.*]] = llvm.getelementptr %[[BASE]][
// CHECK: llvm.load %[[FROM]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK-NOT: llvm.load
func.func @wide(%x: f16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %t = tile.splat %x : f16 -> tensor<8x32xf16, #rows>
  %a = tile.alloc %t : tensor<8x32xf16, #rows> -> !tile.buffer<8x32xf16, #plain>
  %v = tile.local_load %a : !tile.buffer<8x32xf16, #plain> -> tensor<8x32xf16, #rows>
  tile.dealloc %a : !tile.buffer<8x32xf16, #plain>
  return
}

// -----

#rows = #tile.layout<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = []}>
#swizzled = #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16]]}>

// A swizzle by 4 elements leaves accesses of 4; the second one's place is the thread's xor 8 bytes.
// CHECK-LABEL: gpu.func @swizzled
// CHECK: %[[OWN:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %{{.*}}[%[[OWN]]]
// CHECK: llvm.store %{{.*}}, %[[FIRST]] {alignment = 8 : i64} : vector<4xf16>
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK: %[[CROSSED:.*]] = arith.xori %[[OWN]], %[[EIGHT]] : i32
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %{{.*}}[%[[CROSSED]]]
// CHECK: llvm.store %{{.*}}, %[[SECOND]] {alignment = 8 : i64} : vector<4xf16>
func.func @swizzled(%x: f16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %t = tile.splat %x : f16 -> tensor<8x32xf16, #rows>
  %a = tile.alloc %t : tensor<8x32xf16, #rows> -> !tile.buffer<8x32xf16, #swizzled>
  return
}

// -----

#copies = #tile.layout<{register = [[0, 1], [8, 0], [0, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [[2, 0], [4, 0], [0, 0]]}>
#plain = #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// Copies in registers are stored once and loaded once; of warps with copies the first stores. What a register adds to the
// thread's place goes into the address. A boolean takes a byte.
// CHECK-LABEL: gpu.func @copies
// CHECK: scf.if
// CHECK: arith.extui %{{.*}} : vector<2xi1> to vector<2xi8>
// CHECK: llvm.store %{{.*}}, %[[AT:.*]] {alignment = 2 : i64} : vector<2xi8>
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[AT]][256]
// CHECK: llvm.store %{{.*}}, %[[NEXT]] {alignment = 2 : i64} : vector<2xi8>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> vector<2xi8>
// CHECK: arith.cmpi ne, %{{.*}} : vector<2xi8>
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> vector<2xi8>
// CHECK-NOT: llvm.load
// CHECK: vector.from_elements %[[A:.*]], %[[B:.*]], %[[C:.*]], %[[D:.*]], %[[A]], %[[B]], %[[C]], %[[D]] : vector<8xi1>
func.func @copies(%x: i1) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %x : i1 -> tensor<10x32xi1, #copies>
  %a = tile.alloc %t : tensor<10x32xi1, #copies> -> !tile.buffer<10x32xi1, #plain>
  %v = tile.local_load %a : !tile.buffer<10x32xi1, #plain> -> tensor<10x32xi1, #copies>
  return
}

// -----

#rows = #tile.layout<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>
#plain = #tile.shared<{offset = [[1], [2], [4], [8], [16], [32]]}>

// Buffers go through loops as pointers.
// CHECK-LABEL: gpu.func @carried
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) -> (!llvm.ptr<3>, !llvm.ptr<3>)
// CHECK: llvm.getelementptr %[[P]][
// CHECK: llvm.getelementptr %[[Q]][
// CHECK: scf.yield %[[Q]], %[[P]] : !llvm.ptr<3>, !llvm.ptr<3>
func.func @carried(%x: f32, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %t = tile.splat %x : f32 -> tensor<64xf32, #rows>
  %a = tile.alloc %t : tensor<64xf32, #rows> -> !tile.buffer<64xf32, #plain>
  %b = tile.alloc : !tile.buffer<64xf32, #plain>
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b) -> (!tile.buffer<64xf32, #plain>, !tile.buffer<64xf32, #plain>) : i32 {
    %v = tile.local_load %p : !tile.buffer<64xf32, #plain> -> tensor<64xf32, #rows>
    tile.local_store %v, %q : tensor<64xf32, #rows> -> !tile.buffer<64xf32, #plain>
    scf.yield %q, %p : !tile.buffer<64xf32, #plain>, !tile.buffer<64xf32, #plain>
  }
  return
}
