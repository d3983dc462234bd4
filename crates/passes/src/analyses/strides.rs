//! Which offsets differ from element to element of a tile.
//!
//! An offset is *affine* if it is the same number everywhere plus a constant *stride* for each coordinate. The smallest
//! stride first, each must be larger than all that the coordinates before it can add up to: then no two elements have
//! one offset, as in a number system. Offsets with strides that only run time knows may coincide.

use melior::ir::r#type::IntegerType;
use melior::ir::{Value, ValueLike};
use mytriton_tile::defining_operation;
use mytriton_tile::emit::{element_type, shape_of};
use mytriton_tile::ops::{AnyOp, SplatOp, TileOp, arith};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::ir::{integer_everywhere, key};

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
    pub fn is_injective(&mut self, offsets: &[Value<'_, '_>], shape: &[u64]) -> bool {
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
        match AnyOp::cast(op)? {
            AnyOp::Tile(TileOp::Range(_)) => Some(Affine {
                strides: smallvec![1],
                bits,
            }),
            AnyOp::Tile(TileOp::Splat(_)) => uniform,
            AnyOp::Tile(TileOp::ExpandDims(expand)) => {
                let mut affine = self.of(expand.source())?;
                affine.strides.insert(expand.axis() as usize, 0);
                Some(affine)
            }
            AnyOp::Tile(TileOp::Broadcast(broadcast)) => {
                let source = broadcast.source();
                let mut affine = self.of(source)?;
                for ((stride, from), to) in affine.strides.iter_mut().zip(shape_of(source.r#type())?).zip(shape) {
                    *stride = if from == to { *stride } else { 0 };
                }
                Some(affine)
            }
            AnyOp::Tile(TileOp::ConvertLayout(convert)) => self.of(convert.source()),
            AnyOp::Arith(arith::Op::Constant(_)) => constant(value).and(uniform),
            AnyOp::Arith(arith::Op::ExtSI(extend)) => self.of(extend.r#in()),
            AnyOp::Arith(arith::Op::ExtUI(extend)) => self.of(extend.r#in()),
            AnyOp::Arith(arith::Op::AddI(add)) => combine(&self.of(add.lhs())?, &self.of(add.rhs())?, i64::checked_add),
            AnyOp::Arith(arith::Op::SubI(sub)) => combine(&self.of(sub.lhs())?, &self.of(sub.rhs())?, i64::checked_sub),
            AnyOp::Arith(arith::Op::MulI(mul)) => {
                let (tile, by) = match (constant(mul.lhs()), constant(mul.rhs())) {
                    (_, Some(by)) => (mul.lhs(), by),
                    (Some(by), None) => (mul.rhs(), by),
                    (None, None) => return None,
                };
                let Affine { strides, bits } = self.of(tile)?;
                let strides: Option<Strides> = strides.into_iter().map(|s| s.checked_mul(by)).collect();
                Some(Affine {
                    strides: strides?,
                    bits,
                })
            }
            // Not affine, or not known to be: right, as accesses are then ordered by a barrier.
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
    if let Some(splat) = SplatOp::cast(op) {
        return constant(splat.source());
    }
    integer_everywhere(arith::ConstantOp::cast(op)?.value())
}
