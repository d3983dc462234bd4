//! Operands at which generated code once was wrong on a GPU.

use mytriton::frontend::FrontendError;
use mytriton::kernel;
use mytriton_ssa::{Const, Scalar};

use crate::case::{Arg, Case, Data, Launch};
use crate::suite::Group;
use crate::values::Domain;

/// The group of corners.
pub fn group() -> Group {
    Group::cases("corners", cases)
}

/// Whether the absolute value of the least number is negative, seen without storing it.
#[kernel]
fn abs_below_zero(x: Ptr<i16>, out: Ptr<bool>) {
    let at = range(0, 4);
    store(out + at, abs(load(x + at)) < 0);
}

/// A shift by an amount whose lower half alone would be within the width. The operations stand alone: fewer uses of
/// the amount let LLVM fold more.
#[kernel]
fn wide_shifts(x: Ptr<u64>, amounts: Ptr<u64>, left: Ptr<u64>, right: Ptr<u64>) {
    let at = range(0, 4);
    store(left + at, load(x + at) << load(amounts + at));
    store(right + at, load(x + at) >> load(amounts + at));
}

/// The remainder of the largest numbers.
#[kernel]
fn large_remainders(x: Ptr<f64>, y: Ptr<f64>, out: Ptr<f64>) {
    let at = range(0, 4);
    store(out + at, load(x + at) % load(y + at));
}

fn cases() -> Result<Vec<Case>, FrontendError> {
    let ints = |scalar, values: [i128; 4]| values.map(|v| Const::from_int(scalar, v));
    let abs = Case::new("abs_below_zero", abs_below_zero::build()?, move |random| {
        let x = Data::of(random, Scalar::I16, ints(Scalar::I16, [-32768, -32767, 32767, 0]));
        let out = Data::random(random, Scalar::I1, 4, Domain::Any, 0);
        let expected = [true, false, false, false].map(Const::bool).to_vec();
        vec![Launch::new("fixed", [1, 1, 1], [Arg::from(x), out.into()]).exact(1, expected)]
    });
    let shifts = Case::new("wide_shifts", wide_shifts::build()?, move |random| {
        let x = Data::of(random, Scalar::I64, ints(Scalar::I64, [-1; 4]));
        let beyond = [1 << 32, (1 << 63) | 3, 63, 64];
        let amounts = Data::of(random, Scalar::I64, ints(Scalar::I64, beyond));
        let (left, right) = (
            Data::random(random, Scalar::I64, 4, Domain::Any, 0),
            Data::random(random, Scalar::I64, 4, Domain::Any, 0),
        );
        let args = [Arg::from(x), amounts.into(), left.into(), right.into()];
        vec![
            Launch::new("fixed", [1, 1, 1], args)
                .exact(2, ints(Scalar::I64, [0, 0, 1 << 63, 0]).to_vec())
                .exact(3, ints(Scalar::I64, [0, 0, 1, 0]).to_vec()),
        ]
    });
    let remainders = Case::new("large_remainders", large_remainders::build()?, |random| {
        let float = |v: f64| Const::from_f64(Scalar::F64, v);
        let pairs = [
            (f64::MAX, 8.972647639679292e148),
            (-f64::MAX, 5e-324),
            (f64::MAX, f64::MAX / 1.5),
            (f64::MAX, 1e-300),
        ];
        let x = Data::of(random, Scalar::F64, pairs.map(|p| float(p.0)));
        let y = Data::of(random, Scalar::F64, pairs.map(|p| float(p.1)));
        let out = Data::random(random, Scalar::F64, 4, Domain::Any, 0);
        // Rust's remainder is the exact one too.
        let expected = pairs.map(|p| float(p.0 % p.1)).to_vec();
        vec![Launch::new("fixed", [1, 1, 1], [Arg::from(x), y.into(), out.into()]).exact(2, expected)]
    });
    Ok(vec![abs, shifts, remainders])
}
