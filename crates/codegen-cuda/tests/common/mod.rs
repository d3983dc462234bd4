//! Kernels that tests share: every operation on every type.
#![allow(dead_code, reason = "each test binary uses a part")]

pub mod host;
pub mod moving;
mod random;

#[allow(unused_imports, reason = "each test binary uses a part")]
pub use random::{SPAN, random_kernel};

use mytriton_ssa::{
    Axis, BinaryOp, BuildError, Builder, CastKind, CmpPred, Const, Elem, Kernel, Scalar, Type, UnaryOp, ValueId,
};

/// Elements of the blocks in the kernels of [`arithmetic`] and [`casts`].
pub const N: i32 = 96;

/// A kernel under construction whose results go to numbered slots of N elements each.
struct Slots {
    b: Builder,
    index: ValueId,
    outputs: Vec<(Scalar, ValueId, i32)>,
    labels: Vec<(Scalar, String)>,
}

/// A kernel, and what each slot of its outputs holds: the output's type and a label, slots of a type in order.
pub struct Table {
    pub kernel: Kernel,
    pub labels: Vec<(Scalar, String)>,
}

impl Slots {
    fn new(name: &str, inputs: &[(&str, Scalar)], outputs: &[Scalar]) -> Result<(Slots, Vec<ValueId>), BuildError> {
        let mut b = Builder::new(name);
        let pointers: Vec<ValueId> = inputs.iter().map(|(name, s)| b.param(*name, Elem::Ptr(*s))).collect();
        let outputs = outputs
            .iter()
            .map(|&s| (s, b.param(format!("out_{s}"), Elem::Ptr(s)), 0))
            .collect();
        let index = b.range(0, N)?;
        let mut slots = Slots {
            b,
            index,
            outputs,
            labels: Vec::new(),
        };
        let loaded = pointers.into_iter().map(|pointer| {
            let pointers = slots.pointers(pointer, index)?;
            slots.b.load(pointers, None, None)
        });
        let loaded = loaded.collect::<Result<_, _>>()?;
        Ok((slots, loaded))
    }

    fn pointers(&mut self, pointer: ValueId, index: ValueId) -> Result<ValueId, BuildError> {
        let ty = self.b.ty(pointer).with_shape(self.b.ty(index).shape);
        let all = self.b.splat(pointer, ty)?;
        self.b.addptr(all, index)
    }

    fn output(&mut self, value: ValueId, label: String) -> Result<(), BuildError> {
        let scalar = self.b.ty(value).as_scalar().unwrap();
        let slot = self.outputs.iter_mut().find(|(s, ..)| *s == scalar).unwrap();
        let (pointer, number) = (slot.1, slot.2);
        slot.2 += 1;
        let ty = self.b.ty(self.index);
        let offset = self.b.constant_of(Const::i32(number * N), ty)?;
        let at = self.b.binary(BinaryOp::Add, self.index, offset)?;
        let pointers = self.pointers(pointer, at)?;
        self.labels.push((scalar, label));
        self.b.store(pointers, value, None)
    }

    fn finish(self) -> Table {
        let kernel = self.b.finish();
        mytriton_ssa::verify(&kernel).unwrap();
        Table {
            kernel,
            labels: self.labels,
        }
    }
}

/// Every operation without conversion of a type, on blocks a, b and c. Integer division gets divisors that are not
/// zero and dividends that are not the smallest number, unless `total` asks for all.
pub fn arithmetic(scalar: Scalar, total: bool) -> Result<Table, BuildError> {
    let name = format!("arithmetic_{scalar}{}", if total { "_total" } else { "" });
    let outputs = if scalar == Scalar::I1 {
        vec![scalar]
    } else {
        vec![scalar, Scalar::I1]
    };
    let inputs = [("a", scalar), ("b", scalar), ("c", scalar)];
    let (mut slots, loaded) = Slots::new(&name, &inputs, &outputs)?;
    let [a, b, c] = loaded[..] else { unreachable!() };
    let ty = slots.b.ty(a);
    let (mut dividend, mut divisor) = (a, b);
    if scalar.is_int() && !total {
        let one = slots.b.constant_of(Const::from_int(scalar, 1), ty)?;
        divisor = slots.b.binary(BinaryOp::Or, b, one)?;
        let smallest = Const::from_bits(scalar, 1 << (scalar.bits() - 1));
        let smallest = slots.b.constant_of(smallest, ty)?;
        let is_smallest = slots.b.cmp(CmpPred::Eq, a, smallest)?;
        dividend = slots.b.select(is_smallest, one, a)?;
    }
    for &op in UnaryOp::ALL {
        if let Ok(value) = slots.b.unary(op, a) {
            slots.output(value, op.to_string())?;
        }
    }
    for &op in BinaryOp::ALL {
        use BinaryOp::{DivS, DivU, RemS, RemU};
        let (x, y) = if matches!(op, DivS | DivU | RemS | RemU) {
            (dividend, divisor)
        } else {
            (a, b)
        };
        let second = op.second_operand(scalar);
        let y = if second == scalar || !scalar.is_float() {
            y
        } else {
            slots.b.cast(CastKind::FToS, b, second)?
        };
        if let Ok(value) = slots.b.binary(op, x, y) {
            slots.output(value, op.to_string())?;
        }
    }
    if let Ok(value) = slots.b.fma(a, b, c) {
        slots.output(value, "fma".to_owned())?;
    }
    for &pred in CmpPred::ALL {
        if let Ok(value) = slots.b.cmp(pred, a, b) {
            slots.output(value, format!("cmp {pred}"))?;
            let chosen = slots.b.select(value, b, c)?;
            slots.output(chosen, format!("select by {pred}"))?;
        }
    }
    // Small amounts as well as those beyond the width.
    if scalar.is_int() {
        for amount in [0, 1, scalar.bits() - 1, scalar.bits(), 64, 127] {
            let amount = Const::from_int(scalar, amount.into());
            let amount_value = slots.b.constant_of(amount, ty)?;
            for op in [BinaryOp::Shl, BinaryOp::ShrS, BinaryOp::ShrU] {
                if let Ok(value) = slots.b.binary(op, a, amount_value) {
                    slots.output(value, format!("{op} by {amount}"))?;
                }
            }
        }
    }
    // Constants as operands, of both signs.
    for number in [-3.0, 0.0, -0.0, 0.1] {
        let constant = Const::from_f64(scalar, number);
        let value = slots.b.constant_of(constant, ty)?;
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
            let sum = slots.b.binary(op, a, value)?;
            slots.output(sum, format!("{op} {constant}"))?;
        }
        if let Ok(negated) = slots.b.unary(UnaryOp::Neg, value) {
            slots.output(negated, format!("neg {constant}"))?;
        }
    }
    for bits in [
        0x7C00,
        0x7F80,
        0x7FC0,
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
        0x7FF0 << 48,
        0x7FF8 << 48,
        u64::MAX,
    ] {
        let constant = Const::from_bits(scalar, bits);
        let value = slots.b.constant_of(constant, ty)?;
        slots.output(value, format!("constant {constant}"))?;
    }
    Ok(slots.finish())
}

/// Every conversion from a type.
pub fn casts(from: Scalar) -> Result<Table, BuildError> {
    let (mut slots, loaded) = Slots::new(&format!("casts_{from}"), &[("a", from)], &Scalar::ALL)?;
    use CastKind::*;
    for kind in [SExt, ZExt, Trunc, FExt, FTrunc, SToF, UToF, FToS, FToU, Bitcast] {
        for to in Scalar::ALL {
            if let Ok(value) = slots.b.cast(kind, loaded[0], to) {
                slots.output(value, format!("{} to {to}", kind.name()))?;
            }
        }
    }
    // Loading and storing, too.
    slots.output(loaded[0], "load and store".to_owned())?;
    Ok(slots.finish())
}

/// The other operations of a type: masked accesses, scalars, pointers, offsets, grids, control flow.
pub fn structure(scalar: Scalar) -> Result<Table, BuildError> {
    let inputs = [("a", scalar), ("m", Scalar::I1)];
    let outputs = if scalar == Scalar::I1 {
        vec![scalar]
    } else {
        vec![scalar, Scalar::I1]
    };
    let (mut slots, loaded) = Slots::new(&format!("structure_{scalar}"), &inputs, &outputs)?;
    let [a, mask] = loaded[..] else { unreachable!() };
    let ty = slots.b.ty(a);
    let pointer = slots.b.kernel().params()[0].value;
    let pointers = slots.pointers(pointer, slots.index)?;
    let other = slots.b.constant_of(Const::from_int(scalar, 1), ty)?;
    let loaded = slots.b.load(pointers, Some(mask), Some(other))?;
    slots.output(loaded, "masked load".to_owned())?;
    let unmasked = slots.b.load(pointers, Some(mask), None)?;
    let chosen = slots.b.select(mask, unmasked, other)?;
    slots.output(chosen, "masked load without other".to_owned())?;
    for offset in [Scalar::I8, Scalar::I16, Scalar::I64] {
        let kind = if offset == Scalar::I64 {
            CastKind::SExt
        } else {
            CastKind::Trunc
        };
        let index = slots.b.cast(kind, slots.index, offset)?;
        let pointers = slots.pointers(pointer, index)?;
        let value = slots.b.load(pointers, None, None)?;
        slots.output(value, format!("{offset} offsets"))?;
    }
    let same = slots.b.cmp(CmpPred::Ne, pointers, pointers)?;
    slots.output(same, "pointers that are equal".to_owned())?;
    let one = slots.b.constant(Const::i32(1));
    let next = slots.b.addptr(pointer, one)?;
    let first = slots.b.load(next, None, None)?;
    let everywhere = slots.b.splat(first, ty)?;
    slots.output(everywhere, "splat of a scalar load".to_owned())?;
    let id = slots.b.program_id(Axis::Z)?;
    let count = slots.b.num_programs(Axis::Y)?;
    // The same in every program: they all write the same places.
    let several = slots.b.cmp(CmpPred::Gt, count, one)?;
    let planes = slots.b.num_programs(Axis::Z)?;
    let is_plane = slots.b.cmp(CmpPred::Lt, id, planes)?;
    let taken = slots.b.binary(BinaryOp::And, several, is_plane)?;
    let branch = slots
        .b
        .if_else::<BuildError>(taken, |_| Ok(vec![a, first]), |_| Ok(vec![other, first]))?;
    let back = slots.b.splat(branch[1], ty)?;
    slots.output(branch[0], "if".to_owned())?;
    slots.output(back, "if, scalar".to_owned())?;
    let zero = slots.b.constant(Const::i32(0));
    let five = slots.b.constant(Const::i32(5));
    // The two swap places five times.
    let swapped = slots
        .b
        .for_loop::<BuildError>([zero, five, one], &[a, other], |_, _, c| Ok(vec![c[1], c[0]]))?;
    slots.output(swapped[0], "swap".to_owned())?;
    slots.output(swapped[1], "swap, other".to_owned())?;
    let counted = slots.b.while_loop::<BuildError>(
        &[zero, a, other],
        |b, c| b.cmp(CmpPred::Lt, c[0], five),
        |b, c| Ok(vec![b.binary(BinaryOp::Add, c[0], one)?, c[2], c[1]]),
    )?;
    slots.output(counted[1], "while".to_owned())?;
    let count = slots.b.splat(counted[0], Type::I32.with_shape(ty.shape))?;
    let index = slots.b.constant_of(Const::i32(5), Type::I32.with_shape(ty.shape))?;
    let right = slots.b.cmp(CmpPred::Eq, count, index)?;
    slots.output(right, "while, counter".to_owned())?;
    Ok(slots.finish())
}

/// Bytes of a block of numbers of a type: all interesting ones, then anything.
pub fn numbers(scalar: Scalar, random: &mut Random) -> Vec<u64> {
    let width = scalar.bits();
    let mut bits: Vec<u64> = match scalar {
        Scalar::I1 => vec![0, 1],
        _ if scalar.is_int() => {
            let top = 1 << (width - 1);
            vec![
                0,
                1,
                2,
                3,
                7,
                u64::MAX,
                u64::MAX - 1,
                top,
                top - 1,
                top + 1,
                100,
                1 << (width / 2),
            ]
        }
        _ => {
            let special = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -0.5,
                1.5,
                2.5,
                -2.5,
                3.7,
                -5.5,
                127.5,
                128.0,
                -128.5,
                255.5,
                256.0,
                65519.9,
                65520.0,
                2147483647.0,
                2147483648.0,
                -2147483904.0,
                4294967296.0,
                9223372036854775808.0,
                1.9e19,
                -9.3e18,
                1e-5,
                1e-8,
                6e-8,
                1e-40,
                1e30,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                0.1,
                88.0,
                -88.0,
            ];
            special.iter().map(|&x| Const::from_f64(scalar, x).bits()).collect()
        }
    };
    // Ties of shorter types and a little more, which rounding twice would lose.
    let ties: &[f64] = match scalar {
        Scalar::I32 => &[1077936129.0, 1086324735.0],
        Scalar::F64 => &[
            1.0004882812509095,
            1.0039062500009095,
            -1.0004882812509095,
            -1.0117187499990905,
        ],
        _ => &[],
    };
    bits.extend(ties.iter().map(|&tie| Const::from_f64(scalar, tie).bits()));
    if scalar == Scalar::I64 {
        bits.extend([(1 << 62) + (1 << 54) + 1, (-(1i64 << 62) - (1 << 54) - 1) as u64]);
    }
    while bits.len() < N as usize {
        let value = if scalar.is_float() && random.below(4) > 0 {
            // Of middling size, where functions are interesting.
            let magnitude = (random.below(1 << 20) as f64 / 1024.0 - 512.0) / [1.0, 16.0, 256.0][random.below(3)];
            Const::from_f64(scalar, magnitude).bits()
        } else {
            random.next()
        };
        bits.push(value & scalar.bit_mask());
    }
    // Pairs in another order each time.
    for i in (1..bits.len()).rev() {
        bits.swap(i, random.below(i + 1));
    }
    bits
}

/// The kernels that the snapshots show.
pub fn shown() -> Vec<Kernel> {
    let texts = [
        include_str!("../kernels/vector_add.ssa"),
        include_str!("../kernels/broadcast_add.ssa"),
        include_str!("../kernels/row_statistics.ssa"),
        include_str!("../kernels/recurrence.ssa"),
        include_str!("../kernels/gelu.ssa"),
        include_str!("../kernels/grid.ssa"),
        include_str!("../kernels/exchange.ssa"),
        include_str!("../kernels/argmax.ssa"),
        include_str!("../kernels/softmax.ssa"),
        include_str!("../kernels/running_sums.ssa"),
        include_str!("../kernels/choices.ssa"),
    ];
    texts
        .iter()
        .flat_map(|text| mytriton_ssa::parse_module(text, "shown.ssa").unwrap().kernels)
        .collect()
}

/// Little-endian bytes of numbers.
pub fn bytes(scalar: Scalar, numbers: &[u64]) -> Vec<u8> {
    let width = scalar.bytes() as usize;
    numbers
        .iter()
        .flat_map(|n| n.to_le_bytes().into_iter().take(width))
        .collect()
}

/// xorshift64*: reproducible numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 11) % bound as u64) as usize
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// How far the results of an operation on floats may be from those of the interpreter, in units in the last place, and
/// whether a unit is never less than that of 1. The host's C library stands in for CUDA's: glibc's functions are within
/// 2 units ("Known Maximum Errors in Math Functions") or within the bounds that CUDA documents for its own.
pub fn error_bound(label: &str, scalar: Scalar) -> (u64, bool) {
    let unary = label.parse().map(UnaryOp::accuracy);
    match unary.or_else(|_| label.parse().map(BinaryOp::accuracy)) {
        Ok(accuracy) if accuracy.cuda != (0.0, 0.0) && accuracy.cuda != (0.5, 0.5) => {
            let (single, double) = accuracy.cuda;
            let ulps = if scalar == Scalar::F64 { double } else { single };
            (ulps.max(2.0) as u64, accuracy.from_one)
        }
        _ => (0, false),
    }
}
