use crate::listed;

const SHARED: &str = "#gpu.address_space<workgroup>";

#[test]
fn addresses_are_strided() {
    let body = "
      %x = memref.load %m[%i, %j] : memref<8x4xf32, strided<[6, 1], offset: 2>>
      memref.store %x, %n[%j] : memref<16xf32, 1>
      %v = vector.load %n[%i] : memref<16xf32, 1>, vector<4xf32>
      vector.store %v, %n[%j] {alignment = 16} : memref<16xf32, 1>, vector<4xf32>";
    let parameters = "%m: memref<8x4xf32, strided<[6, 1], offset: 2>>, %n: memref<16xf32, 1>, %i: index, %j: index";
    insta::assert_snapshot!(listed(parameters, body), @"
    k(r0: 64, r1: 64, r2: 64, r3: 64)
      0 r9 = mul.i64 r2, 6
      1 r10 = add.i64 2, r9
      2 r11 = add.i64 r10, r3
      3 r12 = mul.i64 r11, 4
      4 r13 = add.i64 r0, r12
      5 {r15} = load.Global.4 [r13]
      6 r17 = mul.i64 r3, 4
      7 r18 = add.i64 r1, r17
      8 store.Global.4 [r18], {r15}
      9 r19 = mul.i64 r2, 4
     10 r20 = add.i64 r1, r19
     11 {r21} = load.Global.4 [r20]
     12 r22 = add.i64 r20, 4
     13 {r23} = load.Global.4 [r22]
     14 r24 = add.i64 r20, 8
     15 {r25} = load.Global.4 [r24]
     16 r27 = add.i64 r20, 12
     17 {r28} = load.Global.4 [r27]
     18 r29 = mul.i64 r3, 4
     19 r30 = add.i64 r1, r29
     20 store.Global.4 [r30], {r21, r23, r25, r28}
     21 end
    ");
}

#[test]
fn views_of_views_add_up() {
    let body = format!(
        "%s = memref.subview %w[%i, 2] [4, 2] [1, 1] : memref<8x8xi32, {SHARED}> to memref<4x2xi32, strided<[8, 1], offset: ?>, {SHARED}>
         %c = memref.cast %s : memref<4x2xi32, strided<[8, 1], offset: ?>, {SHARED}> to memref<?x2xi32, strided<[?, 1], offset: ?>, {SHARED}>
         %row = memref.subview %c[%i, 0] [1, 2] [1, 1] : memref<?x2xi32, strided<[?, 1], offset: ?>, {SHARED}> to memref<2xi32, strided<[1], offset: ?>, {SHARED}>
         %zero = arith.constant 0 : index
         %d = memref.dim %c, %zero : memref<?x2xi32, strided<[?, 1], offset: ?>, {SHARED}>
         %x = memref.load %row[%d] : memref<2xi32, strided<[1], offset: ?>, {SHARED}>
         %r = memref.reinterpret_cast %w to offset: [0], sizes: [64], strides: [1] : memref<8x8xi32, {SHARED}> to memref<64xi32, strided<[1]>, {SHARED}>
         %y = memref.atomic_rmw addi %x, %r[%i] : (i32, memref<64xi32, strided<[1]>, {SHARED}>) -> i32
         %a = memref.extract_aligned_pointer_as_index %r : memref<64xi32, strided<[1]>, {SHARED}> -> index"
    );
    let text = format!(
        "gpu.module @kernels {{
           gpu.func @k(%i: index) workgroup(%w: memref<8x8xi32, {SHARED}>) kernel {{
             {body}
             gpu.return
           }}
         }}"
    );
    insta::assert_snapshot!(crate::listed_module(&text), @"
    k(r0: 64) workgroup0[256]@0 shared 256
      0 r6 = mul.i64 r0, 8
      1 r7 = add.i64 r6, 2
      2 r8 = mul.i64 r0, 8
      3 r9 = add.i64 r7, r8
      4 r10 = add.i64 r9, 4
      5 r11 = mul.i64 r10, 4
      6 {r12} = load.Shared.4 [r11]
      7 r14 = mul.i64 r0, 4
      8 r15 = atomic_add.Shared.i32.acq_rel [r14], r12
      9 end
    ");
}

#[test]
fn truth_values_are_bytes_in_memory() {
    let body = "
      %x = memref.load %m[%i] : memref<8xi1>
      %y = arith.xori %x, %t : i1
      memref.store %y, %m[%i] : memref<8xi1>";
    insta::assert_snapshot!(listed("%m: memref<8xi1>, %i: index, %t: i1", body), @"
    k(r0: 64, r1: 64, r2: 1)
      0 r6 = add.i64 r0, r1
      1 {r7} = load.Global.1 [r6]
      2 r8 = trunc_int.i8.i1 r7
      3 r9 = xor.i1 r8, r2
      4 r10 = add.i64 r0, r1
      5 store.Global.1 [r10], {r9}
      6 end
    ");
}
