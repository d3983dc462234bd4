// The way of a kernel from tiles to the llvm dialect, by the pipelines that the compiler runs.
// RUN: mytriton-opt %s --pass-pipeline='builtin.module(tile-assign-layouts,tile-coalesce-memory,tile-optimize-thread-locality,tile-propagate-layouts,tile-allocate-shared,tile-insert-barriers)' \
// RUN:   | mytriton-opt --pass-pipeline='builtin.module(convert-tile-to-gpu,gpu.module(canonicalize,cse))' \
// RUN:   | mytriton-opt --pass-pipeline='builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm),convert-vector-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)' \
// RUN:   | FileCheck %s

// Nothing of other dialects is left.
// CHECK: gpu.module @kernels
// CHECK-NOT: {{(tile|arith|math|vector|scf|cf|memref|func)\.[a-z]}}
// CHECK-LABEL: llvm.func @saxpy(
// CHECK-SAME: %{{.*}}: f32, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i32)
// CHECK-SAME: gpu.kernel, gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: llvm.inline_asm has_side_effects "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];"
// CHECK: llvm.fadd %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: llvm.inline_asm has_side_effects "@$1 st.global.v4.b32 [$0], {$2, $3, $4, $5};"
// CHECK: llvm.return
func.func @saxpy(%a: f32, %x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                 %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %size = arith.constant 512 : i32
  %pid = tile.program_id x : i32
  %start = arith.muli %pid, %size : i32
  %starts = tile.splat %start : i32 -> tensor<512xi32>
  %lanes = tile.range 0, 512 : tensor<512xi32>
  %offs = arith.addi %starts, %lanes : tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %offs, %ns : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %yp = tile.addptr %ys, %offs : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %xv = tile.load %xp, %m : tensor<512x!tile.ptr<f32>>
  %yv = tile.load %yp, %m : tensor<512x!tile.ptr<f32>>
  %as = tile.splat %a : f32 -> tensor<512xf32>
  %ax = arith.mulf %as, %xv : tensor<512xf32>
  %r = arith.addf %ax, %yv : tensor<512xf32>
  tile.store %yp, %r, %m : tensor<512x!tile.ptr<f32>>
  return
}

// Functions of numbers end as intrinsics or calls of the library by names of its own; loops as branches.
// CHECK-LABEL: llvm.func @functions(
// CHECK: llvm.cond_br
// CHECK: llvm.call_intrinsic "llvm.maximumnum.v2f32"
// CHECK: llvm.call @__mytriton_erf_f32
// CHECK-NOT: __nv_
// CHECK: llvm.return
func.func @functions(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %offs = tile.range 0, 256 : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %at = tile.addptr %ps, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %start = tile.load %at : tensor<256x!tile.ptr<f32>>
  %end = scf.for %i = %zero to %n step %one iter_args(%x = %start) -> (tensor<256xf32>) : i32 {
    %a = math.absf %x : tensor<256xf32>
    %m = arith.maxnumf %a, %x : tensor<256xf32>
    %e = math.erf %m : tensor<256xf32>
    %s = math.sqrt %e : tensor<256xf32>
    %f = math.floor %s : tensor<256xf32>
    scf.yield %f : tensor<256xf32>
  }
  tile.store %at, %end : tensor<256x!tile.ptr<f32>>
  return
}
