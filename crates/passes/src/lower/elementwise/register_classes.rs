//! Integers, masks and addresses that follow from one another in the registers of a thread are computed once.
//!
//! The analysis of axes knows what LLVM cannot see: `columns < n` is the same for 8 columns at a time where `n` and the
//! first column are multiples of 8, and addresses 4096 columns apart are at a constant distance, which an access's
//! immediate offset takes. A predicate or address for each costs an instruction and registers.

use melior::ir::{Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::emit::{Emitter, element_type, shape_of};
use mytriton_tile::ops::arith;

use crate::analyses::axis_info::{Axis, AxisInfo};
use crate::lower::thread::{from_elements, pick};

/// Which registers of a thread follow from others.
#[derive(PartialEq, Eq, Debug)]
pub struct RegisterClasses {
    /// One register of each class, ascending.
    representatives: Vec<u32>,
    /// For each register the place in `representatives` of the one that it follows from.
    place: Vec<u32>,
    /// What is to be added to that one.
    step: Vec<i64>,
}

impl RegisterClasses {
    /// The classes of equal registers of a tile; none if each may be different.
    pub fn equal(layout: &DistributedLayout, info: &AxisInfo) -> Option<RegisterClasses> {
        // A register bit that stays within an aligned run of equal elements along every dimension changes nothing.
        let within = |(&coordinate, axis): (&u32, &Axis)| u64::from(coordinate) < axis.constancy;
        RegisterClasses::of_bits(layout, |bit| {
            let moved = layout.coords(1 << bit, 0, 0);
            moved.iter().zip(&info.axes).all(within).then_some(0)
        })
    }

    /// The classes of registers whose elements of `pointers + offsets` are at constant distances, which are in elements:
    /// both operands are equal, or pointers are while offsets count up.
    ///
    /// A run of offsets that begins at a multiple of its length has no overflow inside.
    pub fn stepped(layout: &DistributedLayout, pointers: &AxisInfo, offsets: &AxisInfo) -> Option<RegisterClasses> {
        let alone = coordinates_of_one_register_bit(layout);
        RegisterClasses::of_bits(layout, |bit| {
            let moved = layout.coords(1 << bit, 0, 0);
            let axes = pointers.axes.iter().zip(&offsets.axes);
            let along = moved.iter().zip(axes).enumerate().map(|(d, (&coordinate, (p, o)))| {
                let coordinate_fits = |run: u64| u64::from(coordinate) < run;
                if coordinate_fits(p.constancy.min(o.constancy)) {
                    Some(0)
                } else if coordinate_fits(p.constancy.min(o.contiguity).min(o.divisibility))
                    && coordinate & !alone[d] == 0
                {
                    Some(i64::from(coordinate))
                } else {
                    None
                }
            });
            along.sum()
        })
    }

    /// Classes from what each bit of a register's number adds, where that is known.
    fn of_bits(layout: &DistributedLayout, added: impl Fn(u32) -> Option<i64>) -> Option<RegisterClasses> {
        let bits: Vec<Option<i64>> = (0..layout.num_registers().ilog2()).map(added).collect();
        let same: u32 = bits
            .iter()
            .enumerate()
            .map(|(bit, known)| u32::from(known.is_some()) << bit)
            .sum();
        if same == 0 {
            return None;
        }
        let registers = 0..layout.num_registers();
        let kept: Vec<u32> = registers.clone().filter(|r| r & same == 0).collect();
        let place = |r: u32| kept.binary_search(&(r & !same)).expect("the group's first is kept") as u32;
        let step = |r: u32| {
            let set = bits.iter().enumerate().filter(|(bit, _)| r >> bit & 1 == 1);
            set.filter_map(|(_, &known)| known).sum()
        };
        Some(RegisterClasses {
            place: registers.clone().map(place).collect(),
            step: registers.map(step).collect(),
            representatives: kept,
        })
    }

    /// The type of the kept registers alone; a scalar stays.
    pub fn narrow<'c>(&self, ty: Type<'c>) -> Type<'c> {
        match shape_of(ty) {
            Some(_) => Type::vector(&[self.representatives.len() as u64], element_type(ty)),
            None => ty,
        }
    }

    /// The kept registers of an operand; a scalar is itself.
    pub fn gather<'c: 'a, 'a>(&self, emitter: Emitter<'c, 'a>, operand: Value<'c, 'a>) -> Value<'c, 'a> {
        match shape_of(operand.r#type()) {
            Some(_) => pick(emitter, operand, &self.representatives, self.narrow(operand.r#type())),
            None => operand,
        }
    }

    /// All registers, from the kept ones, which are integers where registers are at a distance: `unit` times the steps.
    pub fn spread<'c: 'a, 'a>(
        &self,
        emitter: Emitter<'c, 'a>,
        kept: Value<'c, 'a>,
        ty: Type<'c>,
        unit: i64,
    ) -> Value<'c, 'a> {
        let all = pick(emitter, kept, &self.place, ty);
        if self.step.iter().all(|&step| step == 0) {
            return all;
        }
        let steps: Vec<Value> = self
            .step
            .iter()
            .map(|step| emitter.int_like(element_type(ty), step * unit))
            .collect();
        emitter.binary(arith::ADDI, all, from_elements(emitter, &steps, ty))
    }
}

/// Along each dimension the bits of coordinates that a single register bit decides: where these alone change, elements
/// are further by what has changed.
fn coordinates_of_one_register_bit(layout: &DistributedLayout) -> Vec<u32> {
    let bits = |count: u32| (0..count.ilog2()).map(|bit| 1 << bit);
    let registers = bits(layout.num_registers()).map(|r| layout.coords(r, 0, 0));
    let lanes = bits(layout.num_lanes()).map(|l| layout.coords(0, l, 0));
    let warps = bits(layout.num_warps()).map(|w| layout.coords(0, 0, w));
    let (mut once, mut again) = (vec![0; layout.rank()], vec![0; layout.rank()]);
    for moved in registers.chain(lanes).chain(warps) {
        for (d, &coordinate) in moved.iter().enumerate() {
            again[d] |= once[d] & coordinate;
            once[d] |= coordinate;
        }
    }
    once.iter().zip(again).map(|(once, again)| once & !again).collect()
}

#[cfg(test)]
mod tests {
    use mytriton_layout::DistributedLayout;

    use super::RegisterClasses;
    use crate::analyses::axis_info::{Axis, AxisInfo};

    fn info(constancy: &[u64]) -> AxisInfo {
        let axis = |&constancy: &u64| Axis {
            contiguity: 1,
            divisibility: 1,
            constancy,
        };
        AxisInfo {
            axes: constancy.iter().map(axis).collect(),
            constant: None,
        }
    }

    #[test]
    fn registers_within_a_run_are_one() {
        // Four elements of a row, then the second row.
        let layout = DistributedLayout::blocked(&[2, 128], &[2, 4], &[1, 32], &[1, 1], &[1, 0]).unwrap();
        assert_eq!(RegisterClasses::equal(&layout, &info(&[1, 1])), None);
        let rows = RegisterClasses::equal(&layout, &info(&[1, 4])).unwrap();
        assert_eq!(
            (rows.representatives, rows.place),
            (vec![0, 4], vec![0, 0, 0, 0, 1, 1, 1, 1])
        );
        let pairs = RegisterClasses::equal(&layout, &info(&[2, 2])).unwrap();
        assert_eq!(
            (pairs.representatives, pairs.place),
            (vec![0, 2], vec![0, 0, 1, 1, 0, 0, 1, 1])
        );
    }

    #[test]
    fn what_is_equal_holds_element_by_element() {
        let layout = DistributedLayout::blocked(&[8, 64], &[4, 4], &[4, 8], &[1, 2], &[0, 1]).unwrap();
        for runs in [[1, 2], [2, 1], [4, 4], [8, 64], [2, 64]] {
            let classes = RegisterClasses::equal(&layout, &info(&runs)).unwrap();
            for (register, &place) in classes.place.iter().enumerate() {
                let (a, b) = (
                    layout.coords(register as u32, 5, 1),
                    layout.coords(classes.representatives[place as usize], 5, 1),
                );
                let run = |at: &[u32]| (u64::from(at[0]) / runs[0], u64::from(at[1]) / runs[1]);
                assert_eq!(run(&a), run(&b));
            }
        }
    }
}
