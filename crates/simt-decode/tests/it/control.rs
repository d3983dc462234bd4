use crate::listed;
use crate::run::check;

#[test]
fn loops_carry_registers() {
    let body = "
      %r:2 = scf.for %i = %lo to %hi step %st iter_args(%a = %lo, %b = %hi) -> (i32, i32) : i32 {
        %s = arith.addi %a, %i : i32
        scf.yield %b, %s : i32, i32
      }
      %u = arith.addi %r#0, %r#1 : i32";
    insta::assert_snapshot!(listed("%lo: i32, %hi: i32, %st: i32", body), @"
    k(r0: 32, r1: 32, r2: 32)
      0 r3 = r0
      1 r4 = r0
      2 r5 = r1
      3 r6 = lt.i32 r3, r1
      4 branch r6 else 10 join 10
      5 r7 = add.i32 r4, r3
      6 r4 = r5
      7 r5 = r7
      8 r3 = add.i32 r3, r2
      9 jump 3
     10 join
     11 r8 = add.i32 r4, r5
     12 end
    ");
}

#[test]
fn loops_with_unsigned_bounds_compare_so() {
    let body = "scf.for unsigned %i = %lo to %hi step %st : i32 { gpu.barrier }";
    let listing = listed("%lo: i32, %hi: i32, %st: i32", body);
    assert!(listing.contains("lt_u.i32"), "{listing}");
}

#[test]
fn carried_values_that_trade_places_go_through_one_temporary() {
    let body = "
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y, %c = %z) -> (i32, i32, i32) : i32 {
        scf.yield %b, %c, %a : i32, i32, i32
      }";
    insta::assert_snapshot!(listed("%n: i32, %x: i32, %y: i32, %z: i32", body), @"
    k(r0: 32, r1: 32, r2: 32, r3: 32)
      0 r6 = 0
      1 r7 = r1
      2 r8 = r2
      3 r9 = r3
      4 r10 = lt.i32 r6, r0
      5 branch r10 else 12 join 12
      6 r11 = r7
      7 r7 = r8
      8 r8 = r9
      9 r9 = r11
     10 r6 = add.i32 r6, 1
     11 jump 4
     12 join
     13 end
    ");
}

#[test]
fn branches_meet_at_a_join() {
    let body = "
      %r = scf.if %c -> i32 {
        %s = arith.addi %x, %y : i32
        scf.yield %s : i32
      } else {
        scf.yield %x : i32
      }
      scf.if %c {
        gpu.barrier
      }
      %u = arith.addi %r, %r : i32";
    insta::assert_snapshot!(listed("%c: i1, %x: i32, %y: i32", body), @"
    k(r0: 1, r1: 32, r2: 32)
      0 branch r0 else 4 join 5
      1 r3 = add.i32 r1, r2
      2 r4 = r3
      3 jump 5
      4 r4 = r1
      5 join
      6 branch r0 else 8 join 8
      7 barrier
      8 join
      9 r5 = add.i32 r4, r4
     10 end
    ");
}

#[test]
fn while_loops_give_what_their_last_test_passed_on() {
    let body = "
      %c1 = arith.constant 1 : i32
      %r:2 = scf.while (%a = %x) : (i32) -> (i32, i32) {
        %s = arith.addi %a, %c1 : i32
        %c = arith.cmpi slt, %s, %n : i32
        scf.condition(%c) %s, %a : i32, i32
      } do {
      ^bb0(%p: i32, %q: i32):
        %t = arith.muli %p, %q : i32
        scf.yield %t : i32
      }
      %u = arith.addi %r#0, %r#1 : i32";
    insta::assert_snapshot!(listed("%n: i32, %x: i32", body), @"
    k(r0: 32, r1: 32)
      0 r3 = r1
      1 r4 = add.i32 r3, 1
      2 r5 = lt.i32 r4, r0
      3 branch r5 else 7 join 7
      4 r6 = mul.i32 r4, r3
      5 r3 = r6
      6 jump 1
      7 join
      8 r7 = add.i32 r4, r3
      9 end
    ");
}

#[test]
fn assertions_are_kept() {
    let body = "cf.assert %c, \"n is even\"\n llvm.intr.assume %c : i1";
    insta::assert_snapshot!(listed("%c: i1", body), @r#"
    k(r0: 1)
      0 assert r0 "n is even"
      1 assert r0 "what llvm.intr.assume promises"
      2 end
    "#);
}

#[test]
fn loops_compute_what_they_say() {
    // Fibonacci, whose values trade places each round; x rounds, different in each thread.
    let body = "
      %c0 = arith.constant 0 : i64
      %c1 = arith.constant 1 : i64
      %f:2 = scf.for %i = %c0 to %x step %c1 iter_args(%a = %c0, %b = %c1) -> (i64, i64) : i64 {
        %s = arith.addi %a, %b : i64
        scf.yield %b, %s : i64, i64
      }
      %r = arith.addi %f#0, %c0 : i64";
    let inputs: Vec<_> = (0..64).map(|n| (n, 0)).collect();
    check(body, &inputs, |x, _| (0..x).fold((0, 1), |(a, b), _| (b, a + b)).0);
}

#[test]
fn nested_loops_and_branches_of_parted_lanes_compute_what_they_say() {
    // Collatz steps of x, where odd numbers above y count double; a while loop with a branch in it.
    let body = "
      %c0 = arith.constant 0 : i64
      %c1 = arith.constant 1 : i64
      %c2 = arith.constant 2 : i64
      %c3 = arith.constant 3 : i64
      %w:2 = scf.while (%a = %x, %n = %c0) : (i64, i64) -> (i64, i64) {
        %more = arith.cmpi ugt, %a, %c1 : i64
        scf.condition(%more) %n, %a : i64, i64
      } do {
      ^bb0(%n: i64, %a: i64):
        %odd = arith.trunci %a : i64 to i1
        %next:2 = scf.if %odd -> (i64, i64) {
          %t = arith.muli %a, %c3 : i64
          %u = arith.addi %t, %c1 : i64
          %big = arith.cmpi ugt, %a, %y : i64
          %by = scf.if %big -> i64 {
            scf.yield %c2 : i64
          } else {
            scf.yield %c1 : i64
          }
          scf.yield %u, %by : i64, i64
        } else {
          %h = arith.shrui %a, %c1 : i64
          scf.yield %h, %c1 : i64, i64
        }
        %m = arith.addi %n, %next#1 : i64
        scf.yield %next#0, %m : i64, i64
      }
      %r = arith.addi %w#0, %c0 : i64";
    let inputs: Vec<_> = (1..65).map(|x| (x, 20)).collect();
    check(body, &inputs, |mut x, y| {
        let mut steps = 0;
        while x > 1 {
            steps += if x % 2 == 1 && x > y { 2 } else { 1 };
            x = if x % 2 == 1 { 3 * x + 1 } else { x / 2 };
        }
        steps
    });
}

#[test]
fn switches_and_regions_give_their_results() {
    let body = "
      %i = arith.index_cast %x : i64 to index
      %s = scf.index_switch %i -> i64
      case 2 {
        %c = arith.constant 20 : i64
        scf.yield %c : i64
      }
      case 5 {
        %c = scf.execute_region -> i64 {
          %k = arith.constant 50 : i64
          scf.yield %k : i64
        }
        scf.yield %c : i64
      }
      default {
        scf.yield %y : i64
      }
      %z = arith.constant 1 : i64
      %r = arith.addi %s, %z : i64";
    let inputs: Vec<_> = (0..8).map(|x| (x, 100 + x)).collect();
    check(body, &inputs, |x, y| match x {
        2 => 21,
        5 => 51,
        _ => y + 1,
    });
}
