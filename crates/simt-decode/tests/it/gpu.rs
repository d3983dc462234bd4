use crate::{decoded, listed, listed_module};

#[test]
fn positions_and_exchanges() {
    let body = "
      %t = gpu.thread_id y
      %g = gpu.global_id x
      %l = gpu.lane_id
      %w = gpu.subgroup_id : index
      %s = gpu.subgroup_size : index
      %c4 = arith.constant 4 : i32
      %c32 = arith.constant 32 : i32
      %v, %ok = gpu.shuffle xor %x, %c4, %c32 : f32
      %u, %ok2 = gpu.shuffle up %x, %c4, %c32 : f32
      gpu.barrier";
    insta::assert_snapshot!(listed("%x: f32", body), @"
    k(r0: 32)
      0 r1 = ThreadId(1)
      1 r2 = BlockId(0)
      2 r3 = BlockDim(0)
      3 r4 = mul.i64 r2, r3
      4 r5 = ThreadId(0)
      5 r6 = add.i64 r4, r5
      6 r7 = Lane
      7 r8 = Warp
      8 r11, r12 = shuffle_Xor r0, 4, 32
      9 r13, r14 = shuffle_Up r0, 4, 32
     10 barrier
     11 end
    ");
}

#[test]
fn shared_memory_of_a_kernel_is_what_it_uses() {
    let text = "
      gpu.module @kernels {
        llvm.mlir.global internal @a() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<20 x i8>
        llvm.mlir.global internal @unused() {addr_space = 3 : i32} : !llvm.array<64 x i8>
        memref.global \"private\" @b : memref<4xf64, #gpu.address_space<workgroup>> = uninitialized
        llvm.mlir.global external @rest() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
        gpu.func @k(%i: index) workgroup(%w: memref<3xi8, #gpu.address_space<workgroup>>) kernel
            attributes {known_block_size = array<i32: 64, 2, 1>} {
          %x = memref.load %w[%i] : memref<3xi8, #gpu.address_space<workgroup>>
          %a = llvm.mlir.addressof @a : !llvm.ptr<3>
          %p = llvm.getelementptr %a[0, 4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<20 x i8>
          llvm.store %x, %p : i8, !llvm.ptr<3>
          %b = memref.get_global @b : memref<4xf64, #gpu.address_space<workgroup>>
          %y = memref.load %b[%i] : memref<4xf64, #gpu.address_space<workgroup>>
          %r = llvm.mlir.addressof @rest : !llvm.ptr<3>
          llvm.store %y, %r : f64, !llvm.ptr<3>
          gpu.return
        }
      }";
    insta::assert_snapshot!(listed_module(text), @"
    k(r0: 64) block [64, 2, 1] workgroup0[3]@0 a[20]@16 b[32]@40 shared 128
      0 {r4} = load.Shared.1 [r0]
      1 store.Shared.1 [20], {r4}
      2 r10 = mul.i64 r0, 8
      3 r11 = add.i64 40, r10
      4 {r12} = load.Shared.8 [r11]
      5 store.Shared.8 [128], {r12}
      6 end
    ");
}

#[test]
fn dynamic_shared_memory_is_viewed() {
    let body = "
      %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %c64 = arith.constant 64 : index
      %v = memref.view %d[%c64][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<8x4xf32, #gpu.address_space<workgroup>>
      %x = memref.load %v[%i, %i] : memref<8x4xf32, #gpu.address_space<workgroup>>";
    insta::assert_snapshot!(listed("%i: index", body), @"
    k(r0: 64)
      0 r5 = add.i64 0, 64
      1 r9 = mul.i64 r0, 4
      2 r10 = add.i64 r9, r0
      3 r11 = mul.i64 r10, 4
      4 r12 = add.i64 r5, r11
      5 {r13} = load.Shared.4 [r12]
      6 end
    ");
}

#[test]
fn operations_know_their_place() {
    let text = "gpu.module @kernels {\n  gpu.func @k(%x: i32) kernel {\n    %y = arith.addi %x, %x : i32\n    gpu.barrier\n    gpu.return\n  }\n}";
    let program = decoded(text).expect("a known kernel").remove(0);
    let places: Vec<_> = (0..program.code.len() as u32)
        .map(|pc| {
            let place = program.place(pc);
            let at = place
                .at
                .as_ref()
                .map(|(file, line, column)| format!("{file}:{line}:{column}"));
            format!("{} {}", place.op, at.unwrap_or_default())
        })
        .collect();
    assert_eq!(
        places[..2],
        ["arith.addi kernel.mlir:3:10", "gpu.barrier kernel.mlir:4:5"]
    );
}

#[test]
fn registers_are_few_and_alive_words_are_counted() {
    // Two of 64 bits and one of 32 at the addition, an address among them.
    let body = "
      %x = arith.extui %n : i32 to i64
      %y = arith.muli %a, %x : i64
      %z = arith.addi %y, %a : i64
      %w = arith.muli %z, %z : i64
      %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
      llvm.store %w, %p : i64, !llvm.ptr<1>";
    let program = decoded(&crate::kernel("%a: i64, %n: i32", body))
        .expect("a known kernel")
        .remove(0);
    assert!(program.registers <= 4, "{}", program.registers);
    assert!((3..=6).contains(&program.live_words), "{}", program.live_words);
}
