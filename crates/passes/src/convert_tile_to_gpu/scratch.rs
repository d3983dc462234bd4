//! Shared memory of operations: for conversions of layouts, reductions and scans while they exchange elements, and for
//! buffers.
//!
//! Where each of them begins has been planned by `tile-allocate-shared`, which asks for what it has to plan by a
//! conversion of these operations whose result nobody wants: so that what is planned is what is taken. A use is stores, a
//! barrier, loads. What makes it wait for the loads of the use before it in the same place is `tile-insert-barriers`.

use melior::ir::{Attribute, OperationRef, Region, Type, Value, ValueLike};
use mytriton_tile::emit::{Emitter, result_of};

use super::stored::{from_stored, stored_type, to_stored};
use super::{Conversion, local};
use crate::ir::{PassResult, error_at, int_attribute, op_key};

/// The symbol.
const NAME: &str = "__mytriton_scratch";

/// What a block may take of shared memory without asking the driver for more (every target since sm_30).
pub const STATIC_SHARED_BYTES: u64 = 48 * 1024;

/// What every use is aligned to.
pub const ALIGNMENT: u64 = 16;

/// What buffers are aligned to: the 32 banks, so that a layout meets the same ones wherever its buffer lies.
pub const BUFFER_ALIGNMENT: u64 = 128;

/// The attribute that says where an operation's memory begins.
pub const OFFSET: &str = "tile.offset";
/// The attribute that says how many bytes it takes.
pub const BYTES: &str = "tile.bytes";
/// The attribute of an operation that takes memory without a barrier of the block.
pub const WITHIN_WARPS: &str = "tile.within_warps";
/// The attribute that says how many bytes a kernel takes.
pub const SHARED_BYTES: &str = "tile.shared_bytes";

/// Shared memory that an operation takes.
#[derive(Clone, Debug)]
pub struct Need {
    /// The operation, by its address.
    pub op: usize,
    /// What takes it, for messages.
    pub what: String,
    /// How many bytes.
    pub bytes: u64,
    /// Whether it is a buffer, which lives beyond the operation.
    pub is_buffer: bool,
    /// Whether warps load only what they have stored themselves.
    pub within_warps: bool,
}

/// Where the memory of operations is.
pub enum Memory {
    /// Where the attributes of operations say.
    Planned,
    /// Nowhere yet: what is needed is listed.
    Listed(Vec<Need>),
}

/// Declares the memory.
pub fn declare<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, bytes: u64, alignment: u64) {
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
            ("alignment", emitter.i64_attribute(alignment as i64)),
        ],
        vec![Region::new()],
    );
}

/// The address of a use.
#[derive(Clone, Copy)]
pub struct Scratch<'c, 'a> {
    base: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Scratch<'c, 'a> {
    /// Stores a number at a byte offset of the use, an `i32`.
    pub fn store(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>, value: Value<'c, 'a>) {
        let value = to_stored(emitter, value);
        emitter.op("llvm.store", &[value, self.at(emitter, offset)], &[], &[]);
    }

    /// Loads a number of type `element` from a byte offset of the use, an `i32`.
    pub fn load(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>, element: Type<'c>) -> Value<'c, 'a> {
        let address = self.at(emitter, offset);
        let stored = emitter.value("llvm.load", &[address], stored_type(emitter, element), &[]);
        from_stored(emitter, stored, element)
    }

    /// Where the use begins, an `!llvm.ptr<3>` aligned to 16 bytes.
    pub fn base(self) -> Value<'c, 'a> {
        self.base
    }

    fn at(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>) -> Value<'c, 'a> {
        local::at(emitter, self.base, offset)
    }
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// Memory for `bytes` that `what` needs while the operation is done. Several uses of one operation lie beside one
    /// another, so that none waits for another's loads.
    pub(super) fn scratch(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        what: &str,
        bytes: u64,
    ) -> PassResult<'c, Scratch<'c, 'a>> {
        let base = self.memory(emitter, op, what, bytes, false)?;
        Ok(Scratch { base })
    }

    /// The memory of a buffer, an `!llvm.ptr<3>`.
    pub(super) fn buffer(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        bytes: u64,
    ) -> PassResult<'c, Value<'c, 'a>> {
        self.shared.alignment = BUFFER_ALIGNMENT;
        self.memory(emitter, op, "a buffer", bytes, true)
    }

    fn memory(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        what: &str,
        bytes: u64,
        is_buffer: bool,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let id = op_key(op);
        let start = match self.taken {
            Some((of, taken)) if of == id => taken,
            _ => 0,
        };
        let end = start + bytes;
        self.taken = Some((id, end.next_multiple_of(ALIGNMENT)));
        let offset = match &mut self.shared.memory {
            Memory::Planned => {
                let planned = |name| int_attribute(op, name).and_then(|n| u64::try_from(n).ok());
                let (Some(offset), Some(limit)) = (planned(OFFSET), planned(BYTES)) else {
                    self.shared.unplanned = true;
                    return Err(error_at(op, "takes shared memory: run tile-allocate-shared first"));
                };
                if end > limit {
                    let message =
                        format!("{what} takes {end} bytes of shared memory; tile-allocate-shared has planned {limit}");
                    return Err(error_at(op, message));
                }
                offset + start
            }
            Memory::Listed(needs) => {
                match needs.last_mut() {
                    Some(need) if need.op == id => need.bytes = end,
                    _ => needs.push(Need {
                        op: id,
                        what: what.to_owned(),
                        bytes: end,
                        is_buffer,
                        within_warps: !is_buffer,
                    }),
                }
                0
            }
        };
        let pointer = Type::parse(self.context, "!llvm.ptr<3>").expect("a type of the llvm dialect");
        let name = [("global_name", emitter.symbol(NAME))];
        let base = emitter.value("llvm.mlir.addressof", &[], pointer, &name);
        Ok(local::at_constant(emitter, base, offset as u32))
    }

    /// Between the stores and the loads of a use.
    pub(super) fn stored(&mut self, emitter: Emitter<'c, 'a>) {
        emitter.op("gpu.barrier", &[], &[], &[]);
        if let Memory::Listed(needs) = &mut self.shared.memory
            && let Some(need) = needs.last_mut()
        {
            need.within_warps = false;
        }
    }

    /// Between the stores and the loads of a use in which every warp loads only what it has stored itself, and no two
    /// warps store the same: the warps need not wait for one another (PTX ISA, "bar.warp.sync", which also orders memory
    /// among the lanes). All uses of the operation have to be of this kind.
    pub(super) fn stored_by_warps(&mut self, emitter: Emitter<'c, 'a>) {
        self.warp_barrier(emitter);
    }

    /// Before the stores of such a use: the loads of the same operation in a loop's round before may be under way.
    pub(super) fn warp_barrier(&self, emitter: Emitter<'c, 'a>) {
        let all = emitter.int(32, -1);
        emitter.op("nvvm.bar.warp.sync", &[all], &[], &[]);
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

/// What `f` gives in threads where the condition holds, and `other` elsewhere; everywhere the first without a condition.
pub fn where_or<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    condition: Option<Value<'c, 'a>>,
    other: impl FnOnce(Emitter<'c, 'a>) -> Value<'c, 'a>,
    f: impl FnOnce(Emitter<'c, 'a>) -> Value<'c, 'a>,
) -> Value<'c, 'a> {
    let Some(condition) = condition else {
        return f(emitter);
    };
    let (first, inside) = emitter.region(&[]);
    let inside = emitter.inside(inside);
    let value = f(inside);
    inside.op("scf.yield", &[value], &[], &[]);
    let (second, outside) = emitter.region(&[]);
    let outside = emitter.inside(outside);
    outside.op("scf.yield", &[other(outside)], &[], &[]);
    let ty = value.r#type();
    let chosen = emitter.op_with_regions("scf.if", &[condition], &[ty], &[], vec![first, second]);
    result_of(chosen, 0)
}
