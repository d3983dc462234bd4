// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared)' | FileCheck %s

#rows = #tile.layout<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]}>
#columns = #tile.layout<{register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4]]}>

// Without exchange nothing is taken.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: tile.shared_bytes
// CHECK-NOT: tile.offset
func.func @nothing(%x: f32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<16x8xf32, #rows>
  %b = tile.convert_layout %a : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #rows>
  return
}

// Small uses take turns beside one another, also in a loop.
// CHECK-LABEL: func.func @turns
// CHECK-SAME: tile.shared_bytes = 1536 : i32
// CHECK: tile.convert_layout {{.*}}tile.bytes = 512 : i32, tile.offset = 0 : i32
// CHECK: scf.for
// CHECK: tile.convert_layout {{.*}}tile.bytes = 512 : i32, tile.offset = 512 : i32
// CHECK: tile.convert_layout {{.*}}tile.bytes = 512 : i32, tile.offset = 1024 : i32
func.func @turns(%x: f32, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.splat %x : f32 -> tensor<16x8xf32, #rows>
  %b = tile.convert_layout %a : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #columns>
  scf.for %i = %zero to %n step %one : i32 {
    %c = tile.convert_layout %b : tensor<16x8xf32, #columns> -> tensor<16x8xf32, #rows>
    %d = tile.convert_layout %c : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #columns>
  }
  return
}

// -----

#row = #tile.layout<{register = [[128], [256], [512], [1024]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
#shared = #tile.shared<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024]]}>

// Buffers that live at one time lie apart; a third one takes the place of the first, after its last use. Padding takes
// memory too.
// CHECK-LABEL: func.func @buffers
// CHECK-SAME: tile.shared_bytes = 16384 : i32
// CHECK: %[[A:.*]] = tile.alloc %{{.*}} {tile.bytes = 8192 : i32, tile.offset = 0 : i32}
// CHECK: %[[B:.*]] = tile.alloc : {{.*}} {tile.bytes = 8192 : i32, tile.offset = 8192 : i32}
// CHECK: tile.local_load %[[A]]
// CHECK: tile.alloc : {{.*}} {tile.bytes = 8192 : i32, tile.offset = 0 : i32}
// CHECK: tile.local_store %{{.*}}, %[[B]]
func.func @buffers(%x: f32) attributes {tile.kernel} {
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  %b = tile.alloc : !tile.buffer<2000xf32, #shared>
  %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
  %c = tile.alloc : !tile.buffer<2000xf32, #shared>
  tile.local_store %v, %b : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  tile.local_store %v, %c : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  return
}

// What a loop uses it uses in its next round too: the one from before it lives until its end, the one of its body for
// a part of a round.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: tile.shared_bytes = 16384 : i32
// CHECK: tile.alloc : {{.*}}tile.offset = 0 : i32
// CHECK: scf.for
// CHECK: tile.alloc %{{.*}}tile.offset = 8192 : i32
// CHECK: tile.alloc %{{.*}}tile.offset = 8192 : i32
func.func @loop(%x: f32, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc : !tile.buffer<2000xf32, #shared>
  scf.for %i = %zero to %n step %one : i32 {
    tile.local_store %t, %a : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    %b = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    %v = tile.local_load %b : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
    %c = tile.alloc %v : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    %w = tile.local_load %c : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
  }
  return
}

// Buffers that go from round to round live in all of them.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: tile.shared_bytes = 24576 : i32
func.func @carried(%x: f32, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  %b = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b) -> (!tile.buffer<2000xf32, #shared>, !tile.buffer<2000xf32, #shared>) : i32 {
    %v = tile.local_load %p : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
    %c = tile.alloc %v : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    %w = tile.local_load %c : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
    tile.local_store %w, %q : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    scf.yield %q, %p : !tile.buffer<2000xf32, #shared>, !tile.buffer<2000xf32, #shared>
  }
  %v = tile.local_load %r#0 : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
  return
}

// One that a round leaves to the next lives at the beginning of that too: what is needed there alone lies elsewhere.
// CHECK-LABEL: func.func @left_to_the_next_round
// CHECK-SAME: tile.shared_bytes = 24576 : i32
func.func @left_to_the_next_round(%x: f32, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %a) -> (!tile.buffer<2000xf32, #shared>) : i32 {
    %b = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    %w = tile.local_load %b : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
    %v = tile.local_load %p : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
    %c = tile.alloc %v : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    scf.yield %c : !tile.buffer<2000xf32, #shared>
  }
  return
}

// The branches of a choice share.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: tile.shared_bytes = 8192 : i32
func.func @branches(%x: f32, %which: i1) attributes {tile.kernel} {
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  scf.if %which {
    %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
  } else {
    %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
  }
  return
}
