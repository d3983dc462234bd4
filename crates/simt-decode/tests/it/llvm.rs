use crate::{kernel, listed, listed_module};

#[test]
fn accesses_are_as_wide_as_their_alignment() {
    let body = "
      %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
      %v = llvm.load %p : !llvm.ptr<1> -> vector<8xf16>
      %w = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf16>
      %t = llvm.load %p : !llvm.ptr<1> -> i1
      llvm.store %t, %p : i1, !llvm.ptr<1>
      llvm.store %v, %p {alignment = 32 : i64} : vector<8xf16>, !llvm.ptr<1>";
    insta::assert_snapshot!(listed("%a: i64", body), @"
    k(r0: 64)
      0 {r2, r3, r4, r5, r6, r7, r8, r9} = load.Global.2 [r0]
      1 {r10, r11} = load.Global.2 [r0]
      2 r13 = add.i64 r0, 4
      3 {r14, r15} = load.Global.2 [r13]
      4 {r16} = load.Global.1 [r0]
      5 r17 = trunc_int.i8.i1 r16
      6 store.Global.1 [r0], {r17}
      7 store.Global.2 [r0], {r2, r3, r4, r5, r6, r7, r8, r9}
      8 end
    ");
}

#[test]
fn pointers_lead_into_aggregates() {
    let body = "
      %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
      %q = llvm.getelementptr %p[%i, 1, %i] : (!llvm.ptr<1>, i32, i32) -> !llvm.ptr<1>, !llvm.struct<(i8, array<4 x f64>)>
      %c = llvm.mlir.constant(-2 : i32) : i32
      %r = llvm.getelementptr %q[%c] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
      %x = llvm.load %r : !llvm.ptr<1> -> f32
      %n = llvm.ptrtoint %r : !llvm.ptr<1> to i32";
    insta::assert_snapshot!(listed("%a: i64, %i: i32", body), @"
    k(r0: 64, r1: 32)
      0 r2 = sext.i32.i64 r1
      1 r4 = mul.i64 r2, 40
      2 r5 = add.i64 r0, r4
      3 r8 = add.i64 r5, 8
      4 r9 = sext.i32.i64 r1
      5 r10 = mul.i64 r9, 8
      6 r11 = add.i64 r8, r10
      7 r16 = add.i64 r11, 0xfffffffffffffff8
      8 {r18} = load.Global.4 [r16]
      9 r19 = trunc_int.i64.i32 r16
     10 end
    ");
}

#[test]
fn structs_are_their_fields() {
    let body = "
      %u = llvm.mlir.undef : !llvm.struct<(i32, struct<(f32, i64)>)>
      %v = llvm.insertvalue %x, %u[0] : !llvm.struct<(i32, struct<(f32, i64)>)>
      %w = llvm.insertvalue %y, %v[1, 1] : !llvm.struct<(i32, struct<(f32, i64)>)>
      %s = llvm.extractvalue %w[1] : !llvm.struct<(i32, struct<(f32, i64)>)>
      %z = llvm.extractvalue %s[1] : !llvm.struct<(f32, i64)>
      %t = llvm.add %z, %y : i64
      %e = llvm.mlir.poison : vector<2xi64>
      %f = llvm.insertelement %t, %e[%x : i32] : vector<2xi64>
      %g = llvm.extractelement %f[%x : i32] : vector<2xi64>
      %h = llvm.sub %g, %y : i64";
    insta::assert_snapshot!(listed("%x: i32, %y: i64", body), @"
    k(r0: 32, r1: 64)
      0 r3 = add.i64 r1, r1
      1 r4 = eq.i64 r0, 0
      2 r5 = r4 ? r3 : 0
      3 r7 = eq.i64 r0, 1
      4 r8 = r7 ? r3 : 0
      5 r9 = eq.i64 r0, 1
      6 r10 = r9 ? r8 : r5
      7 r11 = sub.i64 r10, r1
      8 end
    ");
}

#[test]
fn atomics_have_orders() {
    let body = "
      %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
      %0 = llvm.atomicrmw add %p, %x syncscope(\"device\") monotonic : !llvm.ptr<1>, i32
      %1 = llvm.atomicrmw xchg %p, %x acquire : !llvm.ptr<1>, i32
      %2 = llvm.cmpxchg %p, %x, %0 acq_rel monotonic : !llvm.ptr<1>, i32
      %3 = llvm.extractvalue %2[1] : !llvm.struct<(i32, i1)>
      %4 = llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      llvm.store %4, %p atomic release {alignment = 4 : i64} : i32, !llvm.ptr<1>
      %5 = llvm.load volatile %p : !llvm.ptr<1> -> i32
      llvm.fence acq_rel";
    insta::assert_snapshot!(listed("%a: i64, %x: i32", body), @"
    k(r0: 64, r1: 32)
      0 r2 = atomic_add.Global.i32 [r0], r1
      1 r3 = atomic_exchange.Global.i32.acquire [r0], r1
      2 r4 = cas.Global.4.acq_rel [r0], r1, r2
      3 r5 = eq.i32 r4, r1
      4 r7 = atomic_or.Global.i32.acquire [r0], 0
      5 r8 = atomic_exchange.Global.i32.release [r0], r7
      6 r9 = atomic_or.Global.i32 [r0], 0
      7 fence Memory
      8 end
    ");
}

#[test]
fn functions_are_operations() {
    let declarations = "
      llvm.func @__mytriton_exp_f32(f32) -> f32
      llvm.func @__mytriton_fmod_f64(f64, f64) -> f64";
    let body = "
      %0 = llvm.call @__mytriton_exp_f32(%x) : (f32) -> f32
      %1 = llvm.call @__mytriton_fmod_f64(%y, %y) : (f64, f64) -> f64
      %2 = llvm.call_intrinsic \"llvm.nvvm.ex2.approx.f32\"(%x) : (f32) -> f32
      %3 = llvm.call_intrinsic \"llvm.nvvm.sqrt.approx.f\"(%x) : (f32) -> f32
      %4 = llvm.call_intrinsic \"llvm.nvvm.div.full\"(%x, %x) : (f32, f32) -> f32
      %5 = llvm.call_intrinsic \"llvm.sqrt.f64\"(%y) : (f64) -> f64
      %6 = llvm.call_intrinsic \"llvm.minimumnum.v2f32\"(%v, %v) : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
      %7 = llvm.call_intrinsic \"llvm.fptoui.sat.i16.f32\"(%x) : (f32) -> i16
      %8 = llvm.intr.fma(%x, %x, %x) : (f32, f32, f32) -> f32
      %9 = llvm.intr.smax(%z, %z) : (i32, i32) -> i32";
    let body = format!("%v = vector.broadcast %x : f32 to vector<2xf32>\n{body}");
    let text = kernel("%x: f32, %y: f64, %z: i32", &body).replacen('{', &format!("{{{declarations}"), 1);
    insta::assert_snapshot!(listed_module(&text), @"
    k(r0: 32, r1: 64, r2: 32)
      0 r3 = exp.f32 r0
      1 r4 = rem.f64 r1, r1
      2 r5 = exp2.f32 r0
      3 r6 = sqrt.f32 r0
      4 r7 = div.f32 r0, r0
      5 r8 = sqrt_rn.f64 r1
      6 r9 = min.f32 r0, r0
      7 r10 = min.f32 r0, r0
      8 r11 = f_to_u.f32.i16 r0
      9 r12 = fma.f32 r0, r0, r0
     10 r13 = max_s.i32 r2, r2
     11 end
    ");
}
