//! `tile-infer-axis-info`: what is known of the integers and addresses in a tile. An analysis; it changes nothing.
//!
//! Along each dimension, all numbers being powers of two (notation of Triton's analysis of the same name):
//! - *contiguity* c: in every aligned group of c elements each is one more than the one before (an address: one element
//!   further);
//! - *divisibility* d: the first element of every such group is a multiple of d (an address: of d bytes);
//! - *constancy* k: in every aligned group of k elements all are equal.
//!
//! A scalar counts as a tile of one element. Loop-carried values start from what enters the loop and are weakened until
//! nothing changes, at once to nothing if they change again and again. Integers of 32 and more bits are taken not to
//! overflow within a group; where they do, they do so between two runs of `divisibility` elements, so that what uses no
//! longer runs is right all the same.

mod transfer;

use melior::ir::attribute::IntegerAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, RegionLike, Value, ValueLike};
use mytriton_tile::argument_attributes;
use mytriton_tile::attributes;
use mytriton_tile::emit::{argument_of, result_of, shape_of};
use mytriton_tile::ops::scf;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ir::{key, op_key};
use transfer::transfer;

/// Nothing larger is of use: the widest access has 16 bytes, a tile 2^20 elements.
const CAP: u64 = 1 << 30;

/// Passes over a kernel after which what still changes is given up.
const PASSES: usize = 8;

/// What is known along one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis {
    /// Elements in a run of consecutive values.
    pub contiguity: u64,
    /// What the first value of each run is a multiple of.
    pub divisibility: u64,
    /// Elements in a run of equal values.
    pub constancy: u64,
}

impl Axis {
    const UNKNOWN: Axis = Axis {
        contiguity: 1,
        divisibility: 1,
        constancy: 1,
    };

    /// The divisibility of the first element of every aligned group of `size`, at most the contiguity or constancy.
    fn divisibility_of_groups(self, size: u64) -> u64 {
        if self.contiguity > size {
            self.divisibility.min(size)
        } else {
            self.divisibility
        }
    }

    /// The same in runs of consecutive values no longer than that, a power of two.
    fn in_runs_of(self, longest: u64) -> Axis {
        let contiguity = self.contiguity.min(longest);
        Axis {
            contiguity,
            divisibility: self.divisibility_of_groups(contiguity),
            ..self
        }
    }

    fn meet(self, other: Axis) -> Axis {
        let contiguity = self.contiguity.min(other.contiguity);
        Axis {
            contiguity,
            divisibility: self
                .divisibility_of_groups(contiguity)
                .min(other.divisibility_of_groups(contiguity)),
            constancy: self.constancy.min(other.constancy),
        }
    }
}

/// What is known of a value: one [`Axis`] per dimension (of a scalar, one).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AxisInfo {
    /// Along each dimension.
    pub axes: SmallVec<[Axis; 3]>,
    /// The value of a constant.
    pub constant: Option<i64>,
}

impl AxisInfo {
    fn unknown(rank: usize) -> AxisInfo {
        AxisInfo {
            axes: SmallVec::from_elem(Axis::UNKNOWN, rank.max(1)),
            constant: None,
        }
    }

    /// What is left where runs break that are not aligned; no constant.
    fn in_aligned_runs(&self) -> AxisInfo {
        AxisInfo {
            axes: self.axes.iter().map(|a| a.in_runs_of(a.divisibility)).collect(),
            constant: None,
        }
    }

    fn meet(&self, other: &AxisInfo) -> AxisInfo {
        let axes = self.axes.iter().zip(&other.axes).map(|(a, b)| a.meet(*b)).collect();
        AxisInfo {
            axes,
            constant: self.constant.filter(|_| self.constant == other.constant),
        }
    }

    /// What every element is a multiple of.
    fn divisibility_of_all(&self) -> u64 {
        self.axes.iter().map(|a| a.divisibility_of_groups(1)).min().unwrap_or(1)
    }

    fn zip(&self, other: &AxisInfo, f: impl Fn(Axis, Axis) -> Axis) -> AxisInfo {
        AxisInfo {
            axes: self.axes.iter().zip(&other.axes).map(|(a, b)| f(*a, *b)).collect(),
            constant: None,
        }
    }
}

fn power_of_two_in(value: i64) -> u64 {
    if value == 0 {
        CAP
    } else {
        (1u64 << value.trailing_zeros()).min(CAP)
    }
}

/// The facts of every value of a function.
#[derive(Debug, Default)]
pub struct AxisInfos {
    infos: FxHashMap<usize, AxisInfo>,
    /// What goes into each loop, by the loop.
    loops: FxHashMap<usize, Vec<AxisInfo>>,
    /// Was what goes into a loop weakened in this round?
    changed: bool,
    round: usize,
}

impl AxisInfos {
    /// Analyses a kernel: a `func.func` in the `tile` or `layout` stage.
    pub fn analyze(function: OperationRef<'_, '_>) -> AxisInfos {
        let mut infos = AxisInfos::default();
        if let Some(body) = function.region(0).ok().and_then(|r| r.first_block()) {
            for index in 0..body.argument_count() {
                let mut info = AxisInfo::unknown(0);
                let facts = argument_attributes(function, index);
                let fact = facts
                    .iter()
                    .find(|(name, _)| name == attributes::DIVISIBILITY)
                    .map(|(_, a)| *a);
                if let Some(fact) = fact.and_then(|a| IntegerAttribute::try_from(a).ok()) {
                    info.axes[0].divisibility = power_of_two_in(fact.value());
                }
                infos.infos.insert(key(argument_of(body, index)), info);
            }
            // Every loop is walked once in a round, however deep: what comes around counts in the next.
            for round in 0.. {
                (infos.round, infos.changed) = (round, false);
                infos.block(body);
                if !infos.changed {
                    break;
                }
            }
        }
        infos
    }

    /// What is known of a value.
    pub fn get(&self, value: Value<'_, '_>) -> AxisInfo {
        self.infos
            .get(&key(value))
            .cloned()
            .unwrap_or_else(|| AxisInfo::unknown(shape_of(value.r#type()).map_or(0, |shape| shape.len())))
    }

    fn set(&mut self, value: Value<'_, '_>, info: AxisInfo) {
        self.infos.insert(key(value), info);
    }

    fn block(&mut self, block: BlockRef<'_, '_>) {
        let mut next = block.first_operation();
        while let Some(op) = next {
            next = op.next_in_block();
            self.op(op);
        }
    }

    fn terminator_operands(block: BlockRef<'_, '_>) -> Vec<OperandInfoSource> {
        let Some(end) = block.terminator() else {
            return Vec::new();
        };
        let skip = usize::from(scf::ConditionOp::cast(end).is_some());
        end.operands()
            .skip(skip)
            .map(|v| OperandInfoSource(key(v), shape_of(v.r#type()).map_or(0, |s| s.len())))
            .collect()
    }

    fn info_of(&self, source: &OperandInfoSource) -> AxisInfo {
        self.infos
            .get(&source.0)
            .cloned()
            .unwrap_or_else(|| AxisInfo::unknown(source.1))
    }

    /// What goes into a loop: what enters it, and what came around so far.
    fn carried(&self, op: OperationRef<'_, '_>, entering: Vec<AxisInfo>) -> Vec<AxisInfo> {
        match self.loops.get(&op_key(op)) {
            Some(before) => before.iter().zip(&entering).map(|(a, b)| a.meet(b)).collect(),
            None => entering,
        }
    }

    /// Weakens what goes into a loop by what comes around at the end of `block`.
    fn join_backedge(&mut self, op: OperationRef<'_, '_>, mut carried: Vec<AxisInfo>, block: BlockRef<'_, '_>) {
        for (before, around) in carried.iter_mut().zip(Self::terminator_operands(block)) {
            let weaker = before.meet(&self.info_of(&around));
            if weaker != *before {
                *before = if self.round < PASSES {
                    weaker
                } else {
                    AxisInfo::unknown(around.1)
                };
            }
        }
        if self.loops.get(&op_key(op)) != Some(&carried) {
            self.changed = true;
            self.loops.insert(op_key(op), carried);
        }
    }

    fn op(&mut self, op: OperationRef<'_, '_>) {
        match scf::Op::cast(op) {
            Some(scf::Op::For(_)) => self.for_loop(op),
            Some(scf::Op::While(_)) => self.while_loop(op),
            Some(scf::Op::If(_) | scf::Op::IndexSwitch(_) | scf::Op::ExecuteRegion(_)) => self.branches(op),
            Some(scf::Op::Condition(_) | scf::Op::Yield(_)) => {}
            None if op.result_count() == 1 => {
                let result: Value = result_of(op, 0);
                let operands: Vec<AxisInfo> = op.operands().map(|v| self.get(v)).collect();
                let rank = || shape_of(result.r#type()).map_or(0, |shape| shape.len());
                let info = transfer(op, &operands).unwrap_or_else(|| AxisInfo::unknown(rank()));
                self.set(result, info);
            }
            None => {}
        }
    }

    fn for_loop(&mut self, op: OperationRef<'_, '_>) {
        let Some(body) = op.region(0).ok().and_then(|r| r.first_block()) else {
            return;
        };
        let operands: Vec<AxisInfo> = op.operands().map(|value| self.get(value)).collect();
        let Some((bounds, entering)) = operands.split_at_checked(3) else {
            return;
        };
        let mut index = AxisInfo::unknown(0);
        // From the lower bound in steps.
        index.axes[0].divisibility = bounds[0].divisibility_of_all().min(bounds[2].divisibility_of_all());
        self.set(argument_of(body, 0), index);
        let carried = self.carried(op, entering.to_vec());
        for (index, info) in carried.iter().enumerate() {
            self.set(argument_of(body, 1 + index), info.clone());
        }
        self.block(body);
        self.join_backedge(op, carried, body);
        for (result, info) in op.results().zip(self.loops[&op_key(op)].clone()) {
            self.set(result.into(), info);
        }
    }

    fn while_loop(&mut self, op: OperationRef<'_, '_>) {
        let blocks: Vec<_> = op.regions().filter_map(|r| r.first_block()).collect();
        let [test, body] = blocks[..] else { return };
        let carried = self.carried(op, op.operands().map(|v| self.get(v)).collect());
        for (index, info) in carried.iter().enumerate() {
            self.set(argument_of(test, index), info.clone());
        }
        self.block(test);
        let passed: Vec<_> = Self::terminator_operands(test)
            .iter()
            .map(|source| self.info_of(source))
            .collect();
        for (index, info) in passed.into_iter().enumerate() {
            self.set(argument_of(body, index), info.clone());
            self.set(result_of(op, index), info);
        }
        self.block(body);
        self.join_backedge(op, carried, body);
    }

    fn branches(&mut self, op: OperationRef<'_, '_>) {
        let mut results: Option<Vec<AxisInfo>> = None;
        for block in op.regions().filter_map(|r| r.first_block()) {
            self.block(block);
            let given: Vec<_> = Self::terminator_operands(block)
                .iter()
                .map(|source| self.info_of(source))
                .collect();
            results = Some(match results {
                None => given,
                Some(before) => before.iter().zip(&given).map(|(a, b)| a.meet(b)).collect(),
            });
        }
        for (result, info) in op.results().zip(results.unwrap_or_default()) {
            self.set(result.into(), info);
        }
    }
}

/// A value by identity and rank, free of the borrow of its block.
struct OperandInfoSource(usize, usize);
