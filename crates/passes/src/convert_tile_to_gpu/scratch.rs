//! Shared memory that conversions of layouts, reductions and scans use in turn.
//!
//! A use is stores, `gpu.barrier`, loads. Loads of the use before it may still be under way while threads store. So a small
//! use takes other bytes, and its own barrier ends those loads: no third use meets them. Where that is not possible, or
//! it is not known what came before, as at the start of a loop's body, another barrier goes before the stores.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, OperationRef, Region, Type, Value, ValueLike};
use mytriton_tile::emit::{CmpI, Emitter};

use super::{Conversion, local};
use crate::ir::{PassResult, error_at};

/// The symbol.
const NAME: &str = "__mytriton_scratch";

/// What a block may take of shared memory without asking the driver for more (every target since sm_30).
pub const STATIC_SHARED_BYTES: u64 = 48 * 1024;

/// What every use is aligned to.
const ALIGNMENT: u64 = 16;

/// Where uses may lie beside one another: two of this many bytes cost little, and larger ones would keep blocks from
/// running at once.
const SMALL_BYTES: u64 = 4 * 1024;

/// Bytes that threads may still load from, for there was no barrier since.
#[derive(Clone, PartialEq)]
pub enum Pending {
    /// From the first to before the second of each pair.
    Ranges(Vec<(u64, u64)>),
    /// Any.
    All,
}

impl Pending {
    /// Those of either.
    pub fn or(self, other: Pending) -> Pending {
        match (self, other) {
            (Pending::Ranges(mut ranges), Pending::Ranges(more)) => {
                ranges.extend(more);
                Pending::Ranges(ranges)
            }
            _ => Pending::All,
        }
    }

    /// Where so many bytes are free, if they are to be had without a barrier.
    fn free(&self, bytes: u64) -> Option<u64> {
        let Pending::Ranges(ranges) = self else { return None };
        let behind = ranges.iter().map(|range| range.1.next_multiple_of(ALIGNMENT));
        let mut starts: Vec<u64> = behind.chain([0]).collect();
        starts.sort_unstable();
        starts.into_iter().find(|start| {
            let end = start + bytes;
            let fits = *start == 0 || end <= SMALL_BYTES;
            fits && ranges.iter().all(|range| end <= range.0 || range.1 <= *start)
        })
    }
}

impl Default for Pending {
    fn default() -> Self {
        Pending::Ranges(Vec::new())
    }
}

/// Declares the memory.
pub fn declare<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, bytes: u64) {
    let ty = Type::parse(emitter.context, &format!("!llvm.array<{bytes} x i8>")).expect("a type of the llvm dialect");
    let linkage = Attribute::parse(emitter.context, "#llvm.linkage<internal>").expect("an llvm attribute");
    emitter.op_with_regions(
        "llvm.mlir.global",
        &[],
        &[],
        &[
            ("sym_name", emitter.string_attribute(NAME)),
            ("global_type", emitter.type_attribute(ty)),
            ("linkage", linkage),
            ("addr_space", emitter.i32_attribute(3)),
            ("alignment", emitter.i64_attribute(ALIGNMENT as i64)),
        ],
        vec![Region::new()],
    );
}

/// The address of a use.
#[derive(Clone, Copy)]
pub struct Scratch<'c, 'a> {
    base: Value<'c, 'a>,
    start: u64,
    bytes: u64,
}

impl<'c: 'a, 'a> Scratch<'c, 'a> {
    /// Stores a number at a byte offset of the use, an `i32`.
    pub fn store(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>, value: Value<'c, 'a>) {
        let value = match is_truth(emitter, value.r#type()) {
            true => emitter.value("arith.extui", &[value], byte(emitter), &[]),
            false => value,
        };
        emitter.op("llvm.store", &[value, self.at(emitter, offset)], &[], &[]);
    }

    /// Loads a number of type `element` from a byte offset of the use, an `i32`.
    pub fn load(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>, element: Type<'c>) -> Value<'c, 'a> {
        let address = self.at(emitter, offset);
        if !is_truth(emitter, element) {
            return emitter.value("llvm.load", &[address], element, &[]);
        }
        let value = emitter.value("llvm.load", &[address], byte(emitter), &[]);
        let zero = emitter.int_like(byte(emitter), 0);
        emitter.cmpi(CmpI::Ne, value, zero)
    }

    /// Where the use begins, an `!llvm.ptr<3>` aligned to 16 bytes.
    pub fn base(self) -> Value<'c, 'a> {
        self.base
    }

    fn at(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>) -> Value<'c, 'a> {
        local::at(emitter, self.base, offset)
    }
}

fn byte<'c>(emitter: Emitter<'c, '_>) -> Type<'c> {
    IntegerType::new(emitter.context, 8).into()
}

fn is_truth<'c>(emitter: Emitter<'c, '_>, ty: Type<'c>) -> bool {
    ty == IntegerType::new(emitter.context, 1).into()
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// The start of a use: memory for `bytes` that `what` needs, to which threads may store.
    pub(super) fn scratch(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        what: &str,
        bytes: u64,
    ) -> PassResult<'c, Scratch<'c, 'a>> {
        if bytes > STATIC_SHARED_BYTES {
            return Err(error_at(
                op,
                format!(
                    "{what} of {} takes {bytes} bytes of shared memory; {STATIC_SHARED_BYTES} are available: use a \
                     smaller tile",
                    op.operand(0).map(|v| v.r#type().to_string()).unwrap_or_default()
                ),
            ));
        }
        let start = self.pending.free(bytes).unwrap_or_else(|| {
            self.barrier(emitter);
            0
        });
        self.shared.scratch_bytes = self.shared.scratch_bytes.max(start + bytes);
        let pointer = Type::parse(self.context, "!llvm.ptr<3>").expect("a type of the llvm dialect");
        let name = [("global_name", emitter.symbol(NAME))];
        let base = emitter.value("llvm.mlir.addressof", &[], pointer, &name);
        let mut scratch = Scratch { base, start, bytes };
        if start > 0 {
            scratch.base = scratch.at(emitter, emitter.int(32, start as i64));
        }
        Ok(scratch)
    }

    /// Between the stores and the loads of a use.
    pub(super) fn stored(&mut self, emitter: Emitter<'c, 'a>, scratch: Scratch<'c, 'a>) {
        self.barrier(emitter);
        self.pending = Pending::Ranges(vec![(scratch.start, scratch.start + scratch.bytes)]);
    }

    /// Between the stores and the loads of a use in which every warp loads what it has stored itself: the warps need not
    /// wait for one another (PTX ISA, "bar.warp.sync", which also orders memory among the lanes).
    pub(super) fn stored_by_warps(&mut self, emitter: Emitter<'c, 'a>, scratch: Scratch<'c, 'a>) {
        let all = emitter.int(32, -1);
        emitter.op("nvvm.bar.warp.sync", &[all], &[], &[]);
        let loaded = Pending::Ranges(vec![(scratch.start, scratch.start + scratch.bytes)]);
        self.pending = std::mem::take(&mut self.pending).or(loaded);
    }

    /// A barrier, which ends all loads.
    pub(super) fn barrier(&mut self, emitter: Emitter<'c, 'a>) {
        emitter.op("gpu.barrier", &[], &[], &[]);
        self.pending = Pending::default();
    }
}

/// Runs `f` in threads where the condition holds; everywhere without one.
pub fn guarded<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    condition: Option<Value<'c, 'a>>,
    f: impl FnOnce(Emitter<'c, 'a>),
) {
    let Some(condition) = condition else {
        return f(emitter);
    };
    let (region, block) = emitter.region(&[]);
    let inside = emitter.inside(block);
    f(inside);
    inside.op("scf.yield", &[], &[], &[]);
    emitter.op_with_regions("scf.if", &[condition], &[], &[], vec![region, Region::new()]);
}

#[cfg(test)]
mod tests {
    use super::{Pending, SMALL_BYTES};

    #[test]
    fn small_uses_lie_beside_what_is_pending() {
        let after = |ranges: &[(u64, u64)]| Pending::Ranges(ranges.to_vec());
        assert_eq!(Pending::default().free(40_000), Some(0));
        assert_eq!(after(&[(0, 20)]).free(8), Some(32));
        assert_eq!(after(&[(32, 40)]).free(32), Some(0));
        assert_eq!(after(&[(32, 40)]).free(33), Some(48));
        assert_eq!(after(&[(0, 20), (32, 40)]).free(16), Some(48));
        assert_eq!(after(&[(0, 20)]).free(SMALL_BYTES), None);
        assert_eq!(Pending::All.free(4), None);
        assert!(after(&[(0, 20)]).or(Pending::All) == Pending::All);
        assert!(after(&[(0, 20)]).or(after(&[(32, 40)])) == after(&[(0, 20), (32, 40)]));
    }
}
