//! Operands at which generated code once was wrong.

use mytriton::frontend::FrontendError;
use mytriton::kernel;
use mytriton_ssa::{BinaryOp, Const, Kernel, OpKind, Scalar, eval_binary, parse_module};

use crate::case::{Arg, Case, Data, Launch};
use crate::compare::Rule;
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

/// A row for each divisor, divided by it: one number for all registers.
#[kernel]
fn quotients_of_rows(x: Ptr<f32>, divisors: Ptr<f32>, out: Ptr<f32>) {
    let row = program_id(0);
    let at = row * 256 + range(0, 256);
    store(out + at, load(x + at) / load(divisors + row));
}

/// Whether the bits of a parameter's absolute value and of its negation are all 0, `bits` being the integer as wide.
fn bits_of_signs(ty: Scalar, bits: Scalar) -> Result<Case, String> {
    let mut text = format!("kernel @bits_of_signs_{ty}(%x: {ty}, %out: ptr<i1>) {{\n %zero = const 0 : {bits}\n");
    for (index, operation) in ["abs", "neg"].into_iter().enumerate() {
        text += &format!(
            "%value{index} = {operation} %x : {ty}
             %bits{index} = bitcast %value{index} : {ty} to {bits}
             %equal{index} = cmp eq %bits{index}, %zero : {bits}
             %at{index} = const {index} : i32
             %to{index} = addptr %out, %at{index} : ptr<i1>
             store %to{index}, %equal{index} : ptr<i1>\n"
        );
    }
    let kernel = parsed(&(text + "}"))?;
    Ok(Case::new(format!("bits_of_signs_{ty}"), kernel, move |random| {
        let launch = |(name, x, abs_is_zero, neg_is_zero): (&str, f64, bool, bool)| {
            let out = Data::random(random, Scalar::I1, 2, Domain::Any, 0);
            Launch::new(name, [1, 1, 1], [Arg::from(Const::from_f64(ty, x)), out.into()])
                .exact(1, [abs_is_zero, neg_is_zero].map(Const::bool).to_vec())
        };
        [
            ("-0.0", -0.0, true, true),
            ("0.0", 0.0, true, false),
            ("-1.0", -1.0, false, false),
        ]
        .map(launch)
        .into()
    }))
}

/// The one kernel of a text.
fn parsed(text: &str) -> Result<Kernel, String> {
    let module = parse_module(text, "corner.ssa").map_err(|error| error.to_string())?;
    module.kernels.into_iter().next().ok_or_else(|| "no kernel".to_owned())
}

/// Counts the iterations of a loop and keeps its last index.
fn rounds(ty: Scalar) -> Result<Kernel, String> {
    let text = format!(
        "kernel @rounds_{ty}(%rounds: ptr<i32>, %last: ptr<{ty}>, %lower: {ty}, %upper: {ty}, %step: {ty}) {{
           %zero = const 0 : i32
           %one = const 1 : i32
           %n, %l = for %i = %lower to %upper step %step : {ty} carry (%n_i = %zero : i32, %l_i = %lower : {ty}) {{
             %n_next = add %n_i, %one : i32
             yield %n_next, %i
           }}
           store %rounds, %n : ptr<i32>
           store %last, %l : ptr<{ty}>
         }}"
    );
    parsed(&text)
}

/// Loops whose index would leave its type in the round after the last.
fn loops(ty: Scalar) -> Result<Case, String> {
    let bits = 8 * ty.bytes();
    let (least, most) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    // With as few rounds as can be.
    let far = most / 2 + 3;
    let bounds = [
        (most - 7, most, 5),
        (most - 7, most, most),
        (least, most, far),
        (least, least + 1, most),
        (most - 1, most, 1),
        (most - 10, most, 1),
        (most, most, 2),
        (most, least, 2),
    ];
    let case = Case::new(format!("rounds_{ty}"), rounds(ty)?, move |random| {
        let launch = |(lower, upper, step): (i128, i128, i128)| {
            let rounds = if lower < upper {
                (upper - lower - 1) / step + 1
            } else {
                0
            };
            let last = lower + (rounds - 1).max(0) * step;
            let out = [Scalar::I32, ty].map(|scalar| Data::random(random, scalar, 1, Domain::Any, 0));
            let scalars = [lower, upper, step].map(|value| Arg::from(Const::from_int(ty, value)));
            let args = out.map(Arg::from).into_iter().chain(scalars);
            Launch::new(format!("{lower} to {upper} step {step}"), [1, 1, 1], args)
                .exact(0, vec![Const::from_int(Scalar::I32, rounds)])
                .exact(1, vec![Const::from_int(ty, last)])
        };
        bounds.map(launch).into()
    });
    Ok(case.warps(1))
}

fn cases() -> Result<Vec<Case>, String> {
    let mut cases = kernels().map_err(|error| error.to_string())?;
    for ty in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
        cases.push(loops(ty)?);
    }
    for (ty, bits) in [
        (Scalar::F16, Scalar::I16),
        (Scalar::BF16, Scalar::I16),
        (Scalar::F32, Scalar::I32),
        (Scalar::F64, Scalar::I64),
    ] {
        cases.push(bits_of_signs(ty, bits)?);
    }
    Ok(cases)
}

fn kernels() -> Result<Vec<Case>, FrontendError> {
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
    let quotients = Case::new("quotients_of_rows", quotients_of_rows::build()?, |random| {
        // Around where the reciprocal, or the divisor itself, is subnormal.
        let powers = [-149, -127, -126, -125, 125, 126, 127].map(|power| 2f64.powi(power));
        let around = powers.iter().flat_map(|&power| [power, -1.5 * power]);
        let fixed = around.chain([
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::from(f32::MAX),
        ]);
        let mut divisors: Vec<Const> = fixed.map(|value| Const::from_f64(Scalar::F32, value)).collect();
        let any = Data::random(random, Scalar::F32, 16, Domain::Any, 0);
        divisors.extend((0..16).map(|i| any.get(i)));
        let n = 256 * divisors.len();
        let x = Data::random(random, Scalar::F32, n, Domain::Any, 0);
        let quotient = |i: usize| eval_binary(BinaryOp::Div, x.get(i), divisors[i / 256]);
        let expected: Vec<Const> = (0..n).filter_map(quotient).collect();
        let rule = mytriton_fuzz::Rule::of(&OpKind::Binary(BinaryOp::Div), Scalar::F32);
        let out = Data::random(random, Scalar::F32, n, Domain::Any, 0);
        let programs = [divisors.len() as u32, 1, 1];
        let divisors = Data::of(random, Scalar::F32, divisors.iter().copied());
        let args = [Arg::from(x.clone()), divisors.into(), out.into()];
        vec![Launch::new("fixed and random", programs, args).output(2, "quotients", 0..n, Rule::Of(rule), expected)]
    });
    Ok(vec![abs, shifts, remainders, quotients])
}
