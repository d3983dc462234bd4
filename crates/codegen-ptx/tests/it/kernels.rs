//! Whole kernels: the PTX we get, and what ptxas says about it.

use mytriton_codegen_ptx::ptxas::Ptxas;
use mytriton_codegen_ptx::{OptLevel, Options, Target};

use crate::{compile_text, compile_with, elementwise};

const VECTOR_ADD: &str = include_str!("kernels/vector_add.mlir");

#[test]
fn vector_add_for_every_target_is_accepted_by_ptxas() {
    let ptxas = Ptxas::find_for_tests();
    for target in Target::ALL {
        let ptx = compile_text(VECTOR_ADD, target).unwrap();
        assert!(ptx.text.contains(&format!(".target {target}\n")), "{}", ptx.text);
        assert!(
            ptx.text.contains(&format!(".version {}\n", target.ptx_isa())),
            "{}",
            ptx.text
        );
        assert!(ptx.text.contains(".reqntid 128"), "{}", ptx.text);
        assert_eq!(ptx.kernels, ["vector_add"]);
        assert_eq!(
            ptx.text.matches("ld.global.nc.v4.b32").count(),
            2,
            "16-byte loads:\n{}",
            ptx.text
        );
        assert_eq!(
            ptx.text.matches("st.global.v4.b32").count(),
            1,
            "16-byte stores:\n{}",
            ptx.text
        );
        if let Some(ptxas) = &ptxas {
            let report = ptxas.check(&ptx.text, target).unwrap();
            assert_eq!(report.warnings, Vec::<String>::new());
            let [kernel] = &report.kernels[..] else {
                panic!("{report:?}")
            };
            assert_eq!(
                (kernel.name.as_str(), kernel.stack_bytes, kernel.spill_store_bytes),
                ("vector_add", 0, 0)
            );
            assert!((1..=32).contains(&kernel.registers), "{kernel:?}");
        }
    }
}

#[test]
fn a_module_without_a_gpu_module_compiles_as_it_is() {
    let source = "llvm.func @f(%p: !llvm.ptr<1>) attributes {nvvm.kernel} { llvm.return }";
    let ptx = compile_text(source, Target::Sm80).unwrap();
    assert!(ptx.text.contains(".visible .entry f("), "{}", ptx.text);
}

#[test]
fn shared_memory_and_barriers() {
    let source = "gpu.module @m {
        llvm.mlir.global internal @buffer() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x f32>
        llvm.func @k(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
            %tid = nvvm.read.ptx.sreg.tid.x : i32
            %last = llvm.mlir.constant(255 : i32) : i32
            %other = llvm.sub %last, %tid : i32
            %base = llvm.mlir.addressof @buffer : !llvm.ptr<3>
            %mine = llvm.getelementptr %base[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
            %theirs = llvm.getelementptr %base[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
            %global = llvm.getelementptr %p[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
            %x = llvm.load %global : !llvm.ptr<1> -> f32
            llvm.store %x, %mine : f32, !llvm.ptr<3>
            nvvm.barrier0
            %y = llvm.load %theirs : !llvm.ptr<3> -> f32
            llvm.store %y, %global : f32, !llvm.ptr<1>
            llvm.return
        }
    }";
    for target in Target::ALL {
        let ptx = compile_text(source, target).unwrap();
        if let Some(ptxas) = Ptxas::find_for_tests() {
            let report = ptxas.check(&ptx.text, target).unwrap();
            assert_eq!(report.kernels[0].shared_bytes, 1024, "{report:?}");
            assert_eq!(report.warnings, Vec::<String>::new());
        }
    }
}

#[test]
fn half_vectors_use_packed_instructions() {
    let add = |ty: &str| {
        elementwise(
            &format!("vector<8x{ty}>"),
            &format!("%r = llvm.fadd %x, %y : vector<8x{ty}>"),
            "",
        )
    };
    let ptx = |ty, target| compile_text(&add(ty), target).unwrap().text;
    assert_eq!(ptx("f16", Target::Sm80).matches("add.f16x2").count(), 4);
    // sm_80 has a packed bf16 fma but no add: x * 1 + y, as exact.
    assert_eq!(ptx("bf16", Target::Sm80).matches("fma.rn.bf16x2").count(), 4);
    assert_eq!(ptx("bf16", Target::Sm90).matches("add.bf16x2").count(), 4);
    // sm_75 has no bf16 arithmetic; it goes through f32.
    assert_eq!(ptx("bf16", Target::Sm75).matches("add.f32").count(), 8);
    if let Some(ptxas) = Ptxas::find_for_tests() {
        for target in Target::ALL {
            for ty in ["f16", "bf16"] {
                assert_eq!(ptxas.check(&ptx(ty, target), target).unwrap().kernels[0].stack_bytes, 0);
            }
        }
    }
}

#[test]
fn every_level_compiles_and_the_llvm_module_can_be_kept() {
    for opt_level in [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3] {
        let options = Options {
            opt_level,
            keep_llvm_ir: true,
            ..Options::new(Target::Sm90a)
        };
        let ptx = compile_with(VECTOR_ADD, &options).unwrap();
        assert!(ptx.llvm_ir.unwrap().contains("define ptx_kernel void @vector_add"));
        if let Some(ptxas) = Ptxas::find_for_tests() {
            ptxas.check(&ptx.text, Target::Sm90a).unwrap();
        }
    }
}

#[test]
fn compiling_twice_and_on_several_threads_gives_the_same_text() {
    let first = compile_text(VECTOR_ADD, Target::Sm90a).unwrap().text;
    let context = crate::context();
    let module = crate::parse(&context, VECTOR_ADD);
    let options = Options::new(Target::Sm90a);
    for _ in 0..2 {
        let again = mytriton_codegen_ptx::compile(module.as_operation(), &options).unwrap();
        assert_eq!(again.text, first);
    }
    let threads: Vec<_> = (0..4)
        .map(|_| std::thread::spawn(|| compile_text(VECTOR_ADD, Target::Sm90a).unwrap().text))
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), first);
    }
}
