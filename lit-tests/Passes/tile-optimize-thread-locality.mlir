// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-assign-layouts,tile-coalesce-memory,tile-optimize-thread-locality)' | FileCheck %s

// Rows are spread over warps. Their sum is taken where warps have columns: what lanes had of them.
// A warp still asks for 64 bytes in a row, and each thread for 16.
// CHECK-DAG: #[[$LOCAL:.*]] = #tile.layout<{register = {{\[\[}}0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 4], [0, 8], [4, 0], [2, 0], [1, 0]], warp = {{\[\[}}0, 32], [0, 16]]}>
// CHECK-LABEL: func.func @columns
// CHECK: %[[C:.*]] = tile.convert_layout %{{.*}} : tensor<64x64xf32, #{{.*}}> -> tensor<64x64xf32, #[[$LOCAL]]>
// CHECK: tile.reduce %[[C]] along 0 : tensor<64x64xf32, #[[$LOCAL]]>
func.func @columns(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0, 64 : tensor<64xi32>
  %i1 = tile.expand_dims %i, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %i2 = tile.broadcast %i1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %j1 = tile.expand_dims %i, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %j2 = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %size = arith.constant dense<64> : tensor<64x64xi32>
  %row = arith.muli %i2, %size : tensor<64x64xi32>
  %at = arith.addi %row, %j2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ptrs = tile.addptr %ps, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %ptrs : tensor<64x64x!tile.ptr<f32>>
  %m = tile.reduce %x along 0 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %qp, %m : tensor<64x!tile.ptr<f32>>
  return
}

// -----

// A reduction within warps is left alone; so is one of a single row, which has nothing to exchange.
// CHECK-LABEL: func.func @within
// CHECK: %[[X:.*]] = arith.constant
// CHECK-NEXT: tile.reduce %[[X]] along 1
// CHECK-LABEL: func.func @single
// CHECK: %[[X:.*]] = arith.constant
// CHECK-NEXT: tile.reduce %[[X]] along 0
func.func @within(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = arith.constant dense<1> : tensor<8x32xi32>
  %s = tile.reduce %x along 1 : tensor<8x32xi32> -> tensor<8xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  tile.store %ps, %s : tensor<8x!tile.ptr<i32>>
  return
}
func.func @single(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = arith.constant dense<1> : tensor<1024xi32>
  %s = tile.reduce %x along 0 : tensor<1024xi32> -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %s : !tile.ptr<i32>
  return
}

// -----

// A sum in every round: threads add up what they hold, and reduce it once, behind the loop, to what it began with. The
// carried tile begins with zeros, so that no round gives what it began with.
// CHECK-LABEL: func.func @total
// CHECK-SAME: %[[N:[^:]*]]: i32, %[[FIRST:[^:]*]]: i32
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<512xi32, #[[L:.*]]>
// CHECK: %[[ALL:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZEROS]]) -> (tensor<512xi32, #[[L]]>)
// CHECK-NOT: tile.reduce
// CHECK: %[[X:.*]] = tile.load
// CHECK-NOT: tile.reduce
// CHECK: %[[NEXT:.*]] = arith.addi %[[SUM]], %[[X]] : tensor<512xi32, #[[L]]>
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[R:.*]] = tile.reduce %[[ALL]] along 0
// CHECK: %[[T:.*]] = arith.addi %[[FIRST]], %[[R]] : i32
// CHECK: tile.store %{{.*}}, %[[T]]
func.func @total(%p: !tile.ptr<i32>, %n: i32, %first: i32) attributes {tile.kernel} {
  %i = tile.range 0, 512 : tensor<512xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %zero = arith.constant 0 : i32
  %step = arith.constant 512 : i32
  %t = scf.for %k = %zero to %n step %step iter_args(%sum = %first) -> (i32) : i32 {
    %ks = tile.splat %k : i32 -> tensor<512xi32>
    %at = arith.addi %ks, %i : tensor<512xi32>
    %ptrs = tile.addptr %ps, %at : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
    %x = tile.load %ptrs : tensor<512x!tile.ptr<i32>>
    %s = tile.reduce %x along 0 : tensor<512xi32> -> i32 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %b, %a : i32
      tile.yield %c : i32
    }
    %next = arith.addi %sum, %s : i32
    scf.yield %next : i32
  }
  tile.store %p, %t : !tile.ptr<i32>
  return
}

// -----

// Rows of a tile, and two at once: a maximum of floats, which ignores NaN and begins with it; and a third value, which is
// carried as before.
// CHECK-LABEL: func.func @rows
// CHECK: %[[NANS:.*]] = arith.constant dense<0x7FC00000> : tensor<8x64xf32, #[[L:.*]]>
// CHECK: %[[ONES:.*]] = arith.constant dense<-1> : tensor<8x64xi32, #[[L]]>
// CHECK: %[[ALL:.*]]:3 = scf.for {{.*}} iter_args(%[[MAX:.*]] = %[[NANS]], %[[I:.*]] = %{{.*}}, %[[AND:.*]] = %[[ONES]]) -> (tensor<8x64xf32, #[[L]]>, i32, tensor<8x64xi32, #[[L]]>)
// CHECK: arith.maxnumf %[[MAX]], %{{.*}} : tensor<8x64xf32, #[[L]]>
// CHECK: arith.andi %[[AND]], %{{.*}} : tensor<8x64xi32, #[[L]]>
// CHECK-NOT: tile.reduce
// CHECK: scf.yield
// CHECK-DAG: tile.reduce %[[ALL]]#0 along 1
// CHECK-DAG: tile.reduce %[[ALL]]#2 along 1
// CHECK-DAG: arith.maxnumf %{{.*}}, %{{.*}} : tensor<8xf32, #{{.*}}>
// CHECK-DAG: arith.andi %{{.*}}, %{{.*}} : tensor<8xi32, #{{.*}}>
func.func @rows(%p: !tile.ptr<f32>, %q: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %low = arith.constant dense<0xFF800000> : tensor<8xf32>
  %bits = arith.constant dense<7> : tensor<8xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:3 = scf.for %k = %zero to %n step %one iter_args(%m = %low, %c = %zero, %b = %bits) -> (tensor<8xf32>, i32, tensor<8xi32>) : i32 {
    %xs = tile.splat %p : !tile.ptr<f32> -> tensor<8x64x!tile.ptr<f32>>
    %x = tile.load %xs : tensor<8x64x!tile.ptr<f32>>
    %ys = tile.splat %q : !tile.ptr<i32> -> tensor<8x64x!tile.ptr<i32>>
    %y = tile.load %ys : tensor<8x64x!tile.ptr<i32>>
    %s = tile.reduce %x along 1 : tensor<8x64xf32> -> tensor<8xf32> {
    ^bb0(%a0: f32, %a1: f32):
      %a2 = arith.maxnumf %a0, %a1 : f32
      tile.yield %a2 : f32
    }
    %t = tile.reduce %y along 1 : tensor<8x64xi32> -> tensor<8xi32> {
    ^bb0(%a0: i32, %a1: i32):
      %a2 = arith.andi %a0, %a1 : i32
      tile.yield %a2 : i32
    }
    %m1 = arith.maxnumf %s, %m : tensor<8xf32>
    %b1 = arith.andi %b, %t : tensor<8xi32>
    %c1 = arith.addi %c, %one : i32
    scf.yield %m1, %c1, %b1 : tensor<8xf32>, i32, tensor<8xi32>
  }
  %i = tile.range 0, 8 : tensor<8xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %pp, %r#0 : tensor<8x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %qp = tile.addptr %qs, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %qp, %r#2 : tensor<8x!tile.ptr<i32>>
  tile.store %q, %r#1 : !tile.ptr<i32>
  return
}

// -----

// Out of both loops.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.xori %{{.*}}, %{{.*}} : tensor<128xi32
// CHECK: scf.yield
// CHECK: scf.yield
// CHECK: tile.reduce
// CHECK-NOT: tile.reduce
func.func @nested(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %r = scf.for %j = %zero to %n step %one iter_args(%outer = %n) -> (i32) : i32 {
    %q = scf.for %k = %zero to %n step %one iter_args(%inner = %outer) -> (i32) : i32 {
      %x = tile.load %ps : tensor<128x!tile.ptr<i32>>
      %s = tile.reduce %x along 0 : tensor<128xi32> -> i32 {
      ^bb0(%a: i32, %b: i32):
        %c = arith.xori %a, %b : i32
        tile.yield %c : i32
      }
      %next = arith.xori %inner, %s : i32
      scf.yield %next : i32
    }
    scf.yield %q : i32
  }
  tile.store %p, %r : !tile.ptr<i32>
  return
}

// -----

// Left alone: a sum of floats, whose order is the program's; one that the loop reads; one whose reduction is used for more,
// or is by another operation; one that a thread takes by itself; and one of so many numbers that threads cannot keep them.
// CHECK-LABEL: func.func @left
// CHECK: scf.for {{.*}} -> (f32, i32, i32, i32, tensor<128xi32, #{{.*}}>, i32)
// CHECK-COUNT-6: tile.reduce
// CHECK: scf.yield
// CHECK-NOT: tile.reduce
func.func @left(%p: !tile.ptr<i32>, %f: f32, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0> : tensor<128xi32>
  %fs = tile.splat %f : f32 -> tensor<64xf32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %qs = tile.splat %p : !tile.ptr<i32> -> tensor<2x128x!tile.ptr<i32>>
  %os = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %ms = tile.splat %p : !tile.ptr<i32> -> tensor<2048x!tile.ptr<i32>>
  %r:6 = scf.for %k = %zero to %n step %one iter_args(%a = %f, %b = %n, %c = %n, %d = %n, %e = %zeros, %g = %n) -> (f32, i32, i32, i32, tensor<128xi32>, i32) : i32 {
    %x = tile.load %ps : tensor<64x!tile.ptr<i32>>
    %y = tile.load %qs : tensor<2x128x!tile.ptr<i32>>
    %z = tile.load %ms : tensor<2048x!tile.ptr<i32>>
    %floats = tile.reduce %fs along 0 : tensor<64xf32> -> f32 {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %0, %1 : f32
      tile.yield %2 : f32
    }
    %a1 = arith.addf %a, %floats : f32
    %read = tile.reduce %x along 0 : tensor<64xi32> -> i32 {
    ^bb0(%0: i32, %1: i32):
      %2 = arith.addi %0, %1 : i32
      tile.yield %2 : i32
    }
    %b1 = arith.addi %b, %read : i32
    tile.store %p, %b : !tile.ptr<i32>
    %more = tile.reduce %x along 0 : tensor<64xi32> -> i32 {
    ^bb0(%0: i32, %1: i32):
      %2 = arith.addi %0, %1 : i32
      tile.yield %2 : i32
    }
    %c1 = arith.addi %c, %more : i32
    tile.store %p, %more : !tile.ptr<i32>
    %other = tile.reduce %x along 0 : tensor<64xi32> -> i32 {
    ^bb0(%0: i32, %1: i32):
      %2 = arith.maxsi %0, %1 : i32
      tile.yield %2 : i32
    }
    %d1 = arith.addi %d, %other : i32
    %alone = tile.reduce %y along 0 : tensor<2x128xi32> -> tensor<128xi32> {
    ^bb0(%0: i32, %1: i32):
      %2 = arith.addi %0, %1 : i32
      tile.yield %2 : i32
    }
    %e1 = arith.addi %e, %alone : tensor<128xi32>
    %many = tile.reduce %z along 0 : tensor<2048xi32> -> i32 {
    ^bb0(%0: i32, %1: i32):
      %2 = arith.addi %0, %1 : i32
      tile.yield %2 : i32
    }
    %g1 = arith.addi %g, %many : i32
    scf.yield %a1, %b1, %c1, %d1, %e1, %g1 : f32, i32, i32, i32, tensor<128xi32>, i32
  }
  tile.store %os, %r#4 : tensor<128x!tile.ptr<i32>>
  %all = arith.addi %r#1, %r#2 : i32
  %all1 = arith.addi %all, %r#3 : i32
  %all2 = arith.addi %all1, %r#5 : i32
  tile.store %p, %all2 : !tile.ptr<i32>
  return
}
