//! The combination of a reduction or scan, applied to what threads hold.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockRef, OperationRef, Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::defining_operation;
use mytriton_tile::emit::{CmpI, Emitter, argument_of};
use mytriton_tile::ops::YIELD;

use super::Conversion;
use super::neutral::Neutral;
use super::thread::extract;
use crate::ir::{PassResult, error_at, key, name_of, ops_of};

/// The region of a reduction or scan.
#[derive(Clone)]
pub struct Combine<'c, 'o> {
    block: BlockRef<'c, 'o>,
    /// Where every result is one operation of an operand's two elements that gives the same whichever comes first: what
    /// that operation leaves as it is, for each operand.
    ///
    /// The language takes it for granted in the large that a reduction's combine commutes. Where it is not plain to see that
    /// no bit of a result changes, both of a pair of threads combine in the same order: threads that hold the same number
    /// must not differ, or control flow would.
    neutral: Option<Vec<Neutral>>,
}

impl<'c: 'o, 'o> Combine<'c, 'o> {
    pub fn new(block: BlockRef<'c, 'o>) -> Self {
        let neutral = neutral_of(block);
        Combine { block, neutral }
    }

    /// Is it plain to see that swapping the tuples changes no bit?
    pub fn commutative(&self) -> bool {
        self.neutral.is_some()
    }
}

/// What each of the operations leaves as it is, if all of them are such.
fn neutral_of<'c: 'o, 'o>(block: BlockRef<'c, 'o>) -> Option<Vec<Neutral>> {
    let count = block.argument_count() / 2;
    let of_pair = |(index, value): (usize, Value<'c, 'o>)| {
        let pair = [index, count + index].map(|argument| key(argument_of(block, argument)));
        let op = defining_operation(value)?;
        let operands: Vec<usize> = op.operands().map(key).collect();
        let of_both = operands == pair || operands.iter().rev().copied().eq(pair);
        Neutral::of(&name_of(op)).filter(|_| of_both)
    };
    block.terminator()?.operands().enumerate().map(of_pair).collect()
}

/// In which threads a number is one of the tile's, not of its padding.
#[derive(Clone, Copy)]
pub enum Live<'c, 'a> {
    /// In all.
    Always,
    /// In none.
    Never,
    /// Where this `i1` holds.
    Where(Value<'c, 'a>),
}

/// What a thread has combined of one tuple: a number for each operand.
#[derive(Clone)]
pub struct Partial<'c, 'a> {
    pub values: Vec<Value<'c, 'a>>,
    pub live: Live<'c, 'a>,
}

impl<'c: 'a, 'a> Partial<'c, 'a> {
    /// One that nothing has entered.
    pub fn none(&self) -> Self {
        Partial {
            values: self.values.clone(),
            live: Live::Never,
        }
    }

    /// The same, live only where the condition holds too.
    pub fn only(self, emitter: Emitter<'c, 'a>, condition: Value<'c, 'a>) -> Self {
        let live = match self.live {
            Live::Never => Live::Never,
            Live::Always => Live::Where(condition),
            Live::Where(live) => Live::Where(emitter.binary("arith.andi", live, condition)),
        };
        Partial { live, ..self }
    }

    /// The one where the condition holds, else the other.
    pub fn choose(emitter: Emitter<'c, 'a>, condition: Value<'c, 'a>, a: &Self, b: &Self) -> Self {
        let values = a.values.iter().zip(&b.values);
        let live = match (a.live, b.live) {
            (Live::Always, Live::Always) => Live::Always,
            (Live::Never, Live::Never) => Live::Never,
            (x, y) => {
                let [x, y] = [x, y].map(|live| live.value(emitter));
                Live::Where(emitter.select(condition, x, y))
            }
        };
        Partial {
            values: values.map(|(&a, &b)| emitter.select(condition, a, b)).collect(),
            live,
        }
    }
}

impl<'c: 'a, 'a> Live<'c, 'a> {
    /// As an `i1`.
    pub fn value(self, emitter: Emitter<'c, 'a>) -> Value<'c, 'a> {
        let truth: Type = IntegerType::new(emitter.context, 1).into();
        match self {
            Live::Always => emitter.int_like(truth, -1),
            Live::Never => emitter.int_like(truth, 0),
            Live::Where(live) => live,
        }
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// Where a tuple is not live everywhere but its combine has a neutral one: that instead, so that no step asks again.
    pub(super) fn filled(
        &self,
        emitter: Emitter<'c, 'a>,
        combine: &Combine<'c, '_>,
        partial: Partial<'c, 'a>,
    ) -> Partial<'c, 'a> {
        let (Live::Where(live), Some(neutral)) = (partial.live, &combine.neutral) else {
            return partial;
        };
        let fill = |(&value, neutral): (&Value<'c, 'a>, &Neutral)| {
            let neutral = neutral.constant(emitter, value.r#type());
            emitter.select(live, value, neutral)
        };
        Partial {
            values: partial.values.iter().zip(neutral).map(fill).collect(),
            live: Live::Always,
        }
    }

    /// The combination of two tuples.
    fn apply(
        &mut self,
        emitter: Emitter<'c, 'a>,
        combine: &Combine<'c, '_>,
        left: &[Value<'c, 'a>],
        right: &[Value<'c, 'a>],
    ) -> PassResult<'c, Vec<Value<'c, 'a>>> {
        for (index, &value) in left.iter().chain(right).enumerate() {
            self.values.insert(key(argument_of(combine.block, index)), value);
        }
        for op in ops_of(combine.block) {
            if name_of(op) == YIELD {
                return op.operands().map(|value| self.value(op, value)).collect();
            }
            self.op(emitter, op)?;
        }
        Ok(Vec::new())
    }

    /// The combination where both are live, else the one that is.
    pub(super) fn join(
        &mut self,
        emitter: Emitter<'c, 'a>,
        combine: &Combine<'c, '_>,
        left: &Partial<'c, 'a>,
        right: &Partial<'c, 'a>,
    ) -> PassResult<'c, Partial<'c, 'a>> {
        match (left.live, right.live) {
            (Live::Never, _) => return Ok(right.clone()),
            (_, Live::Never) => return Ok(left.clone()),
            _ => {}
        }
        let mut values = self.apply(emitter, combine, &left.values, &right.values)?;
        for ((value, &left_value), &right_value) in values.iter_mut().zip(&left.values).zip(&right.values) {
            if let Live::Where(live) = right.live {
                *value = emitter.select(live, *value, left_value);
            }
            if let Live::Where(live) = left.live {
                *value = emitter.select(live, *value, right_value);
            }
        }
        let live = match (left.live, right.live) {
            (Live::Where(a), Live::Where(b)) => Live::Where(emitter.binary("arith.ori", a, b)),
            _ => Live::Always,
        };
        Ok(Partial { values, live })
    }

    /// All of a list combined, neighbours first, so that few wait for one another.
    pub(super) fn tree(
        &mut self,
        emitter: Emitter<'c, 'a>,
        combine: &Combine<'c, '_>,
        mut partials: Vec<Partial<'c, 'a>>,
    ) -> PassResult<'c, Partial<'c, 'a>> {
        while partials.len() > 1 {
            partials = partials
                .chunks(2)
                .map(|pair| match pair {
                    [left, right] => self.join(emitter, combine, left, right),
                    _ => Ok(pair[0].clone()),
                })
                .collect::<PassResult<_>>()?;
        }
        Ok(partials.remove(0))
    }

    /// Per register of a layout, in which threads its element is within the extent of the axis.
    pub(super) fn live(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        layout: &DistributedLayout,
        axis: usize,
        extent: u64,
    ) -> PassResult<'c, Vec<Live<'c, 'a>>> {
        let registers = 0..layout.num_registers();
        if extent.is_power_of_two() {
            return Ok(registers.map(|_| Live::Always).collect());
        }
        // What threads add to a register's coordinate, by an exclusive or, is made of these bits.
        let moved =
            ["lane", "warp"].map(|input| layout.linear().bases(input).fold(0, |bits, basis| bits | basis[axis]));
        let moved = u64::from(moved[0] | moved[1]);
        let coordinates = self
            .thread
            .coordinates(emitter, layout, axis)
            .map_err(|e| error_at(op, e.to_string()))?;
        let of_register = |register| {
            let at = u64::from(layout.coords(register, 0, 0)[axis]);
            match () {
                () if at | moved < extent => Live::Always,
                () if at & !moved >= extent => Live::Never,
                // One by one, as most registers are all within or all beyond.
                () => {
                    let at = extract(emitter, coordinates, register);
                    Live::Where(emitter.cmpi(CmpI::Ult, at, emitter.int(32, extent as i64)))
                }
            }
        };
        Ok(registers.map(of_register).collect())
    }
}
