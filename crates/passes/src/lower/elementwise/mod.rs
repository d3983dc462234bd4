//! Operations on elements: what has a meaning per element is kept and applied to the vectors of a thread's elements.

pub mod division;
pub mod integer;
mod math;
pub mod register_classes;

use melior::ir::{OperationRef, Type, Value, ValueLike};
use mytriton_tile::emit::{Emitter, result_of};

use crate::ir::{PassResult, layout_at, name_of};
use crate::lower::conversion::Conversion;
use crate::lower::elementwise::register_classes::RegisterClasses;

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// An operation of `arith` or `math`.
    pub(crate) fn arithmetic(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        if let Some(value) = self.function(emitter, op, &name_of(op), operands, ty) {
            return Ok(value);
        }
        let apply = |operands: &[Value<'c, 'a>], ty| result_of(emitter.like(op, operands, &[ty], Vec::new()), 0);
        self.apply_to_representatives(emitter, op, operands, ty, apply)
    }

    /// An elementwise operation on two numbers.
    pub(crate) fn of_two(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
        apply: impl FnOnce(Value<'c, 'a>, Value<'c, 'a>) -> Value<'c, 'a>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        self.apply_to_representatives(emitter, op, operands, ty, |operands, _| apply(operands[0], operands[1]))
    }

    /// An elementwise operation given on vectors, applied to one register of each class whose results are equal.
    pub(crate) fn apply_to_representatives(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
        apply: impl FnOnce(&[Value<'c, 'a>], Type<'c>) -> Value<'c, 'a>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let result: Value = result_of(op, 0);
        let layout = layout_at(op, result.r#type())?;
        let classes = layout.and_then(|layout| RegisterClasses::equal(&layout, &self.infos.get(result)));
        Ok(match classes {
            None => apply(operands, ty),
            Some(classes) => {
                let kept: Vec<_> = operands.iter().map(|&v| classes.gather(emitter, v)).collect();
                let value = apply(&kept, classes.narrow(ty));
                classes.spread(emitter, value, ty, 0)
            }
        })
    }
}
