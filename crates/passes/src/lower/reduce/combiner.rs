//! The combiner of a reduction or scan, applied to what threads hold.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockRef, OperationRef, Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::emit::{CmpI, Emitter, argument_of};
use mytriton_tile::ops::{YieldOp, arith};
use mytriton_tile::{Identity, defining_operation};

use crate::ir::{PassResult, key, ops_of};
use crate::lower::conversion::Conversion;
use crate::lower::thread::extract;

/// The region of a reduction or scan.
#[derive(Clone)]
pub struct Combiner<'c, 'o> {
    block: BlockRef<'c, 'o>,
    /// Where every result is one commutative operation on an operand's two elements: the operation's identity, for each
    /// operand.
    ///
    /// The language assumes a reduction's combiner to commute. Where it is not provable that no bit of a result changes,
    /// both of a pair of threads combine in the same order: threads that hold the same number must not differ, or control
    /// flow would.
    identities: Option<Vec<Identity>>,
}

impl<'c: 'o, 'o> Combiner<'c, 'o> {
    pub fn new(block: BlockRef<'c, 'o>) -> Self {
        let identities = identities_of(block);
        Combiner { block, identities }
    }

    /// Provably, swapping the tuples changes no bit.
    pub fn is_commutative(&self) -> bool {
        self.identities.is_some()
    }

    /// Where a tuple is valid once [`filled`](Conversion::filled) has put identities in the place of padding.
    pub fn filled(&self, validity: Validity) -> Validity {
        match validity {
            Validity::Where(()) if self.identities.is_some() => Validity::Always,
            validity => validity,
        }
    }
}

/// The identity of each of the operations, if all of them have one.
fn identities_of<'c: 'o, 'o>(block: BlockRef<'c, 'o>) -> Option<Vec<Identity>> {
    let count = block.argument_count() / 2;
    let of_pair = |(index, value): (usize, Value<'c, 'o>)| {
        let pair = [index, count + index].map(|argument| key(argument_of(block, argument)));
        let op = defining_operation(value)?;
        let operands: Vec<usize> = op.operands().map(key).collect();
        let of_both = operands == pair || operands.iter().rev().copied().eq(pair);
        Identity::of(op).filter(|_| of_both)
    };
    block.terminator()?.operands().enumerate().map(of_pair).collect()
}

/// In which threads a number is one of the tile's, not of its padding: `Where` an `i1` holds, which a plan leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Validity<V = ()> {
    /// In all.
    Always,
    /// In none.
    Never,
    /// In those where this holds.
    Where(V),
}

impl Validity {
    /// Of two tuples combined, where at least one of them has to be valid.
    pub fn or(self, other: Validity) -> Validity {
        match (self, other) {
            (Validity::Never, known) | (known, Validity::Never) => known,
            (Validity::Where(()), Validity::Where(())) => Validity::Where(()),
            (Validity::Always, _) | (_, Validity::Always) => Validity::Always,
        }
    }

    /// Per register of a layout, where its element is within the extent of the axis.
    pub fn along(layout: &DistributedLayout, axis: usize, extent: u64) -> Vec<Validity> {
        // What threads add to a register's coordinate, by an exclusive or, is made of these bits.
        let moved =
            ["lane", "warp"].map(|input| layout.linear().bases(input).fold(0, |bits, basis| bits | basis[axis]));
        let moved = u64::from(moved[0] | moved[1]);
        let of_register = |register| {
            let at = u64::from(layout.coords(register, 0, 0)[axis]);
            if extent.is_power_of_two() || at | moved < extent {
                Validity::Always
            } else if at & !moved >= extent {
                Validity::Never
            } else {
                Validity::Where(())
            }
        };
        (0..layout.num_registers()).map(of_register).collect()
    }
}

impl<'c: 'a, 'a> Validity<Value<'c, 'a>> {
    /// As an `i1`.
    pub fn value(self, emitter: Emitter<'c, 'a>) -> Value<'c, 'a> {
        let boolean: Type = IntegerType::new(emitter.context, 1).into();
        match self {
            Validity::Always => emitter.int_like(boolean, -1),
            Validity::Never => emitter.int_like(boolean, 0),
            Validity::Where(valid) => valid,
        }
    }
}

/// What a thread has combined of one tuple: a number for each operand.
#[derive(Clone)]
pub struct Partial<'c, 'a> {
    pub values: Vec<Value<'c, 'a>>,
    /// In which threads it is one.
    pub validity: Validity<Value<'c, 'a>>,
}

impl<'c: 'a, 'a> Partial<'c, 'a> {
    /// One that nothing has entered.
    pub fn none(&self) -> Self {
        Partial {
            values: self.values.clone(),
            validity: Validity::Never,
        }
    }

    /// The same, valid only where the condition holds too.
    pub fn only(self, emitter: Emitter<'c, 'a>, condition: Value<'c, 'a>) -> Self {
        let validity = match self.validity {
            Validity::Never => Validity::Never,
            Validity::Always => Validity::Where(condition),
            Validity::Where(valid) => Validity::Where(emitter.binary(arith::ANDI, valid, condition)),
        };
        Partial { validity, ..self }
    }

    /// The one where the condition holds, else the other.
    pub fn choose(emitter: Emitter<'c, 'a>, condition: Value<'c, 'a>, a: &Self, b: &Self) -> Self {
        let values = a.values.iter().zip(&b.values);
        let validity = match (a.validity, b.validity) {
            (Validity::Always, Validity::Always) => Validity::Always,
            (Validity::Never, Validity::Never) => Validity::Never,
            (x, y) => {
                let [x, y] = [x, y].map(|validity| validity.value(emitter));
                Validity::Where(emitter.select(condition, x, y))
            }
        };
        Partial {
            values: values.map(|(&a, &b)| emitter.select(condition, a, b)).collect(),
            validity,
        }
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// The combiner's identity in the place of padding, if it has one, so that no step asks again.
    pub(crate) fn filled(
        &self,
        emitter: Emitter<'c, 'a>,
        combiner: &Combiner<'c, '_>,
        partial: Partial<'c, 'a>,
    ) -> Partial<'c, 'a> {
        let (Validity::Where(valid), Some(identities)) = (partial.validity, &combiner.identities) else {
            return partial;
        };
        let fill = |(&value, identity): (&Value<'c, 'a>, &Identity)| {
            let identity = identity.constant(emitter, value.r#type());
            emitter.select(valid, value, identity)
        };
        Partial {
            values: partial.values.iter().zip(identities).map(fill).collect(),
            validity: Validity::Always,
        }
    }

    /// The combination of two tuples.
    fn apply(
        &mut self,
        emitter: Emitter<'c, 'a>,
        combiner: &Combiner<'c, '_>,
        left: &[Value<'c, 'a>],
        right: &[Value<'c, 'a>],
    ) -> PassResult<'c, Vec<Value<'c, 'a>>> {
        for (index, &value) in left.iter().chain(right).enumerate() {
            self.values.insert(key(argument_of(combiner.block, index)), value);
        }
        for op in ops_of(combiner.block) {
            if YieldOp::cast(op).is_some() {
                return op.operands().map(|value| self.value(op, value)).collect();
            }
            self.op(emitter, op)?;
        }
        Ok(Vec::new())
    }

    /// The combination where both are valid, else the one that is.
    pub(crate) fn join(
        &mut self,
        emitter: Emitter<'c, 'a>,
        combiner: &Combiner<'c, '_>,
        left: &Partial<'c, 'a>,
        right: &Partial<'c, 'a>,
    ) -> PassResult<'c, Partial<'c, 'a>> {
        match (left.validity, right.validity) {
            (Validity::Never, _) => return Ok(right.clone()),
            (_, Validity::Never) => return Ok(left.clone()),
            (Validity::Always | Validity::Where(_), Validity::Always | Validity::Where(_)) => {}
        }
        let mut values = self.apply(emitter, combiner, &left.values, &right.values)?;
        for ((value, &left_value), &right_value) in values.iter_mut().zip(&left.values).zip(&right.values) {
            if let Validity::Where(valid) = right.validity {
                *value = emitter.select(valid, *value, left_value);
            }
            if let Validity::Where(valid) = left.validity {
                *value = emitter.select(valid, *value, right_value);
            }
        }
        let validity = match (left.validity, right.validity) {
            (Validity::Where(a), Validity::Where(b)) => Validity::Where(emitter.binary(arith::ORI, a, b)),
            _ => Validity::Always,
        };
        Ok(Partial { values, validity })
    }

    /// All of a list combined, neighbours first, so that few wait for one another.
    pub(crate) fn tree(
        &mut self,
        emitter: Emitter<'c, 'a>,
        combiner: &Combiner<'c, '_>,
        mut partials: Vec<Partial<'c, 'a>>,
    ) -> PassResult<'c, Partial<'c, 'a>> {
        while partials.len() > 1 {
            partials = partials
                .chunks(2)
                .map(|pair| match pair {
                    [left, right] => self.join(emitter, combiner, left, right),
                    _ => Ok(pair[0].clone()),
                })
                .collect::<PassResult<_>>()?;
        }
        Ok(partials.remove(0))
    }

    /// [`Validity::along`] an axis of a layout, with the conditions made.
    pub(crate) fn validity_along(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        layout: &DistributedLayout,
        axis: usize,
        extent: u64,
    ) -> PassResult<'c, Vec<Validity<Value<'c, 'a>>>> {
        let known = Validity::along(layout, axis, extent);
        let open = known.contains(&Validity::Where(()));
        let coordinates = open.then(|| self.along(emitter, op, layout, axis)).transpose()?;
        // One by one, as most registers are all within or all beyond.
        let of_register = |(register, validity): (u32, Validity)| match (validity, coordinates) {
            (Validity::Always, _) => Validity::Always,
            (Validity::Where(()), Some(coordinates)) => {
                let at = extract(emitter, coordinates, register);
                Validity::Where(emitter.cmpi(CmpI::Ult, at, emitter.int(32, extent as i64)))
            }
            (Validity::Never | Validity::Where(()), _) => Validity::Never,
        };
        Ok((0..).zip(known).map(of_register).collect())
    }
}
