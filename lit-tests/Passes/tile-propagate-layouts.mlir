// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-assign-layouts,tile-coalesce-memory,tile-propagate-layouts)' | FileCheck %s

// One layout serves an elementwise kernel.
// CHECK: #[[$L:.*]] = #tile.layout<{register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]}>
// CHECK-LABEL: func.func @add
// CHECK-NOT: #tile.layout
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[$L]]>
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %offs = tile.range 0, 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %offs, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %a = tile.load %xp, %m : tensor<1024x!tile.ptr<f32>>
  %b = arith.addf %a, %a : tensor<1024xf32>
  tile.store %xp, %b, %m : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// One range serves as rows and as columns: it is made twice, in two layouts. What nobody uses is not made at all.
// CHECK-LABEL: func.func @rows_and_columns
// CHECK-NOT: arith.mulf
// CHECK: tile.range 0, 64 : tensor<64xi32, #[[A:.*]]>
// CHECK-NEXT: tile.range 0, 64 : tensor<64xi32, #[[B:.*]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store
func.func @rows_and_columns(%x: !tile.ptr<i32>, %f: f32) attributes {tile.kernel} {
  %t = tile.splat %f : f32 -> tensor<64xf32>
  %unused = arith.mulf %t, %t : tensor<64xf32>
  %r = tile.range 0, 64 : tensor<64xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c1 = tile.expand_dims %r, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %offs = arith.addi %r2, %c2 : tensor<64x64xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<64x64x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %offs : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
  tile.store %xp, %offs : tensor<64x64x!tile.ptr<i32>>
  return
}

// -----

// A transpose moves its elements once, where they are narrow: before they are widened.
// CHECK-LABEL: func.func @transpose
// CHECK: %[[A:.*]] = tile.load %{{.*}} : tensor<128x128x!tile.ptr<f16>, #[[ROWS:.*]]>
// CHECK-NEXT: %[[C:.*]] = tile.convert_layout %[[A]] : tensor<128x128xf16, #[[ROWS]]> -> tensor<128x128xf16, #[[COLUMNS:.*]]>
// CHECK-NOT: tile.convert_layout
// CHECK: %[[E:.*]] = arith.extf %[[C]]
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<128x128x!tile.ptr<f32>, #[[COLUMNS]]>
func.func @transpose(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel} {
  %r = tile.range 0, 128 : tensor<128xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<128xi32> -> tensor<128x1xi32>
  %r2 = tile.broadcast %r1 : tensor<128x1xi32> -> tensor<128x128xi32>
  %c1 = tile.expand_dims %r, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %c2 = tile.broadcast %c1 : tensor<1x128xi32> -> tensor<128x128xi32>
  %size = arith.constant dense<128> : tensor<128x128xi32>
  %rs = arith.muli %r2, %size : tensor<128x128xi32>
  %cs = arith.muli %c2, %size : tensor<128x128xi32>
  %from = arith.addi %rs, %c2 : tensor<128x128xi32>
  %to = arith.addi %cs, %r2 : tensor<128x128xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %from : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  %yp = tile.addptr %ys, %to : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xi32>
  %a = tile.load %xp : tensor<128x128x!tile.ptr<f16>>
  %e = arith.extf %a : tensor<128x128xf16> to tensor<128x128xf32>
  %d = arith.addf %e, %e : tensor<128x128xf32>
  tile.store %yp, %d : tensor<128x128x!tile.ptr<f32>>
  return
}

// -----

// Rows less their largest element, scaled by column. What a reduction leaves comes back to the rows without a conversion,
// and the small row of scales is loaded where the tile wants it.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: tile.convert_layout
// CHECK: %[[X:.*]] = tile.load %{{.*}} : tensor<16x128x!tile.ptr<f32>, #[[ROWS:.*]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.reduce %[[X]] along 1 : tensor<16x128xf32, #[[ROWS]]> -> tensor<16xf32, #{{.*}}> {
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}} : tensor<16x128x!tile.ptr<f32>, #[[ROWS]]>
func.func @rows(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %w: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c128 = arith.constant dense<128> : tensor<16x128xi32>
  %i = tile.range 0, 16 : tensor<16xi32>
  %i1 = tile.expand_dims %i, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %i2 = tile.broadcast %i1 : tensor<16x1xi32> -> tensor<16x128xi32>
  %j = tile.range 0, 128 : tensor<128xi32>
  %j1 = tile.expand_dims %j, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %j2 = tile.broadcast %j1 : tensor<1x128xi32> -> tensor<16x128xi32>
  %row = arith.muli %i2, %c128 : tensor<16x128xi32>
  %at = arith.addi %row, %j2 : tensor<16x128xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x128x!tile.ptr<f32>>
  %ptrs = tile.addptr %ps, %at : tensor<16x128x!tile.ptr<f32>>, tensor<16x128xi32>
  %x = tile.load %ptrs : tensor<16x128x!tile.ptr<f32>>
  %m = tile.reduce %x along 1 : tensor<16x128xf32> -> tensor<16xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %m1 = tile.expand_dims %m, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %m2 = tile.broadcast %m1 : tensor<16x1xf32> -> tensor<16x128xf32>
  %y = arith.subf %x, %m2 : tensor<16x128xf32>
  %ws = tile.splat %w : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %wp = tile.addptr %ws, %j : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %wv = tile.load %wp : tensor<128x!tile.ptr<f32>>
  %w1 = tile.expand_dims %wv, 0 : tensor<128xf32> -> tensor<1x128xf32>
  %w2 = tile.broadcast %w1 : tensor<1x128xf32> -> tensor<16x128xf32>
  %z = arith.mulf %y, %w2 : tensor<16x128xf32>
  tile.store %ptrs, %z : tensor<16x128x!tile.ptr<f32>>
  return
}

// -----

// Carried values have the layout of what the body adds to them, inside and outside: pointers that of the load.
// CHECK: #[[$L:.*]] = #tile.layout<{register = {{\[\[}}1], [2]], lane = {{.*}}
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} -> (tensor<512xf32, #[[$L]]>, tensor<512x!tile.ptr<f32>, #[[$L]]>) : i32
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<512xf32, #[[$L]]>, tensor<512x!tile.ptr<f32>, #[[$L]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<512x!tile.ptr<f32>, #[[$L]]>
func.func @carried(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %offs = tile.range 0, 512 : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %start = arith.constant dense<0.0> : tensor<512xf32>
  %step = arith.constant dense<512> : tensor<512xi32>
  %sum:2 = scf.for %i = %zero to %n step %one iter_args(%s = %start, %p = %xp) -> (tensor<512xf32>, tensor<512x!tile.ptr<f32>>) : i32 {
    %v = tile.load %p : tensor<512x!tile.ptr<f32>>
    %t = arith.addf %s, %v : tensor<512xf32>
    %q = tile.addptr %p, %step : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
    scf.yield %t, %q : tensor<512xf32>, tensor<512x!tile.ptr<f32>>
  }
  tile.store %xp, %sum#0 : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// What enters a loop otherwise than its body makes it is converted before the loop, what is wanted otherwise behind it,
// behind it.
// CHECK-LABEL: func.func @around_a_loop
// CHECK: tile.load
// CHECK: tile.convert_layout
// CHECK: scf.for
// CHECK-NOT: tile.convert_layout
// CHECK: scf.yield
// CHECK-NOT: tile.load
// CHECK: return
func.func @around_a_loop(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = tile.range 0, 64 : tensor<64xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c1 = tile.expand_dims %r, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %size = arith.constant dense<64> : tensor<64x64xi32>
  %rs = arith.muli %r2, %size : tensor<64x64xi32>
  %cs = arith.muli %c2, %size : tensor<64x64xi32>
  %from = arith.addi %rs, %c2 : tensor<64x64xi32>
  %to = arith.addi %cs, %r2 : tensor<64x64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %from : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %yp = tile.addptr %xs, %to : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %start = tile.load %xp : tensor<64x64x!tile.ptr<f32>>
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (tensor<64x64xf32>) : i32 {
    %v = tile.load %yp : tensor<64x64x!tile.ptr<f32>>
    %t = arith.addf %s, %v : tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  tile.store %yp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// -----

// What is loaded ahead, before the loop and in it, lies as it is loaded; so does what is reduced from it. Nothing moves,
// although the reduction's own layout of before is another.
// CHECK: #[[$FINE:.*]] = #tile.layout<{register = {{\[\[}}0, 1], [0, 2], {{.*}}
// CHECK-LABEL: func.func @ahead
// CHECK-NOT: tile.convert_layout
// CHECK: scf.for {{.*}} -> (tensor<512xf32, #{{.*}}>, tensor<512x4xf32, #[[$FINE]]>)
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @ahead(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 2048 : i32
  %none = arith.constant dense<0.0> : tensor<512xf32>
  %r = tile.range 0, 512 : tensor<512xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<512xi32> -> tensor<512x1xi32>
  %four = arith.constant dense<4> : tensor<512x1xi32>
  %r4 = arith.muli %r1, %four : tensor<512x1xi32>
  %c = tile.range 0, 4 : tensor<4xi32>
  %c1 = tile.expand_dims %c, 0 : tensor<4xi32> -> tensor<1x4xi32>
  %c2 = tile.broadcast %c1 : tensor<1x4xi32> -> tensor<512x4xi32>
  %r2 = tile.broadcast %r4 : tensor<512x1xi32> -> tensor<512x4xi32>
  %offs = arith.addi %r2, %c2 : tensor<512x4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x4x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<512x4x!tile.ptr<f32>>, tensor<512x4xi32>
  %first = tile.load %xp : tensor<512x4x!tile.ptr<f32>>
  %total, %last = scf.for %i = %zero to %n step %step iter_args(%sum = %none, %now = %first) -> (tensor<512xf32>, tensor<512x4xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<512x4xi32>
    %ahead = arith.addi %offs, %is : tensor<512x4xi32>
    %ap = tile.addptr %xs, %ahead : tensor<512x4x!tile.ptr<f32>>, tensor<512x4xi32>
    %next = tile.load %ap : tensor<512x4x!tile.ptr<f32>>
    %part = tile.reduce %now along 1 : tensor<512x4xf32> -> tensor<512xf32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %more = arith.addf %sum, %part : tensor<512xf32>
    scf.yield %more, %next : tensor<512xf32>, tensor<512x4xf32>
  }
  %all = tile.reduce %total along 0 : tensor<512xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  tile.store %out, %all : !tile.ptr<f32>
  return
}

// -----

// Both branches give what the store wants; a while loop carries it around.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: tile.convert_layout
// CHECK: scf.while
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store
// CHECK-NEXT: return
func.func @branches(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %offs = tile.range 0, 500 : tensor<500xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<500x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<500x!tile.ptr<f32>>, tensor<500xi32>
  %zero = arith.constant dense<0.0> : tensor<500xf32>
  %v = scf.if %c -> (tensor<500xf32>) {
    %l = tile.load %xp : tensor<500x!tile.ptr<f32>>
    scf.yield %l : tensor<500xf32>
  } else {
    scf.yield %zero : tensor<500xf32>
  }
  %w = scf.while (%a = %v) : (tensor<500xf32>) -> tensor<500xf32> {
    %d = arith.addf %a, %a : tensor<500xf32>
    scf.condition(%c) %d : tensor<500xf32>
  } do {
  ^bb0(%b: tensor<500xf32>):
    %e = arith.mulf %b, %b : tensor<500xf32>
    scf.yield %e : tensor<500xf32>
  }
  tile.store %xp, %w : tensor<500x!tile.ptr<f32>>
  return
}

// -----

// What is expensive is not done twice: its result is converted. A loaded tile that is not small is not loaded twice.
// CHECK-LABEL: func.func @expensive
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.load
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @expensive(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel} {
  %r = tile.range 0, 64 : tensor<64xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c1 = tile.expand_dims %r, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %size = arith.constant dense<64> : tensor<64x64xi32>
  %rs = arith.muli %r2, %size : tensor<64x64xi32>
  %cs = arith.muli %c2, %size : tensor<64x64xi32>
  %from = arith.addi %rs, %c2 : tensor<64x64xi32>
  %to = arith.addi %cs, %r2 : tensor<64x64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %from : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %yp = tile.addptr %ys, %to : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %v = tile.load %xp : tensor<64x64x!tile.ptr<f32>>
  %e = math.exp %v : tensor<64x64xf32>
  tile.store %xp, %e : tensor<64x64x!tile.ptr<f32>>
  tile.store %yp, %e : tensor<64x64x!tile.ptr<f32>>
  return
}

// -----

// A scan keeps its operand's layout. A reshape that moves elements anyhow takes and gives what is asked for.
// CHECK-LABEL: func.func @moves
// CHECK: tile.scan %{{.*}} along 0 reverse : tensor<24xi32, #[[L:.*]]> {
// CHECK: tile.reshape %{{.*}} : tensor<24xi32, #[[L]]> -> tensor<4x6xi32, #[[M:.*]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<4x6x!tile.ptr<i32>, #[[M]]>
func.func @moves(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.range 0, 24 : tensor<24xi32>
  %s = tile.scan %i along 0 reverse : tensor<24xi32> {
  ^bb0(%a: i32, %b: i32):
    %e = arith.addi %a, %b : i32
    tile.yield %e : i32
  }
  %r = tile.reshape %s : tensor<24xi32> -> tensor<4x6xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<4x6x!tile.ptr<i32>>
  tile.store %ps, %r : tensor<4x6x!tile.ptr<i32>>
  return
}

// -----

// CHECK-LABEL: func.func @scalars
// CHECK-NEXT: %[[V:.*]] = tile.load %{{.*}} : !tile.ptr<f32>
// CHECK-NEXT: tile.store %{{.*}}, %[[V]] : !tile.ptr<f32>
func.func @scalars(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %p : !tile.ptr<f32>
  tile.store %p, %v : !tile.ptr<f32>
  return
}
