use crate::{decoded, kernel};

/// The error of a kernel.
fn error(parameters: &str, body: &str) -> String {
    module_error(&kernel(parameters, body))
}

fn module_error(text: &str) -> String {
    match decoded(text) {
        Ok(_) => panic!("known after all:\n{text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn unknown_operations_are_named_at_their_place() {
    let message = error("%x: f32", "    %y = gpu.all_reduce add %x {} : (f32) -> f32");
    insta::assert_snapshot!(message, @"kernel.mlir:3:10: in kernel 'k': the executor does not know operation 'gpu.all_reduce'");
    let message = error("", "    %m = memref.alloca() : memref<4xf32>");
    insta::assert_snapshot!(message, @"kernel.mlir:3:10: in kernel 'k': the executor does not know operation 'memref.alloca'");
    let message = error("", "    nvvm.cluster.arrive");
    insta::assert_snapshot!(message, @"kernel.mlir:3:5: in kernel 'k': the executor does not know operation 'nvvm.cluster.arrive'");
}

#[test]
fn branches_are_not_structured() {
    let text = kernel("%c: i1", "cf.cond_br %c, ^a, ^b\n^a:\ncf.br ^b\n^b:");
    insta::assert_snapshot!(module_error(&text), @"kernel.mlir:3:1: in kernel 'k': 'cf.cond_br': the gpu stage has structured control flow (scf), not branches");
}

#[test]
fn unknown_types_are_named() {
    insta::assert_snapshot!(error("%x: i7", ""), @"kernel.mlir:2:3: in kernel 'k': 'gpu.func': the executor does not know type i7");
    insta::assert_snapshot!(error("%x: vector<[4]xf32>", ""), @"kernel.mlir:2:3: in kernel 'k': 'gpu.func': the executor does not know type vector<[4]xf32>");
    insta::assert_snapshot!(error("%x: memref<?xf32>", ""), @"kernel.mlir:2:3: in kernel 'k': parameter memref<?xf32> has a dynamic shape, stride or offset: memref parameters are bare pointers, so pass a static one and the numbers as parameters of their own");
    insta::assert_snapshot!(error("%x: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>", ""), @"kernel.mlir:2:3: in kernel 'k': 'gpu.func': the executor does not know memory layout affine_map<(d0) -> (d0 floordiv 2)> of memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>: use a strided one");
    insta::assert_snapshot!(error("%x: f32", "%y = arith.truncf %x : f32 to f8E5M2"), @"kernel.mlir:3:6: in kernel 'k': 'arith.truncf': the executor does not know type f8E5M2");
    insta::assert_snapshot!(error("%x: memref<4xf32, #gpu.address_space<private>>", ""), @"kernel.mlir:2:3: in kernel 'k': 'gpu.func': the executor does not know memory space #gpu.address_space<private> of memref<4xf32, #gpu.address_space<private>>");
}

#[test]
fn attributes_that_change_the_meaning_are_named() {
    let body = "%y = arith.truncf %x to_nearest_away : f64 to f32";
    insta::assert_snapshot!(error("%x: f64", body), @"kernel.mlir:3:6: in kernel 'k': the executor does not know attribute roundingmode = 4 : i32 of 'arith.truncf'");
    let body = "%p = llvm.inttoptr %x : i64 to !llvm.ptr<1>
      %c = llvm.mlir.constant(1 : i32) : i32
      %y = llvm.atomicrmw uinc_wrap %p, %c monotonic : !llvm.ptr<1>, i32";
    insta::assert_snapshot!(error("%x: i64", body), @"kernel.mlir:5:12: in kernel 'k': the executor does not know attribute bin_op = 15 : i64 of 'llvm.atomicrmw'");
    let body = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}";
    insta::assert_snapshot!(error("", body), @"kernel.mlir:3:1: in kernel 'k': the executor does not know attribute kind = #nvvm.proxy_kind<alias> of 'nvvm.fence.proxy'");
    let body = "%y = nvvm.shfl.sync bfly %x, %x, %x, %x : i32 -> i32";
    insta::assert_snapshot!(error("%x: i32", body), @"kernel.mlir:3:6: in kernel 'k': the executor does not know this mask and clamp of 'nvvm.shfl.sync': a constant of (32 - width) * 256 + 31 for a width of a power of two");
}

#[test]
fn generic_pointers_are_refused() {
    let body = "%p = llvm.inttoptr %x : i64 to !llvm.ptr\n%y = llvm.load %p : !llvm.ptr -> f32";
    insta::assert_snapshot!(error("%x: i64", body), @"kernel.mlir:4:6: in kernel 'k': 'llvm.load' through a generic pointer: the executor keeps global and shared memory apart, so use !llvm.ptr<1> or !llvm.ptr<3>");
    let body = "%p = llvm.inttoptr %x : i64 to !llvm.ptr<1>\n%y = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr";
    insta::assert_snapshot!(error("%x: i64", body), @"kernel.mlir:4:6: in kernel 'k': 'llvm.addrspacecast' to or from a generic pointer: the executor keeps global and shared memory apart, so keep pointers in the space that they are of");
    let body = "%p = llvm.inttoptr %x : i64 to !llvm.ptr\nnvvm.mbarrier.inval %p : !llvm.ptr";
    insta::assert_snapshot!(error("%x: i64", body), @"kernel.mlir:4:1: in kernel 'k': 'nvvm.mbarrier.inval' through !llvm.ptr: the executor keeps global and shared memory apart, so use !llvm.ptr<3>");
}

#[test]
fn memory_that_is_not_known_is_refused() {
    let body = "%d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %c = arith.constant 0 : index
      %n = memref.dim %d, %c : memref<?xi8, #gpu.address_space<workgroup>>";
    insta::assert_snapshot!(error("", body), @"kernel.mlir:5:12: in kernel 'k': the size of dynamic shared memory is known where the kernel is launched alone");
    let body =
        "%p = llvm.inttoptr %x : i64 to !llvm.ptr<1>\n%y = llvm.load %p {alignment = 2 : i64} : !llvm.ptr<1> -> f32";
    insta::assert_snapshot!(error("%x: i64", body), @"kernel.mlir:4:6: in kernel 'k': the executor does not know accesses to numbers of 4 bytes at an alignment of 2");
    let body = "%p = llvm.inttoptr %x : i64 to !llvm.ptr<1>\n%y = llvm.load %p : !llvm.ptr<1> -> vector<8xi1>";
    insta::assert_snapshot!(error("%x: i64", body), @"kernel.mlir:4:6: in kernel 'k': the executor does not know accesses of this type to memory: numbers, pointers, and vectors of them that are not of i1");
    let text = kernel("", "%p = llvm.mlir.addressof @c : !llvm.ptr<4>").replacen(
        '{',
        "{ llvm.mlir.global internal constant @c(1 : i32) {addr_space = 4 : i32} : i32\n",
        1,
    );
    insta::assert_snapshot!(module_error(&text), @"kernel.mlir:4:6: in kernel 'k': '@c': the executor does not know variables in address space 4");
    let text = kernel("", "").replace(
        ") kernel",
        ") private(%p: memref<4xf32, #gpu.address_space<private>>) kernel",
    );
    insta::assert_snapshot!(module_error(&text), @"kernel.mlir:2:3: in kernel 'k': the executor does not know private memory: keep values in registers, or share memory");
}

#[test]
fn functions_that_are_not_known_are_named() {
    let text = kernel("%x: f32", "%y = llvm.call @sinf(%x) : (f32) -> f32").replacen(
        '{',
        "{ llvm.func @sinf(f32) -> f32\n",
        1,
    );
    insta::assert_snapshot!(module_error(&text), @"kernel.mlir:4:6: in kernel 'k': the executor does not know function '@sinf'");
    let body = "%y = llvm.call_intrinsic \"llvm.nvvm.ex2.approx.ftz.f32\"(%x) : (f32) -> f32";
    insta::assert_snapshot!(error("%x: f32", body), @"kernel.mlir:3:6: in kernel 'k': the executor does not know intrinsic 'llvm.nvvm.ex2.approx.ftz.f32'");
    let body = "%y = llvm.intr.powi(%x, %n) : (f32, i32) -> f32";
    insta::assert_snapshot!(error("%x: f32, %n: i32", body), @"kernel.mlir:3:6: in kernel 'k': the executor does not know operation 'llvm.intr.powi'");
}

#[test]
fn inline_text_that_is_not_known_is_quoted() {
    let of = |text: &str| format!("%y = llvm.inline_asm \"{text}\", \"=r,r\" %x : (i32) -> i32");
    insta::assert_snapshot!(error("%x: i32", &of("mov.b32 $0, $1; brev.b32 $0, $1;")), @r#"kernel.mlir:3:6: in kernel 'k': the executor does not know 'brev.b32 $0, $1' of the inline PTX "mov.b32 $0, $1; brev.b32 $0, $1;""#);
    insta::assert_snapshot!(error("%x: i32", &of("ld.b32 $0, [$1];")), @r#"kernel.mlir:3:6: in kernel 'k': the executor does not know 'ld.b32 $0, [$1]' of the inline PTX "ld.b32 $0, [$1];""#);
    insta::assert_snapshot!(error("%x: i32", &of("add.s64 $0, $1, $1;")), @r#"kernel.mlir:3:6: in kernel 'k': the executor does not know 'add.s64 $0, $1, $1' of the inline PTX "add.s64 $0, $1, $1;""#);
    insta::assert_snapshot!(error("%x: i32", &of("bra $1")), @r#"kernel.mlir:3:6: in kernel 'k': the executor does not know 'bra $1' of the inline PTX "bra $1""#);
    assert!(error("%x: i32", &of("mov.b32 $0, {};")).contains("'mov.b32 $0, {}'"));
    let body = "%y = llvm.inline_asm \"mov.b32 $0, $1;\", \"=r,m\" %x : (i32) -> i32";
    insta::assert_snapshot!(error("%x: i32", body), @r#"kernel.mlir:3:6: in kernel 'k': the executor does not know attribute constraints = "=r,m" of 'llvm.inline_asm'"#);
}

#[test]
fn what_is_in_a_module_is_known() {
    let text = "gpu.module @kernels { gpu.binary @b [#gpu.object<#nvvm.target, \"\">] }";
    assert!(
        module_error(text).contains("'gpu.binary' in a gpu.module"),
        "{}",
        module_error(text)
    );
}
