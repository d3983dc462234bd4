//! ssa -> tile -> ssa is the identity, in memory and by way of text.

use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use mytriton_ssa::{
    BinaryOp, Builder, CastKind, CmpPred, Const, Elem, Kernel, OptLevel, Scalar, Shape, Type, UnaryOp, optimise, verify,
};
use mytriton_tile::{from_ssa, to_ssa};
use mytriton_tile_sys as sys;
use proptest::prelude::*;

use crate::context;
use crate::generate::generate;
use crate::same::assert_same;

fn assert_round_trip(kernel: &Kernel) {
    verify(kernel).unwrap();
    let context = context();
    let module = from_ssa(&context, kernel, 4).unwrap();
    if let Err(reports) = sys::verify(&context, &module.as_operation()) {
        panic!("{}\n{}\n{kernel}", reports[0], module.as_operation());
    }
    let back = to_ssa(&module).unwrap();
    let [back] = &back.kernels[..] else {
        panic!("one kernel is expected")
    };
    verify(back).unwrap();
    assert_same(kernel, back, true);

    // The short form leaves out places, and those of terminators without operands even when asked for.
    let all = OperationPrintingFlags::new()
        .enable_debug_info(true, false)
        .print_generic_operation_form();
    for (flags, places) in [(OperationPrintingFlags::new(), false), (all, true)] {
        let text = module.as_operation().to_string_with_flags(flags).unwrap();
        let (read, reports) = sys::collect_diagnostics(&context, || sys::parse_module(&context, &text, "kernel.mlir"));
        let read = read.unwrap_or_else(|| panic!("{}\n{text}", reports[0]));
        assert_same(kernel, &to_ssa(&read).unwrap().kernels[0], places);
    }
}

fn kernel(data: &[u32]) -> Kernel {
    let mut kernel = generate(data);
    // An attribute of type i32 holds no more.
    kernel
        .params_mut()
        .iter_mut()
        .for_each(|p| p.divisibility = p.divisibility.min(1 << 30));
    kernel
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_kernels(data in prop::collection::vec(any::<u32>(), 0..400)) {
        assert_round_trip(&kernel(&data));
    }

    #[test]
    fn random_kernels_optimised(data in prop::collection::vec(any::<u32>(), 0..400)) {
        let mut kernel = kernel(&data);
        optimise(&mut kernel, OptLevel::Full);
        assert_round_trip(&kernel);
    }
}

/// Every operation on every type that it takes, scalars and tiles.
#[test]
fn every_operation() {
    let mut b = Builder::new("every");
    let shapes = [Shape::SCALAR, Shape::new(&[4, 3]).unwrap()];
    for scalar in Scalar::ALL {
        let x = b.param(format!("x_{scalar}"), Elem::Scalar(scalar));
        let p = b.param(format!("p_{scalar}"), Elem::Ptr(scalar));
        for shape in shapes {
            let [x, p] = [x, p].map(|v| match shape.is_scalar() {
                true => v,
                false => {
                    let ty = b.ty(v).with_shape(shape);
                    b.splat(v, ty).unwrap()
                }
            });
            // What a type does not take is refused, and not built.
            for &op in UnaryOp::ALL {
                let _ = b.unary(op, x);
            }
            for &op in BinaryOp::ALL {
                let n = b.constant_of(Const::i32(3), Type::I32.with_shape(shape)).unwrap();
                let _ = b.binary(op, x, x).or_else(|_| b.binary(op, x, n));
            }
            for &pred in CmpPred::ALL {
                let _ = b.cmp(pred, x, x);
                let _ = b.cmp(pred, p, p);
            }
            for &kind in CastKind::ALL {
                for to in Scalar::ALL {
                    let _ = b.cast(kind, x, to);
                }
            }
            let _ = b.fma(x, x, x);
            let mask = b.constant_of(Const::bool(true), Type::I1.with_shape(shape)).unwrap();
            let moved = b.select(mask, p, p).unwrap();
            let zero = b.constant_of(Const::i32(0), Type::I32.with_shape(shape)).unwrap();
            let moved = b.addptr(moved, zero).unwrap();
            for (mask, other) in [(None, None), (Some(mask), None), (Some(mask), Some(x))] {
                let loaded = b.load(moved, mask, other).unwrap();
                b.store(p, loaded, mask).unwrap();
            }
        }
    }
    assert_round_trip(&b.finish());
}

/// Bits that a detour through another representation would lose.
#[test]
fn constants_keep_their_bits() {
    let mut b = Builder::new("constants");
    for scalar in Scalar::ALL {
        let width = scalar.bits();
        let ones = u64::MAX >> (64 - width);
        // Signalling and quiet NaNs of both signs, infinities, both zeros, subnormals, the ends of integers.
        let top = 1u64 << (width - 1);
        let exponent = match scalar {
            Scalar::F16 => 0x7C00,
            Scalar::BF16 => 0x7F80,
            Scalar::F32 => 0x7F80_0000,
            Scalar::F64 => 0x7FF0_0000_0000_0000,
            _ => ones >> 1,
        };
        for bits in [
            0,
            1,
            ones,
            top,
            top | 1,
            ones >> 1,
            exponent,
            exponent | 1,
            exponent | top,
            exponent | top | 5,
        ] {
            let value = Const::from_bits(scalar, bits & ones);
            b.constant(value);
            b.constant_of(value, Type::scalar(scalar).with_shape(Shape::new(&[2, 3]).unwrap()))
                .unwrap();
        }
    }
    assert_round_trip(&b.finish());
}

/// Facts of arguments, and names that MLIR would not give.
#[test]
fn parameters() {
    let mut b = Builder::new("copy");
    let x = b.param("x", Elem::Ptr(Scalar::F32));
    b.param("_size", Elem::Scalar(Scalar::I64));
    b.param("_0", Elem::Scalar(Scalar::I1));
    b.kernel_mut().params_mut()[0].divisibility = 16;
    b.kernel_mut().params_mut()[1].divisibility = 1 << 30;
    let a = b.load(x, None, None).unwrap();
    b.store(x, a, None).unwrap();
    assert_round_trip(&b.finish());
}

/// Beyond what the attribute holds, a weaker fact takes the place.
#[test]
fn the_largest_divisibility() {
    let mut b = Builder::new("k");
    b.param("n", Elem::Scalar(Scalar::I64));
    b.kernel_mut().params_mut()[0].divisibility = 1 << 31;
    let context = context();
    let module = from_ssa(&context, &b.finish(), 4).unwrap();
    assert!(sys::verify(&context, &module.as_operation()).is_ok());
    assert_eq!(to_ssa(&module).unwrap().kernels[0].params()[0].divisibility, 1 << 30);
}
