// RUN: mytriton-opt %s --pass-pipeline='builtin.module(convert-tile-to-gpu,gpu.module(canonicalize,cse))' | FileCheck %s

#row = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>
#eight = #tile.layout<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []}>
#sixteen = #tile.layout<{register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = []}>
#two = #tile.layout<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>
#four = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>
#copies = #tile.layout<{register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0], [0]]}>
#again = #tile.layout<{register = [[0], [1]], lane = [[2], [4], [8], [16], [32]], warp = []}>
#columns = #tile.layout<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []}>

// CHECK: module attributes {gpu.container_module}
// CHECK: gpu.module @kernels

// A range is the thread's coordinates; an address is 64 bits of bytes. Nothing is known of the pointer's alignment.
// CHECK-LABEL: gpu.func @range(
// CHECK-SAME: %[[P:.*]]: i64) kernel attributes {known_block_size = array<i32: 128, 1, 1>}
// CHECK-DAG: %[[REGISTERS:.*]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
// CHECK-DAG: %[[START:.*]] = arith.constant dense<16> : vector<4xi32>
// CHECK-DAG: %[[BYTES:.*]] = arith.constant dense<4> : vector<1xi64>
// CHECK-DAG: %[[STEPS:.*]] = arith.constant dense<[0, 4, 8, 12]> : vector<4xi64>
// CHECK: gpu.thread_id
// CHECK: %[[THREAD:.*]] = vector.broadcast %{{.*}} : i32 to vector<4xi32>
// CHECK: %[[AT:.*]] = arith.addi %[[THREAD]], %[[REGISTERS]]
// CHECK: %[[RANGE:.*]] = arith.addi %[[AT]], %[[START]]
// CHECK: %[[BASE:.*]] = vector.broadcast %[[P]] : i64 to vector<1xi64>
// CHECK: %[[FIRST:.*]] = vector.{{.*}} %[[RANGE]]
// CHECK: %[[WIDE:.*]] = arith.extsi %[[FIRST]]
// CHECK: %[[MOVED:.*]] = arith.muli %[[WIDE]], %[[BYTES]]
// CHECK: %[[TO0:.*]] = arith.addi %[[BASE]], %[[MOVED]]
// CHECK: %[[ALL:.*]] = vector.{{.*}} %[[TO0]]
// CHECK: %[[TO:.*]] = arith.addi %[[ALL]], %[[STEPS]]
// CHECK: %[[TO0:.*]] = vector.extract %[[TO]][0]
// CHECK: %[[V0:.*]] = vector.extract %[[RANGE]][0]
// CHECK: %[[PTR0:.*]] = llvm.inttoptr %[[TO0]] : i64 to !llvm.ptr<1>
// CHECK: llvm.store %[[V0]], %[[PTR0]] {alignment = 4 : i64} : i32
// CHECK-COUNT-3: llvm.store {{.*}} : i32
// CHECK-NOT: llvm.store
func.func @range(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range 16, 528 : tensor<512xi32, #row>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>, #row>
  %q = tile.addptr %ps, %r : tensor<512x!tile.ptr<i32>, #row>, tensor<512xi32, #row>
  tile.store %q, %r : tensor<512x!tile.ptr<i32>, #row>
  return
}

// An i64 offset is not extended, and a byte not scaled.
// CHECK-LABEL: gpu.func @wide_offset
// CHECK-NOT: arith.extsi
// CHECK-NOT: arith.muli
// CHECK: llvm.load
func.func @wide_offset(%p: !tile.ptr<i8>, %q: !tile.ptr<i8>, %i: i64) attributes {tile.kernel} {
  %a = tile.addptr %p, %i : !tile.ptr<i8>, i64
  %v = tile.load %a : !tile.ptr<i8>
  tile.store %q, %v : !tile.ptr<i8>
  return
}

// 16 bytes at once, and no more.
// CHECK-LABEL: gpu.func @f16_by_8
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>
// CHECK-NOT: llvm.store
func.func @f16_by_8(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 256 : tensor<256xi32, #eight>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>, #eight>
  %q = tile.addptr %ps, %r : tensor<256x!tile.ptr<f16>, #eight>, tensor<256xi32, #eight>
  %a = tile.load %q : tensor<256x!tile.ptr<f16>, #eight>
  tile.store %q, %a : tensor<256x!tile.ptr<f16>, #eight>
  return
}

// CHECK-LABEL: gpu.func @f32_by_4
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
func.func @f32_by_4(%p: !tile.ptr<f32> {tile.divisibility = 32 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 256 : tensor<256xi32, #eight>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #eight>
  %q = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>, #eight>, tensor<256xi32, #eight>
  %a = tile.load %q : tensor<256x!tile.ptr<f32>, #eight>
  tile.store %q, %a : tensor<256x!tile.ptr<f32>, #eight>
  return
}

// No wider than the alignment that is known.
// CHECK-LABEL: gpu.func @alignment_8
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-NOT: llvm.load
func.func @alignment_8(%p: !tile.ptr<f32> {tile.divisibility = 8 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 256 : tensor<256xi32, #eight>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #eight>
  %q = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>, #eight>, tensor<256xi32, #eight>
  %a = tile.load %q : tensor<256x!tile.ptr<f32>, #eight>
  tile.store %q, %a : tensor<256x!tile.ptr<f32>, #eight>
  return
}

// The mask holds for groups of 4 as far as n is a multiple of 4: one predicate for each access.
// CHECK-LABEL: gpu.func @masked
// CHECK-SAME: %[[P:.*]]: i64, %[[N:.*]]: i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: %[[ADDRESS:.*]] = vector.extract %{{.*}}[0] : i64
// CHECK: %[[PREDICATE:.*]] = vector.extract %[[MASK]][0] : i1
// CHECK: %[[LOADED:.*]] = llvm.inline_asm has_side_effects "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3" %[[ADDRESS]], %[[PREDICATE]], %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]
// CHECK: llvm.inline_asm has_side_effects "@$1 st.global.v4.b32 [$0], {$2, $3, $4, $5};", "l,b,r,r,r,r" %[[ADDRESS]], %[[PREDICATE]],
func.func @masked(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 4 : i32}) attributes {tile.kernel} {
  %r = tile.range 0, 512 : tensor<512xi32, #row>
  %ns = tile.splat %n : i32 -> tensor<512xi32, #row>
  %m = arith.cmpi slt, %r, %ns : tensor<512xi32, #row>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %q = tile.addptr %ps, %r : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %a = tile.load %q, %m : tensor<512x!tile.ptr<f32>, #row>
  tile.store %q, %a, %m : tensor<512x!tile.ptr<f32>, #row>
  return
}

// CHECK-LABEL: gpu.func @masked_anywhere
// CHECK-COUNT-4: "@$2 ld.global.b32 $0, [$1];", "=r,l,b,0"
// CHECK-COUNT-4: "@$1 st.global.b32 [$0], $2;", "l,b,r"
func.func @masked_anywhere(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %r = tile.range 0, 512 : tensor<512xi32, #row>
  %ns = tile.splat %n : i32 -> tensor<512xi32, #row>
  %m = arith.cmpi slt, %r, %ns : tensor<512xi32, #row>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #row>
  %q = tile.addptr %ps, %r : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
  %a = tile.load %q, %m : tensor<512x!tile.ptr<f32>, #row>
  tile.store %q, %a, %m : tensor<512x!tile.ptr<f32>, #row>
  return
}

// Where the mask is false the result is what the register held before: `other`.
// CHECK-LABEL: gpu.func @other
// CHECK-DAG: %[[BITS:.*]] = arith.constant 1065353216 : i32
// CHECK: llvm.inline_asm has_side_effects "@$2 ld.global.b32 $0, [$1];", "=r,l,b,0" %{{.*}}, %{{.*}}, %[[BITS]] : (i64, i1, i32) -> i32
func.func @other(%p: !tile.ptr<f32>, %m: i1) attributes {tile.kernel} {
  %one = arith.constant 1.0 : f32
  %a = tile.load %p, %m, %one : !tile.ptr<f32>
  tile.store %p, %a : !tile.ptr<f32>
  return
}

// Widths below 16 bytes: a word of all bytes together, or several words of 32 and 64 bits.
// CHECK-LABEL: gpu.func @widths
// CHECK: "@$2 ld.global.b16 $0, [$1];", "=h,l,b,0"
// CHECK: "@$3 ld.global.v2.b64 {$0, $1}, [$2];", "=l,=l,l,b,0,1"
// CHECK: "@$3 ld.global.v2.b32 {$0, $1}, [$2];", "=r,=r,l,b,0,1"
// CHECK: "@$2 ld.global.b8 $0, [$1];", "=h,l,b,0"
func.func @widths(%bytes: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %doubles: !tile.ptr<f64> {tile.divisibility = 16 : i32},
                  %floats: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 64 : tensor<64xi32, #two>
  %ms = tile.splat %m : i1 -> tensor<64xi1, #two>
  %b0 = tile.splat %bytes : !tile.ptr<i8> -> tensor<64x!tile.ptr<i8>, #two>
  %b1 = tile.addptr %b0, %r : tensor<64x!tile.ptr<i8>, #two>, tensor<64xi32, #two>
  %b = tile.load %b1, %ms : tensor<64x!tile.ptr<i8>, #two>
  tile.store %b1, %b : tensor<64x!tile.ptr<i8>, #two>
  %d0 = tile.splat %doubles : !tile.ptr<f64> -> tensor<64x!tile.ptr<f64>, #two>
  %d1 = tile.addptr %d0, %r : tensor<64x!tile.ptr<f64>, #two>, tensor<64xi32, #two>
  %d = tile.load %d1, %ms : tensor<64x!tile.ptr<f64>, #two>
  tile.store %d1, %d : tensor<64x!tile.ptr<f64>, #two>
  %f0 = tile.splat %floats : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #two>
  %f1 = tile.addptr %f0, %r : tensor<64x!tile.ptr<f32>, #two>, tensor<64xi32, #two>
  %f = tile.load %f1, %ms : tensor<64x!tile.ptr<f32>, #two>
  tile.store %f1, %f : tensor<64x!tile.ptr<f32>, #two>
  %s = tile.load %bytes, %m : !tile.ptr<i8>
  tile.store %bytes, %s : !tile.ptr<i8>
  return
}

// A boolean is a byte: anything but zero is true, and true is stored as 1.
// CHECK-LABEL: gpu.func @truth
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr<1> -> i8
// CHECK: %[[TRUTH:.*]] = arith.cmpi ne, %[[BYTE]], %[[ZERO]] : i8
// CHECK: %[[STORED:.*]] = arith.extui %[[TRUTH]] : i1 to i16
// CHECK: "@$1 st.global.b8 [$0], $2;", "l,b,h" %{{.*}}, %{{.*}}, %[[STORED]]
func.func @truth(%p: !tile.ptr<i1>) attributes {tile.kernel} {
  %v = tile.load %p : !tile.ptr<i1>
  tile.store %p, %v : !tile.ptr<i1>
  return
}

// Of all threads the first stores a scalar, where its mask says so.
// CHECK-LABEL: gpu.func @scalar
// CHECK-SAME: %[[P:.*]]: i64, %[[V:.*]]: f32, %[[M:.*]]: i1
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[THREAD:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %[[ZERO]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[M]], %[[FIRST]]
// CHECK: "@$1 st.global.b32 [$0], $2;", "l,b,r" %[[P]], %[[BOTH]],
func.func @scalar(%p: !tile.ptr<f32>, %v: f32, %m: i1) attributes {tile.kernel} {
  tile.store %p, %v, %m : !tile.ptr<f32>
  return
}

// Of the 16 threads with one element the first loads like all others, and stores alone: 120 is lane bits 3 and 4, and
// both warp bits.
// CHECK-LABEL: gpu.func @copies
// CHECK-DAG: %[[BITS:.*]] = arith.constant 120 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: llvm.load
// CHECK: %[[AMONG:.*]] = arith.andi %{{.*}}, %[[BITS]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[AMONG]], %[[ZERO]]
// CHECK: "@$1 st.global.b32 [$0], $2;", "l,b,r" %{{.*}}, %[[FIRST]],
func.func @copies(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0, 8 : tensor<8xi32, #copies>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>, #copies>
  %q = tile.addptr %ps, %r : tensor<8x!tile.ptr<f32>, #copies>, tensor<8xi32, #copies>
  %a = tile.load %q : tensor<8x!tile.ptr<f32>, #copies>
  tile.store %q, %a : tensor<8x!tile.ptr<f32>, #copies>
  return
}

// Registers with copies are loaded and stored once.
// CHECK-LABEL: gpu.func @again
// CHECK-COUNT-2: llvm.load
// CHECK-NOT: llvm.load
// CHECK-COUNT-2: llvm.store
// CHECK-NOT: llvm.store
func.func @again(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 64 : tensor<64xi32, #again>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #again>
  %q = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>, #again>, tensor<64xi32, #again>
  %a = tile.load %q : tensor<64x!tile.ptr<f32>, #again>
  tile.store %q, %a : tensor<64x!tile.ptr<f32>, #again>
  return
}

// 100 elements lie in a tile of 128: what is beyond is masked, in groups that 100 divides into.
// CHECK-LABEL: gpu.func @extent
// CHECK-DAG: %[[EXTENT:.*]] = arith.constant dense<100> : vector<4xi32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %[[EXTENT]]
// CHECK: %[[PREDICATE:.*]] = vector.extract %[[INSIDE]][0]
// CHECK: "@$5 ld.global.v4.b32 {{.*}}, %[[PREDICATE]],
// CHECK: "@$1 st.global.v4.b32 {{.*}}, %[[PREDICATE]],
func.func @extent(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 100 : tensor<100xi32, #four>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<100x!tile.ptr<f32>, #four>
  %q = tile.addptr %ps, %r : tensor<100x!tile.ptr<f32>, #four>, tensor<100xi32, #four>
  %a = tile.load %q : tensor<100x!tile.ptr<f32>, #four>
  tile.store %q, %a : tensor<100x!tile.ptr<f32>, #four>
  return
}

// 101 is odd: one element at a time.
// CHECK-LABEL: gpu.func @odd_extent
// CHECK-COUNT-4: "@$2 ld.global.b32
func.func @odd_extent(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 101 : tensor<101xi32, #four>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<101x!tile.ptr<f32>, #four>
  %q = tile.addptr %ps, %r : tensor<101x!tile.ptr<f32>, #four>, tensor<101xi32, #four>
  %a = tile.load %q : tensor<101x!tile.ptr<f32>, #four>
  tile.store %q, %a : tensor<101x!tile.ptr<f32>, #four>
  return
}

// Contiguous along the first dimension.
// CHECK-LABEL: gpu.func @columns
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
func.func @columns(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 16 : tensor<16xi32, #tile.layout<{register = [[1], [2]], lane = [[4], [8], [0], [0], [0]], warp = []}>>
  %r1 = tile.expand_dims %r, 1 : tensor<16xi32, #tile.layout<{register = [[1], [2]], lane = [[4], [8], [0], [0], [0]], warp = []}>> -> tensor<16x1xi32, #tile.layout<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 0], [0, 0], [0, 0]], warp = []}>>
  %r2 = tile.broadcast %r1 : tensor<16x1xi32, #tile.layout<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [0, 0], [0, 0], [0, 0]], warp = []}>> -> tensor<16x8xi32, #columns>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #columns>
  %q = tile.addptr %ps, %r2 : tensor<16x8x!tile.ptr<f32>, #columns>, tensor<16x8xi32, #columns>
  %a = tile.load %q : tensor<16x8x!tile.ptr<f32>, #columns>
  tile.store %q, %a : tensor<16x8x!tile.ptr<f32>, #columns>
  return
}
