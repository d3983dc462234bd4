// RUN: mytriton-opt %s --pass-pipeline='builtin.module(tile-infer-axis-info)' | FileCheck %s

// What is known of the result of each operation, to the number: whether it holds, a property test says.

// Runs stay runs when the same number is added to all, or subtracted from all; two of them side by side are none.
// CHECK-LABEL: func.func @sums
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [1073741824], constancy [1]"}
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [8], constancy [1]"}
// CHECK: tile.splat {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [64]"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64], constant 3"}
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [64], divisibility [16], constancy [1]"}
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [64], divisibility [8], constancy [1]"}
// CHECK: arith.addi {{[^{]*$}}
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [64]"}
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [64], divisibility [1], constancy [1]"}
// CHECK: arith.subi {{.*}}{axis_info = "contiguity [64], divisibility [16], constancy [1]"}
// CHECK: arith.subi {{[^{]*$}}
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64], constant 6"}
// CHECK: arith.subi {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64], constant 0"}
func.func @sums(%n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 0, 64 : tensor<64xi32>
  %from8 = tile.range 8, 72 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %moved = arith.addi %r, %ns : tensor<64xi32>
  %moved_too = arith.addi %ns, %from8 : tensor<64xi32>
  %twice = arith.addi %r, %r : tensor<64xi32>
  %even = arith.addi %ns, %ns : tensor<64xi32>
  %odd = arith.addi %r, %three : tensor<64xi32>
  %back = arith.subi %r, %ns : tensor<64xi32>
  %down = arith.subi %ns, %r : tensor<64xi32>
  %six = arith.addi %three, %three : tensor<64xi32>
  %zero = arith.subi %three, %three : tensor<64xi32>
  return
}

// Times 1 a tile is itself; otherwise its elements lie apart, and are multiples of what both are multiples of.
// CHECK-LABEL: func.func @products
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [1073741824], constancy [1]"}
// CHECK: tile.splat {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [64]"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64], constant 1"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [64], constant 12"}
// CHECK: arith.muli {{.*}}{axis_info = "contiguity [64], divisibility [1073741824], constancy [1]"}
// CHECK: arith.muli {{.*}}{axis_info = "contiguity [64], divisibility [1073741824], constancy [1]"}
// CHECK: arith.muli {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [1]"}
// CHECK: arith.muli {{.*}}{axis_info = "contiguity [1], divisibility [64], constancy [64]"}
// CHECK: arith.muli {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [64], constant 144"}
func.func @products(%n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 0, 64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %twelve = arith.constant dense<12> : tensor<64xi32>
  %itself = arith.muli %r, %one : tensor<64xi32>
  %itself_too = arith.muli %one, %r : tensor<64xi32>
  %far = arith.muli %r, %twelve : tensor<64xi32>
  %large = arith.muli %ns, %twelve : tensor<64xi32>
  %square = arith.muli %twelve, %twelve : tensor<64xi32>
  return
}

// As products with a power of two; by as many bits as there are, nothing is known.
// CHECK-LABEL: func.func @shifts
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [4], constancy [1]"}
// CHECK: tile.splat {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [64]"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1073741824], constancy [64], constant 0"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64], constant 3"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64], constant 31"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [32], constancy [64], constant 32"}
// CHECK: tile.shl {{.*}}{axis_info = "contiguity [64], divisibility [4], constancy [1]"}
// CHECK: tile.shl {{.*}}{axis_info = "contiguity [1], divisibility [8], constancy [1]"}
// CHECK: tile.shl {{.*}}{axis_info = "contiguity [1], divisibility [128], constancy [64]"}
// CHECK: tile.shl {{.*}}{axis_info = "contiguity [1], divisibility [1073741824], constancy [64]"}
// CHECK: tile.shl {{.*}}{axis_info = "contiguity [1], divisibility [8], constancy [64], constant 24"}
// CHECK: tile.shl {{[^{]*$}}
// CHECK: tile.shl {{[^{]*$}}
func.func @shifts(%n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 4, 68 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %none = arith.constant dense<0> : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %most = arith.constant dense<31> : tensor<64xi32>
  %too_many = arith.constant dense<32> : tensor<64xi32>
  %same = tile.shl %r, %none : tensor<64xi32>
  %far = tile.shl %r, %three : tensor<64xi32>
  %large = tile.shl %ns, %three : tensor<64xi32>
  %largest = tile.shl %ns, %most : tensor<64xi32>
  %number = tile.shl %three, %three : tensor<64xi32>
  %nothing = tile.shl %r, %too_many : tensor<64xi32>
  %by_r = tile.shl %ns, %r : tensor<64xi32>
  return
}

// By powers of two alone. Runs of quotients and remainders are those within aligned groups, of unsigned numbers alone:
// truncation breaks a run at zero.
// CHECK-LABEL: func.func @quotients
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [1073741824], constancy [1]"}
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [8], constancy [1]"}
// CHECK: tile.splat {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [64]"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64], constant 1"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64], constant 3"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [64], constant 4"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [64], constant 16"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [64], constant -4"}
// CHECK: tile.div_u {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [4]"}
// CHECK: tile.div_s {{[^{]*$}}
// CHECK: tile.div_u {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [8]"}
// CHECK: tile.div_s {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [64]"}
// CHECK: tile.div_u {{[^{]*$}}
// CHECK: tile.div_s {{[^{]*$}}
// CHECK: tile.rem_u {{.*}}{axis_info = "contiguity [4], divisibility [4], constancy [1]"}
// CHECK: tile.rem_s {{[^{]*$}}
// CHECK: tile.rem_u {{.*}}{axis_info = "contiguity [8], divisibility [8], constancy [1]"}
// CHECK: tile.rem_s {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [64]"}
// CHECK: tile.rem_u {{[^{]*$}}
// CHECK: tile.rem_u {{[^{]*$}}
// CHECK: arith.divui {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [4]"}
// CHECK: arith.remui {{.*}}{axis_info = "contiguity [4], divisibility [4], constancy [1]"}
// CHECK: arith.divsi {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [64]"}
// CHECK: arith.remsi {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [64]"}
func.func @quotients(%n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 0, 64 : tensor<64xi32>
  %from8 = tile.range 8, 72 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  %sixteen = arith.constant dense<16> : tensor<64xi32>
  %minus = arith.constant dense<-4> : tensor<64xi32>
  %a = tile.div_u %r, %four : tensor<64xi32>
  %b = tile.div_s %r, %four : tensor<64xi32>
  %c = tile.div_u %from8, %sixteen : tensor<64xi32>
  %d = tile.div_s %ns, %four : tensor<64xi32>
  %e = tile.div_u %r, %three : tensor<64xi32>
  %f = tile.div_s %r, %minus : tensor<64xi32>
  %g = tile.rem_u %r, %four : tensor<64xi32>
  %h = tile.rem_s %r, %four : tensor<64xi32>
  %i = tile.rem_u %from8, %sixteen : tensor<64xi32>
  %j = tile.rem_s %ns, %four : tensor<64xi32>
  %k = tile.rem_u %r, %three : tensor<64xi32>
  %l = tile.rem_u %r, %one : tensor<64xi32>
  %m = arith.divui %r, %four : tensor<64xi32>
  %o = arith.remui %r, %four : tensor<64xi32>
  %p = arith.divsi %ns, %four : tensor<64xi32>
  %q = arith.remsi %ns, %four : tensor<64xi32>
  return
}

// A mask changes where a run passes a bound, which it does at multiples of both.
// CHECK-LABEL: func.func @comparisons
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [1073741824], constancy [1]"}
// CHECK: tile.splat {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [64]"}
// CHECK: arith.cmpi slt, {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [16]"}
// CHECK: arith.cmpi uge, {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [16]"}
// CHECK: arith.cmpi sle, {{[^{]*$}}
// CHECK: arith.cmpi sgt, {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [16]"}
// CHECK: arith.cmpi ule, {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [16]"}
// CHECK: arith.cmpi ult, {{[^{]*$}}
// CHECK: arith.cmpi eq, {{[^{]*$}}
// CHECK: arith.cmpi ne, {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64]"}
func.func @comparisons(%n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 0, 64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %a = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %b = arith.cmpi uge, %r, %ns : tensor<64xi32>
  %c = arith.cmpi sle, %r, %ns : tensor<64xi32>
  %d = arith.cmpi sgt, %ns, %r : tensor<64xi32>
  %e = arith.cmpi ule, %ns, %r : tensor<64xi32>
  %f = arith.cmpi ult, %ns, %r : tensor<64xi32>
  %g = arith.cmpi eq, %r, %ns : tensor<64xi32>
  %h = arith.cmpi ne, %ns, %ns : tensor<64xi32>
  return
}

// A mask chooses group by group, a scalar for all.
// CHECK-LABEL: func.func @choices
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [1073741824], constancy [1]"}
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [8], constancy [1]"}
// CHECK: tile.splat {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [64]"}
// CHECK: arith.cmpi slt, {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [16]"}
// CHECK: arith.select {{.*}}{axis_info = "contiguity [16], divisibility [8], constancy [1]"}
// CHECK: arith.select {{.*}}{axis_info = "contiguity [64], divisibility [8], constancy [1]"}
// CHECK: arith.select {{[^{]*$}}
// CHECK: arith.select {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [16]"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [64], constant 4"}
// CHECK: tile.div_u {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [4]"}
// CHECK: arith.andi {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [4]"}
// CHECK: arith.ori {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [64]"}
// CHECK: arith.xori {{[^{]*$}}
func.func @choices(%n: i32 {tile.divisibility = 16 : i32}, %which: i1) attributes {tile.kernel} {
  %r = tile.range 0, 64 : tensor<64xi32>
  %from8 = tile.range 8, 72 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %a = arith.select %mask, %r, %from8 : tensor<64xi1>, tensor<64xi32>
  %b = arith.select %which, %r, %from8 : tensor<64xi32>
  %c = arith.select %which, %ns, %r : tensor<64xi32>
  %d = arith.select %mask, %ns, %ns : tensor<64xi1>, tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  %lines = tile.div_u %r, %four : tensor<64xi32>
  %e = arith.andi %lines, %ns : tensor<64xi32>
  %f = arith.ori %ns, %ns : tensor<64xi32>
  %g = arith.xori %r, %lines : tensor<64xi32>
  return
}

// Small integers overflow: aligned runs survive that, and constants are those of the type.
// CHECK-LABEL: func.func @widths
// CHECK: tile.range {{.*}}{axis_info = "contiguity [512], divisibility [1073741824], constancy [1]"}
// CHECK: tile.range {{.*}}{axis_info = "contiguity [512], divisibility [8], constancy [1]"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [512], constant 511"}
// CHECK: arith.trunci {{.*}}{axis_info = "contiguity [128], divisibility [128], constancy [1]"}
// CHECK: arith.trunci {{.*}}{axis_info = "contiguity [512], divisibility [8], constancy [1]"}
// CHECK: arith.trunci {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [512], constant -1"}
// CHECK: arith.extsi {{.*}}{axis_info = "contiguity [512], divisibility [1073741824], constancy [1]"}
// CHECK: arith.extsi {{.*}}{axis_info = "contiguity [128], divisibility [128], constancy [1]"}
// CHECK: arith.extsi {{.*}}{axis_info = "contiguity [8], divisibility [8], constancy [1]"}
// CHECK: arith.extui {{.*}}{axis_info = "contiguity [8], divisibility [8], constancy [1]"}
// CHECK: arith.extui {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [512], constant 255"}
// CHECK: arith.extsi {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [512], constant -1"}
// CHECK: arith.extui {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [512], constant 511"}
// CHECK: arith.extsi {{.*}}{axis_info = "contiguity [512], divisibility [8], constancy [1]"}
func.func @widths(%n: i8 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 0, 512 : tensor<512xi32>
  %from8 = tile.range 8, 520 : tensor<512xi32>
  %large = arith.constant dense<511> : tensor<512xi32>
  %a = arith.trunci %r : tensor<512xi32> to tensor<512xi8>
  %b = arith.trunci %from8 : tensor<512xi32> to tensor<512xi16>
  %c = arith.trunci %large : tensor<512xi32> to tensor<512xi8>
  %d = arith.extsi %r : tensor<512xi32> to tensor<512xi64>
  %e = arith.extsi %a : tensor<512xi8> to tensor<512xi32>
  %f = arith.extsi %b : tensor<512xi16> to tensor<512xi32>
  %g = arith.extui %from8 : tensor<512xi32> to tensor<512xi64>
  %h = arith.extui %c : tensor<512xi8> to tensor<512xi32>
  %i = arith.extsi %c : tensor<512xi8> to tensor<512xi32>
  %j = arith.extui %large : tensor<512xi32> to tensor<512xi64>
  %k = arith.extsi %from8 : tensor<512xi32> to tensor<512xi64>
  return
}

// Along each dimension by itself; a row that ends breaks a run, and pointers are counted in bytes.
// CHECK-LABEL: func.func @shapes
// CHECK: tile.range {{.*}}{axis_info = "contiguity [32], divisibility [16], constancy [1]"}
// CHECK: tile.range {{.*}}{axis_info = "contiguity [16], divisibility [1073741824], constancy [1]"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [32], constant 20"}
// CHECK: tile.expand_dims {{.*}}{axis_info = "contiguity [32, 1], divisibility [16, 1], constancy [1, 1]"}
// CHECK: tile.broadcast {{.*}}{axis_info = "contiguity [32, 1], divisibility [16, 1], constancy [1, 8]"}
// CHECK: tile.transpose {{.*}}{axis_info = "contiguity [1, 32], divisibility [1, 16], constancy [8, 1]"}
// CHECK: tile.reshape {{[^{]*$}}
// CHECK: tile.reshape {{.*}}{axis_info = "contiguity [1, 1], divisibility [4, 4], constancy [4, 8], constant 20"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [32], constant 4"}
// CHECK: tile.div_u {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [4]"}
// CHECK: tile.splat {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [32]"}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [32], divisibility [16], constancy [1]"}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [32], divisibility [8], constancy [1]"}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [4], divisibility [2], constancy [1]"}
// CHECK: arith.constant {{.*}}constant 64"}
// CHECK: arith.muli {{.*}}{axis_info = "contiguity [1], divisibility [64], constancy [4]"}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [4], divisibility [8], constancy [1]"}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [1], divisibility [8], constancy [32]"}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [1]"}
func.func @shapes(%p: !tile.ptr<i16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range 16, 48 : tensor<32xi32>
  %odd = tile.range 0, 12 : tensor<12xi32>
  %twenty = arith.constant dense<20> : tensor<32xi32>
  %column = tile.expand_dims %r, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %wide = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x8xi32>
  %turned = tile.transpose %wide, [1, 0] : tensor<32x8xi32> -> tensor<8x32xi32>
  %lost = tile.reshape %r : tensor<32xi32> -> tensor<4x8xi32>
  %kept = tile.reshape %twenty : tensor<32xi32> -> tensor<4x8xi32>
  %four = arith.constant dense<4> : tensor<32xi32>
  %quads = tile.div_u %r, %four : tensor<32xi32>
  %ps = tile.splat %p : !tile.ptr<i16> -> tensor<32x!tile.ptr<i16>>
  %at = tile.addptr %ps, %r : tensor<32x!tile.ptr<i16>>, tensor<32xi32>
  %next = tile.addptr %at, %twenty : tensor<32x!tile.ptr<i16>>, tensor<32xi32>
  %cut = tile.addptr %at, %quads : tensor<32x!tile.ptr<i16>>, tensor<32xi32>
  %sixty_four = arith.constant dense<64> : tensor<32xi32>
  %far = arith.muli %quads, %sixty_four : tensor<32xi32>
  %cut_far = tile.addptr %at, %far : tensor<32x!tile.ptr<i16>>, tensor<32xi32>
  %same = tile.addptr %ps, %twenty : tensor<32x!tile.ptr<i16>>, tensor<32xi32>
  %scalar = tile.addptr %p, %n : !tile.ptr<i16>, i32
  return
}

// What comes around weakens what goes into a loop; behind a branch is what both have.
// CHECK-LABEL: func.func @loops
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1073741824], constancy [1], constant 0"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [1], constant 4"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [1], constancy [1], constant 1"}
// CHECK: tile.range {{.*}}{axis_info = "contiguity [64], divisibility [1073741824], constancy [1]"}
// CHECK: arith.constant {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [64], constant 4"}
// CHECK: scf.for
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [1]"}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [1]"}
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [64], divisibility [4], constancy [1]"}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [1], divisibility [16], constancy [1]"}
// CHECK: arith.addi {{[^{]*$}}
// CHECK: scf.for
// CHECK: arith.addi {{[^{]*$}}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [1]"}
// CHECK: tile.addptr {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [1]"}
// CHECK: scf.while
// CHECK: arith.cmpi sgt, {{[^{]*$}}
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [1]"}
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [1]"}
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [1]"}
// CHECK: scf.if
// CHECK: arith.addi {{.*}}{axis_info = "contiguity [1], divisibility [4], constancy [1]"}
func.func @loops(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %which: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %one = arith.constant 1 : i32
  %r = tile.range 0, 64 : tensor<64xi32>
  %fours = arith.constant dense<4> : tensor<64xi32>
  %end, %moved = scf.for %i = %zero to %n step %four iter_args(%at = %p, %offs = %r) -> (!tile.ptr<f32>, tensor<64xi32>) : i32 {
    %j = arith.addi %i, %zero : i32
    %next = tile.addptr %at, %four : !tile.ptr<f32>, i32
    %later = arith.addi %offs, %fours : tensor<64xi32>
    scf.yield %next, %later : !tile.ptr<f32>, tensor<64xi32>
  }
  %behind = tile.addptr %end, %zero : !tile.ptr<f32>, i32
  %offs_behind = arith.addi %moved, %r : tensor<64xi32>
  %odd = scf.for %i = %zero to %n step %one iter_args(%at = %p) -> (!tile.ptr<f32>) : i32 {
    %j = arith.addi %i, %zero : i32
    %next = tile.addptr %at, %one : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  %odd_behind = tile.addptr %odd, %zero : !tile.ptr<f32>, i32
  %halves = scf.while (%x = %n) : (i32) -> i32 {
    %go = arith.cmpi sgt, %x, %zero : i32
    %y = arith.addi %x, %four : i32
    scf.condition(%go) %y : i32
  } do {
  ^bb0(%y: i32):
    %z = arith.addi %y, %four : i32
    scf.yield %z : i32
  }
  %halves_behind = arith.addi %halves, %zero : i32
  %chosen = scf.if %which -> (i32) {
    scf.yield %four : i32
  } else {
    scf.yield %n : i32
  }
  %chosen_behind = arith.addi %chosen, %zero : i32
  return
}
