// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,tile-insert-barriers)' | FileCheck %s

#row = #tile.layout<{register = [[256], [512], [1024]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128]]}>
#other = #tile.layout<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512], [1024]]}>
#copies = #tile.layout<{register = [[1], [2], [4], [1024]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512], [0]]}>
#copies_of_copies = #tile.layout<{register = [[1], [2], [4], [8], [1024]], lane = [[0], [16], [32], [64], [128]], warp = [[0], [256], [512]]}>
#shared = #tile.shared<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024]]}>

// A thread sees what it has stored itself.
// CHECK-LABEL: func.func @same_threads
// CHECK-NOT: gpu.barrier
func.func @same_threads(%x: f32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
  tile.local_store %v, %a : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  return
}

// What others have stored: after a barrier. Loads do not disturb one another.
// CHECK-LABEL: func.func @read_after_write
// CHECK: tile.alloc
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: tile.local_load
// CHECK-NOT: gpu.barrier
func.func @read_after_write(%x: f32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  %w = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
  return
}

// Where several threads hold an element it is not the same one that stores and loads it.
// CHECK-LABEL: func.func @copies
// CHECK: tile.local_load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_store
func.func @copies(%b: f32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %b : f32 -> tensor<2000xf32, #copies>
  %a = tile.alloc : !tile.buffer<2000xf32, #shared>
  %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #copies>
  tile.local_store %t, %a : tensor<2000xf32, #copies> -> !tile.buffer<2000xf32, #shared>
  return
}

// Also where lanes and warps do in the same way.
// CHECK-LABEL: func.func @copies_of_copies
// CHECK: tile.local_load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_store
func.func @copies_of_copies(%b: f32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %b : f32 -> tensor<2000xf32, #copies_of_copies>
  %a = tile.alloc : !tile.buffer<2000xf32, #shared>
  %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #copies_of_copies>
  tile.local_store %t, %a : tensor<2000xf32, #copies_of_copies> -> !tile.buffer<2000xf32, #shared>
  return
}

// A buffer in the place of another: stores wait for the loads of that one, and a load for those. What lies elsewhere
// disturbs nobody.
// CHECK-LABEL: func.func @same_place
// CHECK: tile.alloc {{.*}}tile.offset = 0 : i32
// CHECK-NEXT: tile.alloc : {{.*}}tile.offset = 8192 : i32
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.alloc {{.*}}tile.offset = 0 : i32
// CHECK-NEXT: tile.local_load
// CHECK-NOT: gpu.barrier
func.func @same_place(%x: f32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  %c = tile.alloc : !tile.buffer<2000xf32, #shared>
  %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  tile.local_store %v, %c : tensor<2000xf32, #other> -> !tile.buffer<2000xf32, #shared>
  %b = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  %w = tile.local_load %c : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
  tile.local_store %w, %b : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  return
}

// The loads of a round are under way when the next one stores.
// CHECK-LABEL: func.func @around_a_loop
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: }
func.func @around_a_loop(%x: f32, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc : !tile.buffer<2000xf32, #shared>
  scf.for %i = %zero to %n step %one : i32 {
    tile.local_store %t, %a : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  }
  return
}

// Which of two buffers it is is not known: it may be the one just stored to.
// CHECK-LABEL: func.func @either
// CHECK: tile.local_store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
func.func @either(%x: f32, %which: i1) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc : !tile.buffer<2000xf32, #shared>
  %b = tile.alloc : !tile.buffer<2000xf32, #shared>
  %c = arith.select %which, %a, %b : !tile.buffer<2000xf32, #shared>
  tile.local_store %t, %a : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  %v = tile.local_load %c : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
  return
}

// One that stands there already counts.
// CHECK-LABEL: func.func @already_there
// CHECK: tile.alloc
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NOT: gpu.barrier
func.func @already_there(%x: f32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  gpu.barrier
  %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  return
}

// A branch without another one may be passed by, and the barrier in it too; of two, one is taken.
// CHECK-LABEL: func.func @one_branch
// CHECK: scf.if
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
func.func @one_branch(%x: f32, %which: i1) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  scf.if %which {
    %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  }
  %w = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  return
}

// CHECK-LABEL: func.func @two_branches
// CHECK: scf.if
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: } else {
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NOT: gpu.barrier
func.func @two_branches(%x: f32, %which: i1) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  scf.if %which {
    %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  } else {
    %w = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  }
  %u = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  return
}

// Nor does a loop help that may have no round.
// CHECK-LABEL: func.func @behind_a_loop
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
func.func @behind_a_loop(%x: f32, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc %t : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
  scf.for %i = %zero to %n step %one : i32 {
    %v = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  }
  %w = tile.local_load %a : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #other>
  return
}

// The same of buffers that go around a loop: which they are is known when the loop has been looked at.
// CHECK-LABEL: func.func @either_in_a_loop
// CHECK: scf.for
// CHECK-NEXT: arith.select
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.local_load
func.func @either_in_a_loop(%x: f32, %which: i1, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %t = tile.splat %x : f32 -> tensor<2000xf32, #row>
  %a = tile.alloc : !tile.buffer<2000xf32, #shared>
  %b = tile.alloc : !tile.buffer<2000xf32, #shared>
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b) -> (!tile.buffer<2000xf32, #shared>, !tile.buffer<2000xf32, #shared>) : i32 {
    %c = arith.select %which, %p, %q : !tile.buffer<2000xf32, #shared>
    tile.local_store %t, %a : tensor<2000xf32, #row> -> !tile.buffer<2000xf32, #shared>
    %v = tile.local_load %c : !tile.buffer<2000xf32, #shared> -> tensor<2000xf32, #row>
    scf.yield %q, %p : !tile.buffer<2000xf32, #shared>, !tile.buffer<2000xf32, #shared>
  }
  return
}

// -----

#rows = #tile.layout<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]}>
#columns = #tile.layout<{register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4]]}>
#turned = #tile.layout<{register = [[2, 0]], lane = [[1, 0], [4, 0], [8, 0], [0, 1], [0, 4]], warp = [[0, 2]]}>

// Exchanges beside one another: each one's own barrier is enough.
// CHECK-LABEL: func.func @exchanges
// CHECK-NOT: gpu.barrier
func.func @exchanges(%x: f32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<16x8xf32, #rows>
  %b = tile.convert_layout %a : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #columns>
  %c = tile.convert_layout %b : tensor<16x8xf32, #columns> -> tensor<16x8xf32, #turned>
  return
}

// A loop with one exchange meets it again; with two the barrier of each one ends the loads of the other.
// CHECK-LABEL: func.func @one_in_a_loop
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NEXT: tile.convert_layout
// CHECK-NOT: gpu.barrier
func.func @one_in_a_loop(%x: f32, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %a = tile.splat %x : f32 -> tensor<16x8xf32, #rows>
    %b = tile.convert_layout %a : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #columns>
  }
  return
}

// CHECK-LABEL: func.func @two_in_a_loop
// CHECK-NOT: gpu.barrier
func.func @two_in_a_loop(%x: f32, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %a = tile.splat %x : f32 -> tensor<16x8xf32, #rows>
    %b = tile.convert_layout %a : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #columns>
    %c = tile.convert_layout %b : tensor<16x8xf32, #columns> -> tensor<16x8xf32, #turned>
  }
  return
}

// The barrier within an exchange is one for accesses of global memory as well.
// CHECK-LABEL: func.func @global
// CHECK: tile.store
// CHECK-NOT: gpu.barrier
// CHECK: tile.load
func.func @global(%p: !tile.ptr<f32>, %x: f32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  tile.store %p, %x : !tile.ptr<f32>
  %a = tile.splat %x : f32 -> tensor<16x8xf32, #rows>
  %b = tile.convert_layout %a : tensor<16x8xf32, #rows> -> tensor<16x8xf32, #columns>
  %y = tile.load %p : !tile.ptr<f32>
  return
}

// -----

#of_registers = #tile.layout<{register = [[1], [2], [4], [8], [16], [32]], lane = [[64], [128], [256], [512], [1024]], warp = [[2048]]}>
#of_lanes = #tile.layout<{register = [[64], [128], [256], [512], [1024], [32]], lane = [[1], [2], [4], [8], [16]], warp = [[2048]]}>

// An exchange that keeps within each warp waits for its own warp alone, around a loop as well; another one in its place,
// where a warp's bytes may be those of another warp, for the whole block.
// CHECK-LABEL: func.func @within_warps
// CHECK: scf.for
// CHECK-NEXT: tile.convert_layout {{.*}}tile.offset = 0 : i32, tile.within_warps} :
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.convert_layout {{.*}}tile.offset = 0 : i32, tile.within_warps
func.func @within_warps(%x: f64, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.splat %x : f64 -> tensor<4096xf64, #of_registers>
  scf.for %i = %zero to %n step %one : i32 {
    %b = tile.convert_layout %a : tensor<4096xf64, #of_registers> -> tensor<4096xf64, #of_lanes>
  }
  %c = tile.convert_layout %a : tensor<4096xf64, #of_registers> -> tensor<4096xf64, #of_lanes>
  return
}
