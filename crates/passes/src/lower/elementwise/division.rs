//! Approximate division of several registers by the same number.
//!
//! `div.full` (PTX ISA, "div") scales its operands so that the divisor's reciprocal is a normal number, and multiplies:
//! `x / d = (x * s) * (1 / (d * s))`, where s is a power of two that depends on d alone: 1/4 where 1/d would be
//! subnormal, 2^24 where d is, else 1. A row that is divided by its sum needs s and the reciprocal once. ptxas finds that
//! too, with the same bits in the end, but takes apart every division before; it is faster on the product.

use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, Value, ValueLike};
use mytriton_tile::defining_operation;
use mytriton_tile::emit::{CmpF, Emitter, element_type, shape_of};
use mytriton_tile::ops::{arith, vector};

use crate::ir::name_of;
use crate::lower::elementwise::math::{DIV, call_intrinsic, on_vectors};
use crate::lower::thread::{map, pick};

/// A divisor's registers, each of which holds one of a few numbers.
pub struct Shared<'c, 'a> {
    /// The numbers: a vector, of which some elements may be unused, or a scalar.
    numbers: Value<'c, 'a>,
    /// For each register the one it holds.
    picked: Vec<u32>,
}

impl<'c: 'a, 'a> Shared<'c, 'a> {
    /// Of a vector that spreads what half as many registers hold, at most.
    pub fn of(divisor: Value<'c, 'a>) -> Option<Self> {
        let op = defining_operation(divisor)?;
        let registers = *shape_of(divisor.r#type())?.first()?;
        let numbers: Value<'c, 'a> = op.operand(0).ok()?;
        let picked: Vec<u32> = match name_of(op).as_str() {
            vector::BROADCAST if shape_of(numbers.r#type()).is_none() => vec![0; registers as usize],
            vector::SHUFFLE => {
                let mask = DenseI64ArrayAttribute::try_from(op.attribute("mask").ok()?).ok()?;
                let held = *shape_of(numbers.r#type())?.first()? as u32;
                // Both operands are the same vector where registers are picked.
                let element = |index| Some(u32::try_from(mask.element(index).ok()?).ok()? % held);
                (0..mask.len()).map(element).collect::<Option<_>>()?
            }
            _ => return None,
        };
        let mut distinct = picked.clone();
        distinct.sort_unstable();
        distinct.dedup();
        (2 * distinct.len() as u64 <= registers).then_some(Shared { numbers, picked })
    }

    /// `dividends / self`, of type `ty`: a vector of `f32`.
    pub fn divide(&self, emitter: Emitter<'c, 'a>, dividends: Value<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
        let of_numbers = self.numbers.r#type();
        let number = |value: f64| emitter.float_like(of_numbers, value);
        let magnitude = on_vectors(emitter, "fabs", &[self.numbers]);
        let large = emitter.cmpf(CmpF::Ogt, magnitude, number(2f64.powi(126)));
        let subnormal = emitter.cmpf(CmpF::Olt, magnitude, number(2f64.powi(-126)));
        let scale = emitter.select(subnormal, number(2f64.powi(24)), number(1.0));
        let scale = emitter.select(large, number(0.25), scale);
        let divisor = emitter.binary(arith::MULF, self.numbers, scale);
        let one = number(1.0);
        let reciprocal = map(emitter, &[one, divisor], of_numbers, |of| {
            call_intrinsic(emitter, DIV, of, element_type(ty))
        });
        let scaled = emitter.binary(arith::MULF, dividends, self.spread(emitter, scale, ty));
        emitter.binary(arith::MULF, scaled, self.spread(emitter, reciprocal, ty))
    }

    fn spread(&self, emitter: Emitter<'c, 'a>, numbers: Value<'c, 'a>, ty: Type<'c>) -> Value<'c, 'a> {
        match shape_of(numbers.r#type()) {
            Some(_) => pick(emitter, numbers, &self.picked, ty),
            None => emitter.value(vector::BROADCAST, &[numbers], ty, &[]),
        }
    }
}
