// RUN: mytriton-opt %s --split-input-file --pass-pipeline='builtin.module(tile-allocate-shared,tile-insert-barriers,convert-tile-to-gpu)' | FileCheck %s

// Tiles that warps access by matrices of 8x8 in shared memory, where vectors would be short.

#rows = #tile.layout<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]}>
#columns = #tile.layout<{register = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]}>

// A transposition of 16 bits: rows of 16 bytes are stored, matrices come back transposed. What of the address is the
// lane's is computed once.
// CHECK-LABEL: gpu.func @transposed
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-NOT: llvm.load
// CHECK: %[[ROW:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: %[[WORDS:.*]] = nvvm.ldmatrix %[[ROW]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK: %[[WORD:.*]] = llvm.extractvalue %[[WORDS]][0] : !llvm.struct<(i32, i32, i32, i32)>
// CHECK: %[[ONE:.*]] = vector.broadcast %[[WORD]] : i32 to vector<1xi32>
// CHECK: vector.bitcast %[[ONE]] : vector<1xi32> to vector<2xbf16>
// CHECK-COUNT-3: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
// CHECK-NOT: nvvm.ldmatrix
// CHECK-NOT: llvm.load
// CHECK: gpu.return
func.func @transposed(%x: bf16) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.compute_capability = 75 : i32} {
  %a = tile.splat %x : bf16 -> tensor<64x64xbf16, #rows>
  %b = tile.convert_layout %a : tensor<64x64xbf16, #rows> -> tensor<64x64xbf16, #columns>
  return
}

// The same for a GPU without the instruction, and for one that is not known.
// CHECK-LABEL: gpu.func @without
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> bf16
// CHECK-NOT: nvvm.ldmatrix
// CHECK-LABEL: gpu.func @unknown
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> bf16
// CHECK-NOT: nvvm.ldmatrix
func.func @without(%x: bf16) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.compute_capability = 70 : i32} {
  %a = tile.splat %x : bf16 -> tensor<64x64xbf16, #rows>
  %b = tile.convert_layout %a : tensor<64x64xbf16, #rows> -> tensor<64x64xbf16, #columns>
  return
}
func.func @unknown(%x: bf16) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile.splat %x : bf16 -> tensor<64x64xbf16, #rows>
  %b = tile.convert_layout %a : tensor<64x64xbf16, #rows> -> tensor<64x64xbf16, #columns>
  return
}

// Words are not transposed by halves: vectors, on any GPU.
// CHECK-LABEL: gpu.func @words
// CHECK-NOT: nvvm.ldmatrix
// CHECK-NOT: nvvm.stmatrix
// CHECK: gpu.return
func.func @words(%x: f32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.compute_capability = 90 : i32} {
  %a = tile.splat %x : f32 -> tensor<64x64xf32, #rows>
  %b = tile.convert_layout %a : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
  return
}

// -----

#rows = #tile.layout<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]}>
#operand = #tile.layout<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#accumulator = #tile.layout<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>

// Rows to the operand of a product.
// CHECK-LABEL: gpu.func @operand
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK-NOT: nvvm.ldmatrix
// CHECK: gpu.return
func.func @operand(%x: f16) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.compute_capability = 80 : i32} {
  %a = tile.splat %x : f16 -> tensor<64x64xf16, #rows>
  %b = tile.convert_layout %a : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #operand>
  return
}

// The result of a product to rows: the two halves of each word go in together.
// CHECK-LABEL: gpu.func @result
// CHECK: %[[PAIR:.*]] = vector.shuffle %{{.*}}, %{{.*}} [{{[0-9]+, [0-9]+}}] : vector<32xf16>, vector<32xf16>
// CHECK: %[[ONE:.*]] = vector.bitcast %[[PAIR]] : vector<2xf16> to vector<1xi32>
// CHECK: %[[WORD:.*]] = vector.extract %[[ONE]][0] : i32 from vector<1xi32>
// CHECK: nvvm.stmatrix %{{.*}}, %[[WORD]], %{{.*}}, %{{.*}}, %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>{{.*}}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-COUNT-3: nvvm.stmatrix
// CHECK-NOT: llvm.store
// CHECK: gpu.barrier
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK-NOT: llvm.load
// CHECK: gpu.return
func.func @result(%x: f16) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.compute_capability = 90 : i32} {
  %a = tile.splat %x : f16 -> tensor<64x64xf16, #accumulator>
  %b = tile.convert_layout %a : tensor<64x64xf16, #accumulator> -> tensor<64x64xf16, #rows>
  return
}

// -----

#rows = #tile.layout<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [32, 0]], lane = [[0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#operand = #tile.layout<{register = [[0, 1], [0, 2], [8, 0], [0, 16], [0, 32]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>

// Four elements of 8 bits in a word. Booleans are such elements.
// CHECK-LABEL: gpu.func @bytes
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK: vector.bitcast %{{.*}} : vector<1xi32> to vector<4xi8>
// CHECK: arith.extui %{{.*}} : vector<16xi1> to vector<16xi8>
// CHECK: gpu.barrier
// CHECK: nvvm.ldmatrix
// CHECK: %[[BYTES:.*]] = vector.bitcast %{{.*}} : vector<1xi32> to vector<4xi8>
// CHECK: arith.cmpi ne, %[[BYTES]], %{{.*}} : vector<4xi8>
// CHECK: gpu.return
func.func @bytes(%x: i8, %m: i1) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.compute_capability = 80 : i32} {
  %a = tile.splat %x : i8 -> tensor<64x64xi8, #rows>
  %b = tile.convert_layout %a : tensor<64x64xi8, #rows> -> tensor<64x64xi8, #operand>
  %c = tile.splat %m : i1 -> tensor<64x64xi1, #rows>
  %d = tile.convert_layout %c : tensor<64x64xi1, #rows> -> tensor<64x64xi1, #operand>
  return
}

// -----

#operand = #tile.layout<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 16], [0, 32]]}>
#copies = #tile.layout<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]]}>
#swizzled = #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]]}>
#pairs = #tile.shared<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 2], [2, 4], [4, 8], [8, 0]]}>

// Buffers, with the layout that is given. The lane that a row's address is of is not the one that has its elements: a barrier
// between the two, though their tiles are of one layout.
// CHECK-LABEL: gpu.func @buffers
// CHECK: nvvm.stmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>{{.*}}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: nvvm.stmatrix
// CHECK: gpu.barrier
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK-NOT: nvvm.ldmatrix
// Of warps that hold the same, one stores.
// CHECK: scf.if
// CHECK-COUNT-4: nvvm.stmatrix
// CHECK: gpu.return
func.func @buffers(%x: f16) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.compute_capability = 90 : i32} {
  %t = tile.splat %x : f16 -> tensor<16x64xf16, #operand>
  %a = tile.alloc %t : tensor<16x64xf16, #operand> -> !tile.buffer<16x64xf16, #swizzled>
  %v = tile.local_load %a : !tile.buffer<16x64xf16, #swizzled> -> tensor<16x64xf16, #operand>
  %u = tile.splat %x : f16 -> tensor<16x64xf16, #copies>
  %b = tile.alloc %u : tensor<16x64xf16, #copies> -> !tile.buffer<16x64xf16, #swizzled>
  return
}

// Where rows of 16 bytes are torn, vectors; each thread reads what it wrote.
// CHECK-LABEL: gpu.func @torn
// CHECK-NOT: nvvm.stmatrix
// CHECK-NOT: gpu.barrier
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xf16>
// CHECK: gpu.return
func.func @torn(%x: f16) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.compute_capability = 90 : i32} {
  %t = tile.splat %x : f16 -> tensor<16x64xf16, #operand>
  %a = tile.alloc %t : tensor<16x64xf16, #operand> -> !tile.buffer<16x64xf16, #pairs>
  %v = tile.local_load %a : !tile.buffer<16x64xf16, #pairs> -> tensor<16x64xf16, #operand>
  return
}
