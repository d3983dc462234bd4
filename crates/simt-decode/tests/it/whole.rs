//! Kernels of typed SSA through the passes: those of the examples, and one with every operation on every type.

use melior::Context;
use melior::ir::Module;
use melior::pass::PassManager;
use mytriton_passes as passes;
use mytriton_simt::Memory;
use mytriton_simt_decode::decode;
use mytriton_ssa::{BinaryOp, CastKind, CmpPred, Domain, Kernel, Scalar, UnaryOp, parse_module};
use mytriton_tile::from_ssa;

use crate::context;
use crate::run::launch;

/// A kernel in the gpu stage, for one warp.
fn lowered<'c>(context: &'c Context, kernel: &Kernel) -> Module<'c> {
    let mut module = from_ssa(context, kernel, 1).expect("a kernel of typed SSA has a form in MLIR");
    let manager = PassManager::new(context);
    manager.add_pass(passes::registry::tile_assign_layouts());
    manager.add_pass(passes::registry::tile_allocate_shared());
    manager.add_pass(passes::registry::tile_insert_barriers());
    manager.add_pass(passes::registry::convert_tile_to_gpu());
    manager.run(&mut module).expect("the passes lower any kernel");
    module
}

fn parsed(text: &str) -> Vec<Kernel> {
    parse_module(text, "kernel.ssa")
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
        .kernels
}

fn example(name: &str) -> Vec<Kernel> {
    let path = format!("{}/../../examples/kernels/{name}.ssa", env!("CARGO_MANIFEST_DIR"));
    parsed(&std::fs::read_to_string(path).expect("an example"))
}

#[test]
fn example_kernels_are_known() {
    let context = context();
    for name in ["vector_add", "broadcast_add", "horner"] {
        for kernel in example(name) {
            let programs = decode(&lowered(&context, &kernel)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(programs[0].params.len(), kernel.params().len(), "{name}");
            assert!(programs[0].code.len() > 20, "{name}");
        }
    }
}

#[test]
fn the_sum_of_vectors_is_computed() {
    let context = context();
    let program = decode(&lowered(&context, &example("vector_add")[0]))
        .expect("a known kernel")
        .remove(0);
    let n = 700;
    let mut memory = Memory::new();
    let floats = |scale: f32| {
        (0..n)
            .flat_map(|i| (i as f32 * scale).to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let x = memory.add_buffer("x", &floats(1.0)).expect("room");
    let y = memory.add_buffer("y", &floats(0.5)).expect("room");
    let out = memory.add_zeros("out", 4 * n).expect("room");
    let mut args = [x, y, out]
        .map(|buffer| memory.address(buffer).expect("a buffer"))
        .to_vec();
    args.push(n);
    launch(&program, &memory, &args, 3, 32);
    assert_eq!(memory.read_back(out).expect("a buffer"), floats(1.5));
}

/// A kernel that does something with two scalars and a block.
fn of(ty: Scalar, result: Scalar, op: &str) -> String {
    format!(
        "kernel @k(%p: ptr<{ty}>, %q: ptr<{result}>) {{
           %s = load %p : ptr<{ty}>
           %a = splat %s : tile<64x{ty}>
           %lane = range 0, 64
           %ps = splat %p : tile<64xptr<{ty}>>
           %at = addptr %ps, %lane : tile<64xptr<{ty}>>
           %b = load %at : tile<64xptr<{ty}>>
           {op}
           %qs = splat %q : tile<64xptr<{result}>>
           %to = addptr %qs, %lane : tile<64xptr<{result}>>
           store %to, %r : tile<64xptr<{result}>>
         }}"
    )
}

#[test]
fn every_operation_of_typed_ssa_is_known_on_every_type() {
    let mut texts = Vec::new();
    let fits = Domain::contains;
    for ty in Scalar::ALL {
        let truth = ty == Scalar::I1;
        for op in UnaryOp::ALL.iter().filter(|op| fits(op.domain(), ty) && !truth) {
            texts.push(of(ty, ty, &format!("%r = {op} %b : tile<64x{ty}>")));
        }
        for op in BinaryOp::ALL.iter().filter(|op| fits(op.domain(), ty)) {
            if !(truth && op.unsigned().is_some()) {
                let second = op.second_operand(ty);
                texts.push(match second == ty {
                    true => of(ty, ty, &format!("%r = {op} %a, %b : tile<64x{ty}>")),
                    false => {
                        let n = format!("%n = f_to_s %b : tile<64x{ty}> to tile<64x{second}>");
                        of(ty, ty, &format!("{n} %r = {op} %a, %n : tile<64x{ty}>"))
                    }
                });
            }
        }
        for pred in CmpPred::ALL {
            let meaningless = pred.is_unsigned() && ty.is_float() || truth && pred.unsigned().is_some();
            if !meaningless {
                texts.push(of(ty, Scalar::I1, &format!("%r = cmp {pred} %a, %b : tile<64x{ty}>")));
            }
        }
        if ty.is_float() {
            texts.push(of(ty, ty, &format!("%r = fma %a, %b, %b : tile<64x{ty}>")));
        }
        for to in Scalar::ALL {
            for &kind in CastKind::ALL {
                if is_cast(kind, ty, to) {
                    texts.push(of(ty, to, &format!("%r = {kind} %b : tile<64x{ty}> to tile<64x{to}>")));
                }
            }
        }
    }
    assert!(texts.len() > 300, "{}", texts.len());
    let context = context();
    for text in texts {
        let kernel = parsed(&text).remove(0);
        if let Err(error) = decode(&lowered(&context, &kernel)) {
            panic!("{error}\n{text}");
        }
    }
}

fn is_cast(kind: CastKind, from: Scalar, to: Scalar) -> bool {
    let (wider, narrower) = (to.bits() > from.bits(), to.bits() < from.bits());
    match kind {
        CastKind::SExt | CastKind::ZExt => from.is_int() && to.is_int() && wider,
        CastKind::Trunc => from.is_int() && to.is_int() && narrower,
        CastKind::FExt => from.is_float() && to.is_float() && wider,
        CastKind::FTrunc => from.is_float() && to.is_float() && narrower,
        CastKind::SToF => from.is_int() && from != Scalar::I1 && to.is_float(),
        CastKind::UToF => from.is_int() && to.is_float(),
        CastKind::FToS | CastKind::FToU => from.is_float() && to.is_int() && to != Scalar::I1,
        CastKind::Bitcast => from.bits() == to.bits() && from != to,
    }
}
