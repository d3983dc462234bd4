// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-insert-barriers)' | FileCheck %s

#row = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>

// Every access of an element is by one thread: nothing to wait for, whether or not the arguments are the same.
// CHECK-LABEL: func.func @add
// CHECK-NOT: gpu.barrier
func.func @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id x : i32
  %size = arith.constant 512 : i32
  %start = arith.muli %pid, %size : i32
  %starts = tile.splat %start : i32 -> tensor<512xi32, #row>
  %lanes = tile.range 0, 512 : tensor<512xi32, #row>
  %offs = arith.addi %starts, %lanes : tensor<512xi32, #row>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %xp = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %yp = tile.addptr %ys, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %zp = tile.addptr %zs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %a = tile.load %xp : tensor<512x!tile.ptr<f32>, #row>
  %b = tile.load %yp : tensor<512x!tile.ptr<f32>, #row>
  %c = arith.addf %a, %b : tensor<512xf32, #row>
  tile.store %zp, %c : tensor<512x!tile.ptr<f32>, #row>
  return
}

// Loads do not disturb one another.
// CHECK-LABEL: func.func @loads
// CHECK-NOT: gpu.barrier
func.func @loads(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %a = tile.load %x : !tile.ptr<f32>
  %b = tile.load %x : !tile.ptr<f32>
  return
}

// -----

#row = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>

// A shift in place: an element is read by one thread and written by its neighbour.
// CHECK-LABEL: func.func @shift
// CHECK: tile.load
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
// CHECK-NOT: gpu.barrier
func.func @shift(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %offs = tile.range 0, 512 : tensor<512xi32, #row>
  %ones = arith.constant dense<1> : tensor<512xi32, #row>
  %next = arith.addi %offs, %ones : tensor<512xi32, #row>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %from = tile.addptr %xs, %next : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %to = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %a = tile.load %from : tensor<512x!tile.ptr<f32>, #row>
  tile.store %to, %a : tensor<512x!tile.ptr<f32>, #row>
  return
}

// The same shift, hidden in the base: the offsets are the very same.
// CHECK-LABEL: func.func @shifted_base
// CHECK: tile.load
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
func.func @shifted_base(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %x1 = tile.addptr %x, %one : !tile.ptr<f32>, i32
  %offs = tile.range 0, 512 : tensor<512xi32, #row>
  %xs1 = tile.splat %x1 : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %from = tile.addptr %xs1, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %to = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %a = tile.load %from : tensor<512x!tile.ptr<f32>, #row>
  tile.store %to, %a : tensor<512x!tile.ptr<f32>, #row>
  return
}

// A base that was chosen may be any of those that it was chosen from.
// CHECK-LABEL: func.func @chosen_base
// CHECK: tile.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.store
func.func @chosen_base(%x: !tile.ptr<f32>, %which: i1) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  %x1 = tile.addptr %x, %one : !tile.ptr<f32>, i32
  %p = arith.select %which, %x, %x1 : !tile.ptr<f32>
  %offs = tile.range 0, 512 : tensor<512xi32, #row>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %from = tile.addptr %ps, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %to = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %a = tile.load %from : tensor<512x!tile.ptr<f32>, #row>
  tile.store %to, %a : tensor<512x!tile.ptr<f32>, #row>
  return
}

// The same way from one base, over a scalar and a tile of offsets.
// CHECK-LABEL: func.func @moved_base
// CHECK-NOT: gpu.barrier
func.func @moved_base(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %xn = tile.addptr %x, %n : !tile.ptr<f32>, i32
  %offs = tile.range 0, 512 : tensor<512xi32, #row>
  %xs = tile.splat %xn : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %at = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %a = tile.load %at : tensor<512x!tile.ptr<f32>, #row>
  tile.store %at, %a : tensor<512x!tile.ptr<f32>, #row>
  return
}

// Elements of another size overlap with others.
// CHECK-LABEL: func.func @sizes
// CHECK: tile.load
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
func.func @sizes(%x: !tile.ptr<f32>, %y: !tile.ptr<f16>) attributes {tile.kernel} {
  %offs = tile.range 0, 512 : tensor<512xi32, #row>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<512x!tile.ptr<f16>, #row>
  %from = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %to = tile.addptr %ys, %offs : tensor<512x!tile.ptr<f16>, #row>, tensor<512xi32, #row>
  %a = tile.load %from : tensor<512x!tile.ptr<f32>, #row>
  %b = arith.truncf %a : tensor<512xf32, #row> to tensor<512xf16, #row>
  tile.store %to, %b : tensor<512x!tile.ptr<f16>, #row>
  return
}

// Elements that share an address belong to different threads.
// CHECK-LABEL: func.func @halves
// CHECK: tile.load
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
func.func @halves(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %lanes = tile.range 0, 512 : tensor<512xi32, #row>
  %two = arith.constant dense<2> : tensor<512xi32, #row>
  %offs = tile.div_u %lanes, %two : tensor<512xi32, #row>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %at = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %a = tile.load %at : tensor<512x!tile.ptr<f32>, #row>
  tile.store %at, %a : tensor<512x!tile.ptr<f32>, #row>
  return
}

// -----

#row = #tile.layout<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = []}>
#rows = #tile.layout<{register = [], lane = [[0], [0], [0], [1], [2]], warp = []}>
#columns = #tile.layout<{register = [[1]], lane = [[2], [4], [8], [0], [0]], warp = []}>

// Rows of 16 elements at a known distance of 16 do not overlap; at one that only run time knows they may.
// CHECK-LABEL: func.func @rows
// CHECK: tile.load
// CHECK-NOT: gpu.barrier
// CHECK: tile.store
// CHECK: tile.load
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
func.func @rows(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.range 0, 4 : tensor<4xi32, #rows>
  %r1 = tile.expand_dims %r, 1 : tensor<4xi32, #rows> -> tensor<4x1xi32, #tile.layout<{register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = []}>>
  %r2 = tile.broadcast %r1 : tensor<4x1xi32, #tile.layout<{register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = []}>> -> tensor<4x16xi32, #row>
  %c = tile.range 0, 16 : tensor<16xi32, #columns>
  %c1 = tile.expand_dims %c, 0 : tensor<16xi32, #columns> -> tensor<1x16xi32, #tile.layout<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 0], [0, 0]], warp = []}>>
  %c2 = tile.broadcast %c1 : tensor<1x16xi32, #tile.layout<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 0], [0, 0]], warp = []}>> -> tensor<4x16xi32, #row>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x16x!tile.ptr<f32>, #row>
  %sixteen = arith.constant dense<16> : tensor<4x16xi32, #row>
  %known = arith.muli %r2, %sixteen : tensor<4x16xi32, #row>
  %offs = arith.addi %known, %c2 : tensor<4x16xi32, #row>
  %at = tile.addptr %xs, %offs : tensor<4x16x!tile.ptr<f32>, #row>, tensor<4x16xi32, #row>
  %a = tile.load %at : tensor<4x16x!tile.ptr<f32>, #row>
  tile.store %at, %a : tensor<4x16x!tile.ptr<f32>, #row>
  gpu.barrier
  %ns = tile.splat %n : i32 -> tensor<4x16xi32, #row>
  %unknown = arith.muli %r2, %ns : tensor<4x16xi32, #row>
  %offs2 = arith.addi %unknown, %c2 : tensor<4x16xi32, #row>
  %at2 = tile.addptr %xs, %offs2 : tensor<4x16x!tile.ptr<f32>, #row>, tensor<4x16xi32, #row>
  %b = tile.load %at2 : tensor<4x16x!tile.ptr<f32>, #row>
  tile.store %at2, %b : tensor<4x16x!tile.ptr<f32>, #row>
  return
}

// -----

#row = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>
#other = #tile.layout<{register = [[128], [256]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
#copies = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]}>

// In another layout the same element has another thread.
// CHECK-LABEL: func.func @layouts
// CHECK: tile.load
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
func.func @layouts(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %offs = tile.range 0, 512 : tensor<512xi32, #row>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %from = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %a = tile.load %from : tensor<512x!tile.ptr<f32>, #row>
  %b = tile.convert_layout %a : tensor<512xf32, #row> -> tensor<512xf32, #other>
  %to = tile.convert_layout %from : tensor<512x!tile.ptr<f32>, #row> -> tensor<512x!tile.ptr<f32>, #other>
  tile.store %to, %b : tensor<512x!tile.ptr<f32>, #other>
  return
}

// Four warps read an element that one of them writes.
// CHECK-LABEL: func.func @copies
// CHECK: tile.load
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
func.func @copies(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %offs = tile.range 0, 32 : tensor<32xi32, #copies>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #copies>
  %at = tile.addptr %xs, %offs : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xi32, #copies>
  %a = tile.load %at : tensor<32x!tile.ptr<f32>, #copies>
  tile.store %at, %a : tensor<32x!tile.ptr<f32>, #copies>
  return
}

// A scalar is read by all threads and written by one.
// CHECK-LABEL: func.func @scalars
// CHECK: tile.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: return
func.func @scalars(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %a = tile.load %x : !tile.ptr<f32>
  tile.store %x, %a : !tile.ptr<f32>
  %b = tile.load %x : !tile.ptr<f32>
  return
}

// -----

#row = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>

// Within an iteration each thread stays with its elements; the next one reads what others may have written.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for
// CHECK-NOT: tile.store
// CHECK: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK: tile.store
// CHECK-NOT: gpu.barrier
func.func @carried(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %offs = tile.range 0, 512 : tensor<512xi32, #row>
  scf.for %i = %zero to %n step %one : i32 {
    %is = tile.splat %i : i32 -> tensor<512xi32, #row>
    %moved = arith.addi %offs, %is : tensor<512xi32, #row>
    %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
    %at = tile.addptr %xs, %moved : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
    %a = tile.load %at : tensor<512x!tile.ptr<f32>, #row>
    tile.store %at, %a : tensor<512x!tile.ptr<f32>, #row>
  }
  return
}

// Offsets from outside the loop are the same in every iteration.
// CHECK-LABEL: func.func @invariant
// CHECK-NOT: gpu.barrier
func.func @invariant(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %offs = tile.range 0, 512 : tensor<512xi32, #row>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %at = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  scf.for %i = %zero to %n step %one : i32 {
    %a = tile.load %at : tensor<512x!tile.ptr<f32>, #row>
    tile.store %at, %a : tensor<512x!tile.ptr<f32>, #row>
  }
  return
}

// What a loop may leave behind counts after it, and what a branch leaves behind after the branch.
// CHECK-LABEL: func.func @after
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
// CHECK: }
// CHECK: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK: scf.if
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.store
// CHECK: }
// CHECK: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: return
func.func @after(%x: !tile.ptr<f32>, %v: f32, %n: i32, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tile.store %x, %v : !tile.ptr<f32>
  }
  %a = tile.load %x : !tile.ptr<f32>
  scf.if %c {
    tile.store %x, %v : !tile.ptr<f32>
  }
  %b = tile.load %x : !tile.ptr<f32>
  return
}

// A loop of scf.while is left after its test: what the test leaves behind counts after the loop, whatever the body does.
// CHECK-LABEL: func.func @after_test
// CHECK: scf.while
// CHECK: tile.store
// CHECK: scf.condition
// CHECK: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK: scf.yield
// CHECK: }
// CHECK: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: return
func.func @after_test(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %v: f32, %c: i1) attributes {tile.kernel} {
  scf.while : () -> () {
    tile.store %x, %v : !tile.ptr<f32>
    scf.condition(%c)
  } do {
    %a = tile.load %y : !tile.ptr<f32>
    scf.yield
  }
  %b = tile.load %x : !tile.ptr<f32>
  return
}

// Only what comes around from the inner loop asks for a barrier in the outer one.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK-NEXT: scf.while
// CHECK: scf.condition
// CHECK: gpu.barrier
// CHECK-NEXT: tile.store
func.func @nested(%x: !tile.ptr<f32>, %v: f32, %n: i32, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %a = tile.load %x : !tile.ptr<f32>
    scf.while : () -> () {
      scf.condition(%c)
    } do {
      tile.store %x, %v : !tile.ptr<f32>
      scf.yield
    }
  }
  return
}
