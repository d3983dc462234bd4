use crate::listed;
use crate::run::check;

#[test]
fn taking_vectors_apart_is_renaming() {
    // Elements numbered by where they come from, in one store each.
    let body = "
      %v = vector.from_elements %a, %b, %c, %d : vector<2x2xi32>
      %t = vector.transpose %v, [1, 0] : vector<2x2xi32> to vector<2x2xi32>
      %row = vector.extract %t[1] : vector<2xi32> from vector<2x2xi32>
      %flat = vector.shape_cast %t : vector<2x2xi32> to vector<4xi32>
      %s = vector.shuffle %flat, %row [3, 4, 0] : vector<4xi32>, vector<2xi32>
      %w = vector.insert %a, %s[1] : i32 into vector<3xi32>
      %x = vector.extract_strided_slice %flat {offsets = [1], sizes = [2], strides = [1]} : vector<4xi32> to vector<2xi32>
      %y = vector.insert_strided_slice %x, %flat {offsets = [2], strides = [1]} : vector<2xi32> into vector<4xi32>
      %z = vector.broadcast %row : vector<2xi32> to vector<2x2xi32>
      %e:4 = vector.to_elements %z : vector<2x2xi32>
      %i = vector.interleave %row, %x : vector<2xi32> -> vector<4xi32>
      %p = llvm.inttoptr %out : i64 to !llvm.ptr<1>
      llvm.store %row, %p : vector<2xi32>, !llvm.ptr<1>
      llvm.store %w, %p {alignment = 4 : i64} : vector<3xi32>, !llvm.ptr<1>
      llvm.store %y, %p : vector<4xi32>, !llvm.ptr<1>
      llvm.store %i, %p : vector<4xi32>, !llvm.ptr<1>
      llvm.store %e#3, %p : i32, !llvm.ptr<1>";
    insta::assert_snapshot!(listed("%out: i64, %a: i32, %b: i32, %c: i32, %d: i32", body), @"
    k(r0: 64, r1: 32, r2: 32, r3: 32, r4: 32)
      0 store.Global.4 [r0], {r2, r4}
      1 store.Global.4 [r0], {r4}
      2 r7 = add.i64 r0, 4
      3 store.Global.4 [r7], {r1}
      4 r9 = add.i64 r0, 8
      5 store.Global.4 [r9], {r1}
      6 store.Global.4 [r0], {r1, r3, r3, r2}
      7 store.Global.4 [r0], {r2, r3, r4, r2}
      8 store.Global.4 [r0], {r4}
      9 end
    ");
}

#[test]
fn dynamic_positions_choose() {
    let body = "
      %v = vector.from_elements %x, %y, %y : vector<3xi64>
      %two = arith.constant 2 : i64
      %k = arith.andi %y, %two : i64
      %i = arith.index_cast %k : i64 to index
      %n = arith.constant 7 : i64
      %w = vector.insert %n, %v[%i] : i64 into vector<3xi64>
      %r = vector.extract %w[0] : i64 from vector<3xi64>";
    check(body, &[(100, 0), (100, 2)], |x, y| if y == 0 { 7 } else { x });
    let body = "
      %v = vector.from_elements %x, %y, %x, %y : vector<2x2xi64>
      %one = arith.constant 1 : i64
      %k = arith.andi %y, %one : i64
      %i = arith.index_cast %k : i64 to index
      %r = vector.extract %v[%i, %i] : i64 from vector<2x2xi64>";
    check(body, &[(100, 0), (100, 1)], |x, y| if y == 0 { x } else { y });
}

#[test]
fn bits_of_vectors_are_cast_between_widths() {
    let body = "
      %v = vector.from_elements %x, %y : vector<2xi64>
      %b = vector.bitcast %v : vector<2xi64> to vector<8xi16>
      %s = vector.shuffle %b, %b [1, 0, 3, 2] : vector<8xi16>, vector<8xi16>
      %w = vector.bitcast %s : vector<4xi16> to vector<1xi64>
      %r = vector.extract %w[0] : i64 from vector<1xi64>";
    check(body, &[(0x1111_2222_3333_4444, 0)], |_, _| 0x2222_1111_4444_3333);
    let body = "
      %v = vector.from_elements %x : vector<1xi64>
      %b = vector.bitcast %v : vector<1xi64> to vector<64xi1>
      %e = vector.extract %b[63] : i1 from vector<64xi1>
      %r = arith.extui %e : i1 to i64";
    check(body, &[(1 << 63, 0), (1 << 62, 0)], |x, _| x >> 63);
}

#[test]
fn reductions_and_masks() {
    let body = "
      %k = arith.index_cast %y : i64 to index
      %m = vector.create_mask %k : vector<4xi1>
      %c = vector.constant_mask [3] : vector<4xi1>
      %b = arith.andi %m, %c : vector<4xi1>
      %v = vector.broadcast %x : i64 to vector<4xi64>
      %z = arith.constant dense<0> : vector<4xi64>
      %s = arith.select %b, %v, %z : vector<4xi1>, vector<4xi64>
      %a = arith.constant 1 : i64
      %r = vector.reduction <add>, %s, %a : vector<4xi64> into i64";
    let inputs: Vec<_> = (0..8).map(|y| (5, y)).collect();
    check(body, &inputs, |x, y| x * y.min(3) + 1);
}
