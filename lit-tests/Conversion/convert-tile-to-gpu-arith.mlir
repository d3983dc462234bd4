// RUN: mytriton-opt %s --pass-pipeline='builtin.module(convert-tile-to-gpu)' | FileCheck %s

#two = #tile.layout<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// Several kernels share a module, and the functions that they call.
// CHECK: gpu.module @kernels {
// CHECK-DAG: llvm.func @__mytriton_exp_f64(f64) -> f64
// CHECK-DAG: llvm.func @__mytriton_sin_f32(f32) -> f32
// CHECK-DAG: llvm.func @__mytriton_pow_f32(f32, f32) -> f32
// CHECK-DAG: llvm.func @__mytriton_fmod_f32(f32, f32) -> f32

// What has a meaning for each element stays.
// CHECK-LABEL: gpu.func @elementwise
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<2xf16>
// CHECK: %[[C:.*]] = arith.cmpf olt, %[[S]], %{{.*}} : vector<2xf16>
// CHECK: arith.select %[[C]], %[[S]], %{{.*}} : vector<2xi1>, vector<2xf16>
// CHECK: arith.extf %{{.*}} : vector<2xf16> to vector<2xf32>
func.func @elementwise(%x: f16, %p: !tile.ptr<f16>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f16 -> tensor<64xf16, #two>
  %s = arith.addf %a, %a : tensor<64xf16, #two>
  %c = arith.cmpf olt, %s, %a : tensor<64xf16, #two>
  %r = arith.select %c, %s, %a : tensor<64xi1, #two>, tensor<64xf16, #two>
  %w = arith.extf %r : tensor<64xf16, #two> to tensor<64xf32, #two>
  return
}

// Intrinsics of LLVM, on whole vectors and in the type as it is. Minima ignore a NaN, or pass it on.
// CHECK-LABEL: gpu.func @native
// CHECK: llvm.call_intrinsic "llvm.fabs.v2f16"(%{{.*}}) : (vector<2xf16>) -> vector<2xf16>
// CHECK: llvm.call_intrinsic "llvm.fma.v2f16"
// CHECK: llvm.call_intrinsic "llvm.minimumnum.v2f16"
// CHECK: llvm.call_intrinsic "llvm.maximumnum.v2f16"
// CHECK: llvm.call_intrinsic "llvm.minimum.v2f16"
// CHECK: llvm.call_intrinsic "llvm.maximum.f16"
func.func @native(%x: f16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : f16 -> tensor<64xf16, #two>
  %0 = math.absf %a : tensor<64xf16, #two>
  %1 = math.fma %a, %a, %a : tensor<64xf16, #two>
  %2 = arith.minnumf %a, %a : tensor<64xf16, #two>
  %3 = arith.maxnumf %a, %a : tensor<64xf16, #two>
  %4 = arith.minimumf %a, %a : tensor<64xf16, #two>
  %5 = arith.maximumf %x, %x : f16
  return
}

// Exactly rounded without a flag, and as fast as the bounds allow with one.
// CHECK-LABEL: gpu.func @roots_and_quotients
// CHECK: llvm.call_intrinsic "llvm.sqrt.f32"
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
// CHECK: arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK: llvm.call_intrinsic "llvm.sqrt.f64"
// CHECK: llvm.call_intrinsic "llvm.sqrt.f64"
// CHECK: arith.divf %{{.*}}, %{{.*}} : f64
func.func @roots_and_quotients(%x: f32, %y: f64) attributes {tile.kernel} {
  %0 = math.sqrt %x : f32
  %1 = math.sqrt %x fastmath<afn> : f32
  %2 = math.rsqrt %x : f32
  %3 = arith.divf %x, %x : f32
  %4 = arith.divf %x, %x fastmath<arcp> : f32
  %5 = math.sqrt %y fastmath<afn> : f64
  %6 = math.rsqrt %y : f64
  %7 = arith.divf %y, %y fastmath<arcp> : f64
  return
}

// Several registers by one number: its reciprocal once, scaled to be normal, and products.
// CHECK-LABEL: gpu.func @quotients_of_a_row
// CHECK: llvm.call_intrinsic "llvm.fabs.f32"
// CHECK: %[[S:.*]] = arith.select
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK-NOT: div.full
// CHECK: %[[SCALES:.*]] = vector.broadcast %{{.*}} : f32 to vector<2xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[SCALES]] : vector<2xf32>
// CHECK: %[[RECIPROCALS:.*]] = vector.broadcast %[[R]] : f32 to vector<2xf32>
// CHECK: arith.mulf %[[SCALED]], %[[RECIPROCALS]] : vector<2xf32>
// CHECK: gpu.return
func.func @quotients_of_a_row(%p: !tile.ptr<f32>, %d: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 64 : tensor<64xi32, #two>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #two>
  %q = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>, #two>, tensor<64xi32, #two>
  %x = tile.load %q : tensor<64x!tile.ptr<f32>, #two>
  %ds = tile.splat %d : f32 -> tensor<64xf32, #two>
  %0 = arith.divf %x, %ds fastmath<arcp> : tensor<64xf32, #two>
  tile.store %q, %0 : tensor<64x!tile.ptr<f32>, #two>
  return
}

// Not where every register has a divisor of its own, nor where quotients are exactly rounded.
// CHECK-LABEL: gpu.func @quotients_of_elements
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK: arith.divf %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: gpu.return
func.func @quotients_of_elements(%p: !tile.ptr<f32>, %d: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.range 0, 64 : tensor<64xi32, #two>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #two>
  %q = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>, #two>, tensor<64xi32, #two>
  %x = tile.load %q : tensor<64x!tile.ptr<f32>, #two>
  %ds = tile.splat %d : f32 -> tensor<64xf32, #two>
  %0 = arith.divf %ds, %x fastmath<arcp> : tensor<64xf32, #two>
  %1 = arith.divf %0, %ds : tensor<64xf32, #two>
  tile.store %q, %1 : tensor<64x!tile.ptr<f32>, #two>
  return
}

// CHECK-LABEL: gpu.func @exponentials
// CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[LOG2E]] : f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[SCALED]])
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
// CHECK: llvm.call @__mytriton_exp_f64
// CHECK: llvm.call @__mytriton_sin_f32
// CHECK: llvm.call @__mytriton_pow_f32
// CHECK: llvm.call @__mytriton_fmod_f32
func.func @exponentials(%x: f32, %y: f64) attributes {tile.kernel} {
  %0 = math.exp %x : f32
  %1 = math.exp2 %x : f32
  %2 = math.exp %y : f64
  %3 = math.sin %x : f32
  %4 = math.powf %x, %x : f32
  %5 = arith.remf %x, %x : f32
  return
}

// Functions that math lacks, and a power whose exponent is an integer.
// CHECK-LABEL: gpu.func @functions
// CHECK: llvm.call @__mytriton_cospi_f32(%{{.*}}) : (f32) -> f32
// CHECK: llvm.call @__mytriton_hypot_f64(%{{.*}}, %{{.*}}) : (f64, f64) -> f64
// CHECK: llvm.call @__mytriton_pown_f32(%{{.*}}, %{{.*}}) : (f32, i32) -> f32
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: llvm.call @__mytriton_pown_f32(%[[WIDE]], %{{.*}}) : (f32, i32) -> f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @functions(%x: f32, %y: f64, %z: bf16, %n: i32) attributes {tile.kernel} {
  %0 = tile.unary_function "cospi" %x : f32
  %1 = tile.binary_function "hypot" %y, %y : f64
  %2 = math.fpowi %x, %n : f32, i32
  %3 = math.fpowi %z, %n : bf16, i32
  return
}

// Functions of narrow floats are computed in f32 and rounded once.
// CHECK-LABEL: gpu.func @narrow
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<2xbf16> to vector<2xf32>
// CHECK: %[[E:.*]] = vector.extract %[[WIDE]][0]
// CHECK: llvm.call @__mytriton_sin_f32(%[[E]])
// CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: llvm.call_intrinsic "llvm.floor.f32"
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @narrow(%x: bf16, %y: f16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %a = tile.splat %x : bf16 -> tensor<64xbf16, #two>
  %0 = math.sin %a : tensor<64xbf16, #two>
  %1 = math.floor %y : f16
  return
}

// CHECK-LABEL: gpu.func @to_integers
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat.i32.f32"(%{{.*}}) : (f32) -> i32
// CHECK: llvm.call_intrinsic "llvm.fptoui.sat.i8.f64"(%{{.*}}) : (f64) -> i8
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat.i64.f32"(%{{.*}}) : (f32) -> i64
func.func @to_integers(%x: f32, %y: f64, %z: bf16) attributes {tile.kernel} {
  %0 = tile.fp_to_si %x : f32 -> i32
  %1 = tile.fp_to_ui %y : f64 -> i8
  %2 = tile.fp_to_si %z : bf16 -> i64
  return
}

// bf16 of a wide integer is rounded once: what f32 cannot hold is gathered in its last bit.
// CHECK-LABEL: gpu.func @from_integers
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i16
// CHECK: %[[FITS:.*]] = arith.cmpi ule
// CHECK: %[[HIGH:.*]] = arith.andi %[[A]], %c-256_i32
// CHECK: %[[ODD:.*]] = arith.ori %[[HIGH]],
// CHECK: %[[GATHERED:.*]] = arith.select %{{.*}}, %[[HIGH]], %[[ODD]]
// CHECK: %[[HELD:.*]] = arith.select %[[FITS]], %[[A]], %[[GATHERED]]
// CHECK: %[[WIDE:.*]] = arith.sitofp %[[HELD]] : i32 to f32
// CHECK: arith.truncf %[[WIDE]] : f32 to bf16
// CHECK-NEXT: arith.sitofp %[[B]] : i16 to bf16
// CHECK-NEXT: arith.sitofp %[[A]] : i32 to f16
func.func @from_integers(%a: i32, %b: i16) attributes {tile.kernel} {
  %0 = arith.sitofp %a : i32 to bf16
  %1 = arith.sitofp %b : i16 to bf16
  %2 = arith.sitofp %a : i32 to f16
  return
}

// Shifts by the width and more, and divisions by zero, are nothing that LLVM leaves undefined.
// CHECK-LABEL: gpu.func @integers
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32
// CHECK: %[[AMOUNT:.*]] = arith.minui %[[B]], %{{.*}} : i32
// CHECK: %[[SHIFTED:.*]] = arith.shli %[[A]], %[[AMOUNT]]
// CHECK: %[[BEYOND:.*]] = arith.cmpi ugt, %[[B]],
// CHECK: arith.select %[[BEYOND]], %{{.*}}, %[[SHIFTED]]
// CHECK: %[[LAST:.*]] = arith.minui %[[B]], %{{.*}}
// CHECK: arith.shrsi %[[A]], %[[LAST]]
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[B]],
// CHECK: %[[BY:.*]] = arith.select %[[ZERO]], %{{.*}}, %[[B]]
// CHECK: arith.divui %[[A]], %[[BY]]
// CHECK: %[[LEAST:.*]] = arith.constant -2147483648
// CHECK: %[[OVERFLOW:.*]] = arith.andi
// CHECK: %[[BAD:.*]] = arith.ori %{{.*}}, %[[OVERFLOW]]
// CHECK: %[[BY2:.*]] = arith.select %[[BAD]], %{{.*}}, %[[B]]
// CHECK: arith.remsi %[[A]], %[[BY2]]
// CHECK: %[[MINUS:.*]] = arith.subi %{{.*}}, %[[A]]
// CHECK: arith.maxsi %[[A]], %[[MINUS]]
func.func @integers(%a: i32, %b: i32) attributes {tile.kernel} {
  %0 = tile.shl %a, %b : i32
  %1 = tile.shr_s %a, %b : i32
  %2 = tile.div_u %a, %b : i32
  %3 = tile.rem_s %a, %b : i32
  %4 = math.absi %a : i32
  return
}

// CHECK-LABEL: gpu.func @programs
// CHECK: gpu.block_id y
// CHECK: gpu.grid_dim z
func.func @programs() attributes {tile.kernel} {
  %0 = tile.program_id y : i32
  %1 = tile.num_programs z : i32
  return
}

// Pointers are compared as addresses.
// CHECK-LABEL: gpu.func @addresses
// CHECK-SAME: %[[P:.*]]: i64, %[[Q:.*]]: i64
// CHECK: arith.cmpi ult, %[[P]], %[[Q]] : i64
func.func @addresses(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %a = tile.ptr_to_int %p : !tile.ptr<f32>
  %b = tile.ptr_to_int %q : !tile.ptr<f32>
  %c = arith.cmpi ult, %a, %b : i64
  return
}

// Control flow carries vectors.
// CHECK-LABEL: gpu.func @loop
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<2xf32>, vector<2xi64>) : i32
// CHECK: scf.if %{{.*}} -> (vector<2xf32>)
// CHECK: scf.yield %{{.*}}, %{{.*}} : vector<2xf32>, vector<2xi64>
func.func @loop(%p: !tile.ptr<f32>, %n: i32, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v0 = arith.constant dense<0.0> : tensor<64xf32, #two>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #two>
  %ones = arith.constant dense<1> : tensor<64xi32, #two>
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%v = %v0, %q = %ps) -> (tensor<64xf32, #two>, tensor<64x!tile.ptr<f32>, #two>) : i32 {
    %w = scf.if %c -> (tensor<64xf32, #two>) {
      %l = tile.load %q : tensor<64x!tile.ptr<f32>, #two>
      scf.yield %l : tensor<64xf32, #two>
    } else {
      scf.yield %v : tensor<64xf32, #two>
    }
    %q1 = tile.addptr %q, %ones : tensor<64x!tile.ptr<f32>, #two>, tensor<64xi32, #two>
    scf.yield %w, %q1 : tensor<64xf32, #two>, tensor<64x!tile.ptr<f32>, #two>
  }
  return
}
