//! `tile-infer-axis-info`: what is known of the integers and addresses in a tile. An analysis; it changes nothing.
//!
//! Along each dimension, all numbers being powers of two (notation of Triton's analysis of the same name):
//! - *contiguity* c: in every aligned group of c elements each is one more than the one before (an address: one element
//!   further);
//! - *divisibility* d: the first element of every such group is a multiple of d (an address: of d bytes);
//! - *constancy* k: in every aligned group of k elements all are equal.
//!
//! A scalar counts as a tile of one element. Loop-carried values start from what enters the loop and are weakened until
//! nothing changes. Integers are taken not to overflow within a group.

use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, RegionLike, Value, ValueLike};
use mytriton_tile::argument_attributes;
use mytriton_tile::emit::{argument_of, shape_of};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ir::{int_attribute, key, name_of, pointee_bytes};

/// Nothing larger is of use: the widest access has 16 bytes, a tile 2^20 elements.
const CAP: u64 = 1 << 30;

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
    const UNKNOWN: Axis = Axis { contiguity: 1, divisibility: 1, constancy: 1 };

    /// The divisibility of the first element of every aligned group of `size`, at most the contiguity or constancy.
    fn divisibility_of_groups(self, size: u64) -> u64 {
        if self.contiguity > size { self.divisibility.min(size) } else { self.divisibility }
    }

    fn meet(self, other: Axis) -> Axis {
        let contiguity = self.contiguity.min(other.contiguity);
        Axis {
            contiguity,
            divisibility: self.divisibility_of_groups(contiguity).min(other.divisibility_of_groups(contiguity)),
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
        AxisInfo { axes: SmallVec::from_elem(Axis::UNKNOWN, rank.max(1)), constant: None }
    }

    fn meet(&self, other: &AxisInfo) -> AxisInfo {
        let axes = self.axes.iter().zip(&other.axes).map(|(a, b)| a.meet(*b)).collect();
        AxisInfo { axes, constant: self.constant.filter(|_| self.constant == other.constant) }
    }

    /// What every element is a multiple of.
    fn divisibility_of_all(&self) -> u64 {
        self.axes.iter().map(|a| a.divisibility_of_groups(1)).min().unwrap_or(1)
    }

    fn zip(&self, other: &AxisInfo, f: impl Fn(Axis, Axis) -> Axis) -> AxisInfo {
        AxisInfo { axes: self.axes.iter().zip(&other.axes).map(|(a, b)| f(*a, *b)).collect(), constant: None }
    }
}

fn power_of_two_in(value: i64) -> u64 {
    if value == 0 { CAP } else { (1u64 << value.trailing_zeros()).min(CAP) }
}

/// The facts of every value of a function.
#[derive(Debug, Default)]
pub struct AxisInfos {
    infos: FxHashMap<usize, AxisInfo>,
}

impl AxisInfos {
    /// Analyses a kernel: a `func.func` in the `tile` or `layout` stage.
    pub fn analyze(function: OperationRef<'_, '_>) -> AxisInfos {
        let mut infos = AxisInfos::default();
        if let Some(body) = function.region(0).ok().and_then(|r| r.first_block()) {
            for index in 0..body.argument_count() {
                let mut info = AxisInfo::unknown(0);
                let facts = argument_attributes(function, index);
                let fact = facts.iter().find(|(name, _)| name == "tile.divisibility").map(|(_, a)| *a);
                if let Some(fact) = fact.and_then(|a| IntegerAttribute::try_from(a).ok()) {
                    info.axes[0].divisibility = power_of_two_in(fact.value());
                }
                infos.infos.insert(key(argument_of(body, index)), info);
            }
            infos.block(body);
        }
        infos
    }

    /// What is known of a value.
    pub fn get(&self, value: Value<'_, '_>) -> AxisInfo {
        self.infos.get(&key(value)).cloned().unwrap_or_else(|| {
            AxisInfo::unknown(shape_of(value.r#type()).map_or(0, |shape| shape.len()))
        })
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
        let Some(end) = block.terminator() else { return Vec::new() };
        let skip = usize::from(name_of(end) == "scf.condition");
        end.operands().skip(skip).map(|v| OperandInfoSource(key(v), shape_of(v.r#type()).map_or(0, |s| s.len()))).collect()
    }

    fn info_of(&self, source: &OperandInfoSource) -> AxisInfo {
        self.infos.get(&source.0).cloned().unwrap_or_else(|| AxisInfo::unknown(source.1))
    }

    /// Runs `block` with `carried` for its last arguments, weakening them by what comes around until they hold.
    fn loop_body(&mut self, block: BlockRef<'_, '_>, first: usize, mut carried: Vec<AxisInfo>) -> Vec<AxisInfo> {
        loop {
            for (index, info) in carried.iter().enumerate() {
                self.set(argument_of(block, first + index), info.clone());
            }
            self.block(block);
            let around: Vec<AxisInfo> =
                Self::terminator_operands(block).iter().map(|source| self.info_of(source)).collect();
            let weaker: Vec<AxisInfo> = carried.iter().zip(&around).map(|(a, b)| a.meet(b)).collect();
            if weaker == carried {
                return carried;
            }
            carried = weaker;
        }
    }

    fn op(&mut self, op: OperationRef<'_, '_>) {
        let name = name_of(op);
        let operand = |index: usize| op.operand(index).ok();
        match name.as_str() {
            "scf.for" => {
                let Some(body) = op.region(0).ok().and_then(|r| r.first_block()) else { return };
                let bounds: Vec<AxisInfo> = (0..3).filter_map(operand).map(|v| self.get(v)).collect();
                let mut index = AxisInfo::unknown(0);
                if let [lower, _, step] = &bounds[..] {
                    index.axes[0].divisibility = lower.divisibility_of_all().min(step.divisibility_of_all());
                }
                self.set(argument_of(body, 0), index);
                let carried = op.operands().skip(3).map(|v| self.get(v)).collect();
                let carried = self.loop_body(body, 1, carried);
                for (result, info) in op.results().zip(carried) {
                    self.set(result.into(), info);
                }
            }
            "scf.while" => {
                let blocks: Vec<_> = op.regions().filter_map(|r| r.first_block()).collect();
                let [test, body] = blocks[..] else { return };
                let mut carried: Vec<AxisInfo> = op.operands().map(|v| self.get(v)).collect();
                loop {
                    for (index, info) in carried.iter().enumerate() {
                        self.set(argument_of(test, index), info.clone());
                    }
                    self.block(test);
                    let passed: Vec<_> =
                        Self::terminator_operands(test).iter().map(|source| self.info_of(source)).collect();
                    for (index, info) in passed.iter().enumerate() {
                        self.set(argument_of(body, index), info.clone());
                    }
                    for (result, info) in op.results().zip(&passed) {
                        self.set(result.into(), info.clone());
                    }
                    self.block(body);
                    let around = Self::terminator_operands(body);
                    let weaker: Vec<AxisInfo> =
                        carried.iter().zip(&around).map(|(a, b)| a.meet(&self.info_of(b))).collect();
                    if weaker == carried {
                        return;
                    }
                    carried = weaker;
                }
            }
            "scf.if" => {
                let mut results: Option<Vec<AxisInfo>> = None;
                for block in op.regions().filter_map(|r| r.first_block()) {
                    self.block(block);
                    let given: Vec<_> =
                        Self::terminator_operands(block).iter().map(|source| self.info_of(source)).collect();
                    results = Some(match results {
                        None => given,
                        Some(before) => before.iter().zip(&given).map(|(a, b)| a.meet(b)).collect(),
                    });
                }
                for (result, info) in op.results().zip(results.unwrap_or_default()) {
                    self.set(result.into(), info);
                }
            }
            _ if op.result_count() == 1 => {
                let result: Value = mytriton_tile::emit::result_of(op, 0);
                let shape = shape_of(result.r#type());
                let operands: Vec<AxisInfo> = op.operands().map(|v| self.get(v)).collect();
                let info = transfer(op, &name, shape.as_deref().unwrap_or(&[]), &operands);
                self.set(result, info.unwrap_or_else(|| AxisInfo::unknown(shape.map_or(0, |s| s.len()))));
            }
            _ => {}
        }
    }
}

/// A value by identity and rank, free of the borrow of its block.
struct OperandInfoSource(usize, usize);

/// The facts of an operation's single result; none where nothing is known.
fn transfer(op: OperationRef<'_, '_>, name: &str, shape: &[u64], operands: &[AxisInfo]) -> Option<AxisInfo> {
    let extents: SmallVec<[u64; 3]> = if shape.is_empty() { SmallVec::from_elem(1, 1) } else { shape.into() };
    let padded = |d: usize| extents[d].next_power_of_two();
    let uniform = |divisibility: u64, constant: Option<i64>| AxisInfo {
        axes: (0..extents.len()).map(|d| Axis { contiguity: 1, divisibility, constancy: padded(d) }).collect(),
        constant,
    };
    match (name, operands) {
        ("arith.constant", []) => {
            let value = op.attribute("value").ok()?;
            let element = match DenseElementsAttribute::try_from(value) {
                Ok(dense) if dense.is_splat() => dense.splat_value(),
                Ok(_) => return None,
                Err(_) => value,
            };
            let value = IntegerAttribute::try_from(element).ok()?.value();
            Some(uniform(power_of_two_in(value), Some(value)))
        }
        ("tile.range", []) => {
            let start = int_attribute(op, "start")?;
            let axis = Axis { contiguity: padded(0), divisibility: power_of_two_in(start), constancy: 1 };
            Some(AxisInfo { axes: SmallVec::from_elem(axis, 1), constant: None })
        }
        ("tile.splat", [x]) => Some(uniform(x.divisibility_of_all(), x.constant)),
        ("tile.expand_dims", [x]) => {
            let axis = int_attribute(op, "axis")? as usize;
            let mut info = x.clone();
            info.axes.insert(axis, Axis { contiguity: 1, divisibility: x.divisibility_of_all(), constancy: 1 });
            Some(info)
        }
        ("tile.broadcast", [x]) => {
            let from = shape_of(op.operand(0).ok()?.r#type())?;
            let mut info = x.clone();
            for (d, axis) in info.axes.iter_mut().enumerate() {
                if from[d] != extents[d] {
                    *axis = Axis { contiguity: 1, divisibility: axis.divisibility_of_groups(1), constancy: padded(d) };
                }
            }
            Some(info)
        }
        ("arith.extsi" | "arith.extui" | "arith.index_cast", [x]) => Some(x.clone()),
        ("arith.trunci", [x]) => Some(AxisInfo { constant: None, ..x.clone() }),
        ("arith.addi", [a, b]) => Some(AxisInfo {
            constant: fold(a, b, i64::checked_add),
            ..a.zip(b, |a, b| sum(a, b, a.contiguity.min(b.constancy).max(a.constancy.min(b.contiguity))))
        }),
        ("arith.subi", [a, b]) => Some(AxisInfo {
            constant: fold(a, b, i64::checked_sub),
            ..a.zip(b, |a, b| sum(a, b, a.contiguity.min(b.constancy)))
        }),
        ("tile.addptr", [p, offset]) => {
            let bytes = pointee_bytes(op.operand(0).ok()?.r#type())?;
            Some(p.zip(offset, |p, o| {
                let contiguity = p.contiguity.min(o.constancy).max(p.constancy.min(o.contiguity));
                let moved = o.divisibility_of_groups(contiguity).saturating_mul(bytes);
                Axis {
                    contiguity,
                    // A run of addresses starts where the run of offsets does; a longer run of pointers is cut in bytes.
                    divisibility: moved.min(if p.contiguity > contiguity {
                        p.divisibility.min(contiguity.saturating_mul(bytes))
                    } else {
                        p.divisibility
                    }),
                    constancy: p.constancy.min(o.constancy),
                }
            }))
        }
        ("arith.muli", [a, b]) => {
            let constant = fold(a, b, i64::checked_mul);
            if a.constant == Some(1) {
                return Some(b.clone());
            }
            if b.constant == Some(1) {
                return Some(a.clone());
            }
            Some(AxisInfo {
                constant,
                ..a.zip(b, |a, b| Axis {
                    contiguity: 1,
                    divisibility: a.divisibility_of_groups(1).saturating_mul(b.divisibility_of_groups(1)).min(CAP),
                    constancy: a.constancy.min(b.constancy),
                })
            })
        }
        ("tile.div_s" | "tile.div_u" | "arith.divsi" | "arith.divui", [a, b]) => {
            let divisor = b.constant.filter(|&d| d > 0 && (d as u64).is_power_of_two())? as u64;
            // Truncation toward zero breaks a run of negative values, so that runs survive only when unsigned.
            let unsigned = name.ends_with('u') || name.ends_with("ui");
            let run = |a: &Axis| if unsigned { a.contiguity.min(divisor).min(a.divisibility) } else { 1 };
            let axes = a.axes.iter().map(|a| Axis {
                contiguity: 1,
                divisibility: (a.divisibility_of_groups(1) / divisor).max(1),
                constancy: a.constancy.max(run(a)),
            });
            Some(AxisInfo { axes: axes.collect(), constant: None })
        }
        ("tile.rem_s" | "tile.rem_u" | "arith.remsi" | "arith.remui", [a, b]) => {
            let divisor = b.constant.filter(|&d| d > 0 && (d as u64).is_power_of_two())? as u64;
            let unsigned = name.ends_with('u') || name.ends_with("ui");
            let axes = a.axes.iter().map(|a| {
                let contiguity = if unsigned { a.contiguity.min(divisor).min(a.divisibility) } else { 1 };
                let divisibility = a.divisibility_of_groups(contiguity).min(divisor);
                Axis { contiguity, divisibility, constancy: a.constancy }
            });
            Some(AxisInfo { axes: axes.collect(), constant: None })
        }
        ("arith.cmpi", [a, b]) => {
            let predicate = int_attribute(op, "predicate")?;
            // Where does `a pred b` change as a runs through consecutive values and b stays? Only at a multiple of both.
            let run = |a: Axis, b: Axis| a.contiguity.min(b.constancy).min(a.divisibility).min(b.divisibility);
            let (below, above) = ([2, 5, 6, 9].contains(&predicate), [3, 4, 7, 8].contains(&predicate));
            Some(a.zip(b, |a, b| {
                let both = a.constancy.min(b.constancy);
                let along = match (below, above) {
                    (true, _) => run(a, b),
                    (_, true) => run(b, a),
                    _ => 1,
                };
                Axis { contiguity: 1, divisibility: 1, constancy: both.max(along) }
            }))
        }
        ("arith.select", [condition, a, b]) => {
            let arms = a.meet(b);
            let axes = arms.axes.iter().enumerate().map(|(d, arm)| {
                let group = condition.axes.get(d).or(condition.axes.first()).map_or(1, |c| c.constancy);
                let scalar = condition.axes.len() != arms.axes.len();
                let group = if scalar { u64::MAX } else { group };
                let contiguity = arm.contiguity.min(group);
                let divisibility = arm.divisibility_of_groups(contiguity);
                Axis { contiguity, divisibility, constancy: arm.constancy.min(group) }
            });
            Some(AxisInfo { axes: axes.collect(), constant: None })
        }
        ("arith.andi" | "arith.ori" | "arith.xori", [a, b]) => Some(a.zip(b, |a, b| Axis {
            constancy: a.constancy.min(b.constancy),
            ..Axis::UNKNOWN
        })),
        _ => None,
    }
}

fn sum(a: Axis, b: Axis, contiguity: u64) -> Axis {
    Axis {
        contiguity,
        divisibility: a.divisibility_of_groups(contiguity).min(b.divisibility_of_groups(contiguity)),
        constancy: a.constancy.min(b.constancy),
    }
}

fn fold(a: &AxisInfo, b: &AxisInfo, f: impl Fn(i64, i64) -> Option<i64>) -> Option<i64> {
    f(a.constant?, b.constant?)
}
