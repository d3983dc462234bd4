//! Which offsets differ from element to element of a tile.
//!
//! An offset is *affine* if it is the same number everywhere plus a constant *stride* for each coordinate. The smallest
//! stride first, each must be larger than all that the coordinates before it can add up to: then no two elements have
//! one offset, as in a number system. Offsets with strides that only run time knows may coincide.

use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Value, ValueLike};
use mytriton_tile::defining_operation;
use mytriton_tile::emit::{element_type, shape_of};
use mytriton_tile::ops::{self, ExpandDimsOp};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::ir::{key, name_of};

type Strides = SmallVec<[i64; 3]>;

/// An affine tile of integers.
#[derive(Clone)]
struct Affine {
    /// Along each dimension.
    strides: Strides,
    /// The smallest width in which it, or what it is made of, is computed.
    bits: u32,
}

/// What is known of values that were asked for.
#[derive(Default)]
pub struct StrideInfos {
    known: FxHashMap<usize, Option<Affine>>,
    depth: u32,
}

/// How long a chain of operations is followed: offsets are short.
const MAX_DEPTH: u32 = 256;

impl StrideInfos {
    /// Do the sums of these offsets differ from element to element of a tile?
    pub fn tell_apart(&mut self, offsets: &[Value<'_, '_>], shape: &[u64]) -> bool {
        let mut sum = Affine {
            strides: smallvec![0; shape.len()],
            bits: 64,
        };
        for &offset in offsets {
            let next = self
                .of(offset)
                .and_then(|affine| combine(&sum, &affine, i64::checked_add));
            let Some(next) = next else { return false };
            sum = next;
        }
        let sizes = sum.strides.iter().map(|s| s.unsigned_abs()).zip(shape.iter().copied());
        let mut sizes: Vec<(u64, u64)> = sizes.filter(|&(_, extent)| extent > 1).collect();
        sizes.sort_unstable();
        let mut span = 0u64;
        for (stride, extent) in sizes {
            if stride <= span {
                return false;
            }
            span = span.saturating_add(stride.saturating_mul(extent - 1));
        }
        // Wrapping around must not bring two together.
        span < 1 << (sum.bits - 1)
    }

    fn of(&mut self, value: Value<'_, '_>) -> Option<Affine> {
        if let Some(known) = self.known.get(&key(value)) {
            return known.clone();
        }
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = self.find(value);
        self.depth -= 1;
        self.known.insert(key(value), found.clone());
        found
    }

    fn find(&mut self, value: Value<'_, '_>) -> Option<Affine> {
        let shape = shape_of(value.r#type())?;
        let bits = IntegerType::try_from(element_type(value.r#type())).ok()?.width();
        let op = defining_operation(value)?;
        let uniform = Some(Affine {
            strides: smallvec![0; shape.len()],
            bits,
        });
        let name = name_of(op);
        match name.as_str() {
            ops::RANGE => {
                return Some(Affine {
                    strides: smallvec![1],
                    bits,
                });
            }
            ops::SPLAT => return uniform,
            "arith.constant" => return constant(value).and(uniform),
            _ => {}
        }
        let (a, b) = (op.operand(0).ok()?, op.operand(1).ok());
        match name.as_str() {
            ops::EXPAND_DIMS => {
                let mut affine = self.of(a)?;
                affine.strides.insert(ExpandDimsOp::cast(op)?.axis() as usize, 0);
                Some(affine)
            }
            ops::BROADCAST => {
                let mut affine = self.of(a)?;
                for ((stride, from), to) in affine.strides.iter_mut().zip(shape_of(a.r#type())?).zip(shape) {
                    *stride = if from == to { *stride } else { 0 };
                }
                Some(affine)
            }
            ops::CONVERT_LAYOUT | "arith.extsi" | "arith.extui" => self.of(a),
            "arith.addi" => combine(&self.of(a)?, &self.of(b?)?, i64::checked_add),
            "arith.subi" => combine(&self.of(a)?, &self.of(b?)?, i64::checked_sub),
            "arith.muli" => {
                let (tile, by) = match (constant(a), constant(b?)) {
                    (_, Some(by)) => (a, by),
                    (Some(by), None) => (b?, by),
                    (None, None) => return None,
                };
                let Affine { strides, bits } = self.of(tile)?;
                let strides: Option<Strides> = strides.into_iter().map(|s| s.checked_mul(by)).collect();
                Some(Affine {
                    strides: strides?,
                    bits,
                })
            }
            _ => None,
        }
    }
}

fn combine(a: &Affine, b: &Affine, f: fn(i64, i64) -> Option<i64>) -> Option<Affine> {
    let strides: Option<Strides> = a.strides.iter().zip(&b.strides).map(|(&a, &b)| f(a, b)).collect();
    Some(Affine {
        strides: strides?,
        bits: a.bits.min(b.bits),
    })
}

/// The number that a tile has everywhere, if it is known.
fn constant(value: Value<'_, '_>) -> Option<i64> {
    let op = defining_operation(value)?;
    if name_of(op) == ops::SPLAT {
        return constant(op.operand(0).ok()?);
    }
    let attribute = op.attribute("value").ok().filter(|_| name_of(op) == "arith.constant")?;
    let element = match DenseElementsAttribute::try_from(attribute) {
        Ok(dense) if dense.is_splat() => dense.splat_value(),
        Ok(_) => return None,
        Err(_) => attribute,
    };
    IntegerAttribute::try_from(element).ok().map(|a| a.value())
}
