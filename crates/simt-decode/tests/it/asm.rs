use crate::listed;
use crate::run::check;

#[test]
fn predicated_accesses_take_what_the_lanes_without_have() {
    let body = "
      %0 = llvm.inline_asm has_side_effects \"@$2 ld.global.b32 $0, [$1];\", \"=r,l,b,0\" %a, %p, %x : (i64, i1, i32) -> i32
      %1 = llvm.inline_asm has_side_effects \"@!$3 ld.global.v2.b32 {$0, $1}, [$2+8];\", \"=r,=r,l,b,0,1\" %a, %p, %x, %0 : (i64, i1, i32, i32) -> !llvm.struct<(i32, i32)>
      %2 = llvm.extractvalue %1[1] : !llvm.struct<(i32, i32)>
      llvm.inline_asm has_side_effects \"@$1 st.global.v2.b32 [$0], {$2, $3};\", \"l,b,r,r,~{memory}\" %a, %p, %x, %2 : (i64, i1, i32, i32) -> ()
      %3 = llvm.inline_asm \"@$2 ld.global.nc.L1::no_allocate.s8 $0, [$1];\", \"=h,l,b,0\" %a, %p, %h : (i64, i1, i16) -> i16
      llvm.inline_asm has_side_effects \"st.shared.b8 [$0], $1;\", \"r,h\" %x, %3 : (i32, i16) -> ()
      %4 = llvm.inline_asm has_side_effects \"@$2 ld.acquire.gpu.global.b32 $0, [$1];\", \"=r,l,b\" %a, %p : (i64, i1) -> i32";
    insta::assert_snapshot!(listed("%a: i64, %p: i1, %x: i32, %h: i16", body), @"
    k(r0: 64, r1: 1, r2: 32, r3: 16)
      0 {r5} = load.Global.4 [r0] if r1 else {r2}
      1 r7 = xor.i1 r1, 1
      2 r9 = add.i64 r0, 8
      3 {r10, r11} = load.Global.4 [r9] if r7 else {r2, r5}
      4 store.Global.4 [r0], {r2, r11} if r1
      5 {r12} = load.Global.1 [r0] if r1 else {0}
      6 r13 = sext.i8.i16 r12
      7 r14 = r1 ? r13 : r3
      8 r15 = trunc_int.i16.i8 r14
      9 store.Shared.1 [r2], {r15}
     10 r16 = 0
     11 branch r1 else 14 join 14
     12 r17 = atomic_or.Global.i32.acquire [r0], 0
     13 r16 = r17
     14 join
     15 r18 = r1 ? r16 : 0
     16 end
    ");
}

#[test]
fn synchronisation_and_scopes() {
    let body = "
      llvm.inline_asm has_side_effects \"{ bar.sync 0; bar.sync 1, 64; @$0 bar.arrive 2, 96; }\", \"b\" %p : (i1) -> ()
      llvm.inline_asm has_side_effects \"fence.proxy.async.shared::cta;\\n\\tmembar.gl; bar.warp.sync $0;\", \"r\" %x : (i32) -> ()";
    insta::assert_snapshot!(listed("%p: i1, %x: i32", body), @"
    k(r0: 1, r1: 32)
      0 barrier
      1 barrier 1 of 64
      2 branch r0 else 4 join 4
      3 arrive 2 of 96
      4 join
      5 fence AsyncProxy
      6 fence Memory
      7 warp_barrier r1
      8 end
    ");
}

#[test]
fn arithmetic_computes_what_it_says() {
    let asm = |text: &str| {
        format!(
            "%x32 = arith.trunci %x : i64 to i32
             %y32 = arith.trunci %y : i64 to i32
             %r = llvm.inline_asm \"{text}\", \"=l,r,r\" %x32, %y32 : (i32, i32) -> i64"
        )
    };
    let numbers = [0u32, 1, 5, 31, 32, 40, 0x8000_0000, 0xFFFF_FFFF];
    let pairs: Vec<_> = numbers
        .iter()
        .flat_map(|&x| numbers.iter().map(move |&y| (u64::from(x), u64::from(y))))
        .collect();
    let wide = |x: u64| i64::from(x as u32 as i32);
    check(&asm("mul.wide.s32 $0, $1, $2;"), &pairs, |x, y| {
        (wide(x) * wide(y)) as u64
    });
    check(&asm("mad.wide.u32 $0, $1, $2, 7;"), &pairs, |x, y| {
        (x * y).wrapping_add(7)
    });
    check(&asm("mov.b64 $0, {$2, $1};"), &pairs, |x, y| y | x << 32);
    check(
        &asm(
            "{ .reg .pred p; .reg .b32 t<2>; setp.lt.s32 p, $1, $2; @p sub.s32 t1, $2, $1; @!p mov.u32 t1, 3; cvt.s64.s32 $0, t1; }",
        ),
        &pairs,
        |x, y| {
            if wide(x) < wide(y) {
                wide(y.wrapping_sub(x)) as u64
            } else {
                3
            }
        },
    );
    check(
        &asm("{ .reg .b32 t, u; shl.b32 t, $1, $2; shr.s32 u, $1, $2; mov.b64 $0, {t, u}; }"),
        &pairs,
        |x, y| {
            let left = if y > 31 { 0 } else { (x as u32) << y };
            let right = (x as u32 as i32) >> y.min(31);
            u64::from(left) | u64::from(right as u32) << 32
        },
    );
    check(
        &asm("{ .reg .b32 t; abs.s32 t, $1; max.u32 t, t, $2; selp.b32 t, t, $2, 1; cvt.u64.u32 $0, t; }"),
        &pairs,
        |x, y| u64::from((x as u32 as i32).unsigned_abs()).max(y),
    );
}
