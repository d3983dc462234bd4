// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,convert-tile-to-gpu)' | FileCheck %s

#row = #tile.layout<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>
#swapped = #tile.layout<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = []}>
#copied = #tile.layout<{register = [[1], [0], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Within a thread: another order of registers, and no shared memory.
// CHECK: gpu.module
// CHECK-NOT: llvm.mlir.global
// CHECK: %[[V:.*]] = vector.broadcast
// CHECK: %[[S:.*]] = vector.shuffle %[[V]], %[[V]] [0, 2, 1, 3] : vector<4xf32>, vector<4xf32>
// CHECK: vector.shuffle %[[S]], %[[S]] [0, 2, 0, 2, 1, 3, 1, 3] : vector<4xf32>, vector<4xf32>
// CHECK-NOT: gpu.barrier
func.func @registers(%x: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<128xf32, #row>
  %b = tile.convert_layout %a : tensor<128xf32, #row> -> tensor<128xf32, #swapped>
  %c = tile.convert_layout %b : tensor<128xf32, #swapped> -> tensor<128xf32, #copied>
  return
}

// -----

#rows = #tile.layout<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>
#columns = #tile.layout<{register = [[1, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []}>
#copied = #tile.layout<{register = [[1, 0], [0, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []}>

// Within a warp: shuffles between selections, and no shared memory. Numbers of 64 bits are two words; what a register of the
// result repeats does not move. Booleans travel as bytes.
// CHECK: gpu.module
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: gpu.func @lanes
// CHECK: arith.select %{{.*}} : f64
// CHECK-COUNT-2: gpu.shuffle idx
// CHECK: arith.select %{{.*}} : f64
// CHECK-COUNT-2: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
// CHECK: %[[A:.*]] = arith.select %{{.*}} : f64
// CHECK: %[[B:.*]] = arith.select %{{.*}} : f64
// CHECK: vector.from_elements %[[A]], %[[B]], %[[A]], %[[B]] : vector<4xf64>
// CHECK: arith.extui %{{.*}} : i1 to i8
// CHECK: arith.select %{{.*}} : i8
// CHECK-COUNT-2: gpu.shuffle idx
// CHECK: %[[BYTE:.*]] = arith.select %{{.*}} : i8
// CHECK: arith.cmpi ne, %[[BYTE]],
// CHECK-NOT: gpu.barrier
func.func @lanes(%x: f64, %m: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f64 -> tensor<8x8xf64, #rows>
  %b = tile.convert_layout %a : tensor<8x8xf64, #rows> -> tensor<8x8xf64, #copied>
  %c = tile.splat %m : i1 -> tensor<8x8xi1, #rows>
  %d = tile.convert_layout %c : tensor<8x8xi1, #rows> -> tensor<8x8xi1, #columns>
  return
}

// -----

#pairs = #tile.layout<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []}>
#spread = #tile.layout<{register = [[1], [8], [16]], lane = [[2], [4], [32], [64], [128]], warp = []}>

// Two numbers of 16 bits in a word; the lane keeps one of four words.
// CHECK-LABEL: gpu.func @packed
// CHECK: vector.bitcast %{{.*}} : vector<2xf16> to vector<1xi32>
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: vector.bitcast %{{.*}} : vector<1xi32> to vector<2xf16>
func.func @packed(%x: f16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f16 -> tensor<256xf16, #pairs>
  %b = tile.convert_layout %a : tensor<256xf16, #pairs> -> tensor<256xf16, #spread>
  return
}

// -----

#rows = #tile.layout<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#columns = #tile.layout<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]}>

// Between warps: through shared memory, all threads waiting after the stores. One side accesses 16 bytes at once, where
// the swizzle has the other's words in different banks. The second use lies behind the first, which may still be read.
// CHECK: llvm.mlir.global internal @__mytriton_scratch() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2560 x i8>
// CHECK-LABEL: gpu.func @warps
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load
// CHECK-NOT: gpu.barrier
// CHECK: arith.extui %{{.*}} : vector<4xi1> to vector<4xi8>
// CHECK: llvm.store %{{.*}} : vector<4xi8>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i8
// CHECK: arith.cmpi ne, %[[BYTE]],
func.func @warps(%x: f32, %m: i1) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile.splat %x : f32 -> tensor<32x16xf32, #rows>
  %b = tile.convert_layout %a : tensor<32x16xf32, #rows> -> tensor<32x16xf32, #columns>
  %c = tile.splat %m : i1 -> tensor<32x16xi1, #rows>
  %d = tile.convert_layout %c : tensor<32x16xi1, #rows> -> tensor<32x16xi1, #columns>
  return
}

// -----

#from = #tile.layout<{register = [[1], [2], [4], [8], [16], [32]], lane = [[64], [128], [256], [512], [1024]], warp = [[2048]]}>
#to = #tile.layout<{register = [[64], [128], [256], [512], [1024], [32]], lane = [[1], [2], [4], [8], [16]], warp = [[2048]]}>

// So much is quicker through shared memory. Each warp has a piece of it, and waits for its own lanes alone.
// CHECK: !llvm.array<16384 x i8>
// CHECK-LABEL: gpu.func @pieces
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: gpu.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> ->
// CHECK-NOT: gpu.barrier
func.func @pieces(%x: f32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %a = tile.splat %x : f32 -> tensor<4096xf32, #from>
  %b = tile.convert_layout %a : tensor<4096xf32, #from> -> tensor<4096xf32, #to>
  return
}

// -----

#wide = #tile.layout<{register = [[1], [2], [512], [1024], [2048], [4096], [8192]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>
#other = #tile.layout<{register = [[1], [2], [512], [1024], [2048], [4096], [8192]], lane = [[128], [256], [4], [8], [16]], warp = [[32], [64]]}>

// What is larger than the memory moves in rounds, along directions that both sides have in registers.
// CHECK: !llvm.array<32768 x i8>
// CHECK-LABEL: gpu.func @rounds
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: gpu.barrier
// CHECK-COUNT-16: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-COUNT-16: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @rounds(%x: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile.splat %x : f32 -> tensor<16384xf32, #wide>
  %b = tile.convert_layout %a : tensor<16384xf32, #wide> -> tensor<16384xf32, #other>
  return
}

// -----

#rows = #tile.layout<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [0, 64]]}>
#columns = #tile.layout<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64]]}>

// Where the two have no direction in common, the warps of one side take turns, and all wait for one another. Here those
// warps store that have what a round moves; every thread loads half of its registers.
// CHECK: !llvm.array<32768 x i8>
// CHECK-LABEL: gpu.func @turns
// CHECK: %[[MASK:.*]] = arith.constant 32 : i32
// CHECK-NEXT: %[[BIT:.*]] = arith.andi %{{.*}}, %[[MASK]] : i32
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[BIT]], %{{.*}} : i32
// CHECK: %[[EVEN:.*]] = arith.xori %[[ODD]], %{{.*}} : i1
// CHECK: scf.if %[[EVEN]] {
// CHECK: llvm.store %{{.*}}, !llvm.ptr<3>
// CHECK: }
// CHECK: gpu.barrier
// CHECK-NOT: scf.if
// CHECK: llvm.load
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: llvm.store %{{.*}}, !llvm.ptr<3>
// CHECK: }
// CHECK: gpu.barrier
// CHECK-NOT: scf.if
// CHECK: llvm.load
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @turns(%x: f64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile.splat %x : f64 -> tensor<64x128xf64, #rows>
  %b = tile.convert_layout %a : tensor<64x128xf64, #rows> -> tensor<64x128xf64, #columns>
  return
}

// -----

#from = #tile.layout<{register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = [[512], [1024], [2048], [4096], [8192]]}>
#to = #tile.layout<{register = [[16], [32], [64], [128]], lane = [[256], [1], [2], [4], [8]], warp = [[1024], [512], [4096], [8192], [2048]]}>

// Warps on both sides: those load whose elements have been stored, and the others keep what they have, zeros before.
// CHECK: !llvm.array<32768 x i8>
// CHECK-LABEL: gpu.func @both
// CHECK: scf.if
// CHECK: llvm.store %{{.*}}, !llvm.ptr<3>
// CHECK: }
// CHECK: gpu.barrier
// CHECK: %[[FIRST:.*]] = scf.if %{{.*}} -> (vector<16xi32>) {
// CHECK: llvm.load
// CHECK: scf.yield
// CHECK: } else {
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<16xi32>
// CHECK: scf.yield %[[ZERO]] : vector<16xi32>
// CHECK: }
// CHECK: %[[OLD:.*]] = vector.extract %[[FIRST]][0] : i32 from vector<16xi32>
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: gpu.barrier
// CHECK: scf.if %{{.*}} -> (vector<16xi32>) {
// CHECK: llvm.load
// CHECK: } else {
// CHECK: %[[KEPT:.*]] = vector.from_elements %[[OLD]],
// CHECK: scf.yield %[[KEPT]] : vector<16xi32>
// CHECK: }
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @both(%x: i32) attributes {tile.kernel, tile.num_warps = 32 : i32} {
  %a = tile.splat %x : i32 -> tensor<16384xi32, #from>
  %b = tile.convert_layout %a : tensor<16384xi32, #from> -> tensor<16384xi32, #to>
  return
}
