//! Shared memory that conversions of layouts, reductions and scans use in turn.
//!
//! A use is `gpu.barrier`, stores, `gpu.barrier`, loads: the first barrier ends the loads of the use before it.

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, OperationRef, Region, Type, Value, ValueLike};
use mytriton_tile::emit::{CmpI, Emitter};
use mytriton_tile::types::ssa_scalar;

use super::Conversion;
use crate::ir::{PassResult, error_at};

/// The symbol.
const NAME: &str = "__mytriton_scratch";

/// What a block may take of shared memory without asking the driver for more (every target since sm_30).
const STATIC_SHARED_BYTES: u64 = 48 * 1024;

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
            ("alignment", emitter.i64_attribute(16)),
        ],
        vec![Region::new()],
    );
}

/// The bytes that a number of this type takes; a truth value takes one.
pub fn stored_bytes(element: Type<'_>) -> u64 {
    ssa_scalar(element).map_or(8, |scalar| u64::from(scalar.bytes()))
}

/// The memory's address.
#[derive(Clone, Copy)]
pub struct Scratch<'c, 'a> {
    base: Value<'c, 'a>,
}

impl<'c: 'a, 'a> Scratch<'c, 'a> {
    /// Stores a number at a byte offset, an `i32`.
    pub fn store(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>, value: Value<'c, 'a>) {
        let value = match is_truth(emitter, value.r#type()) {
            true => emitter.value("arith.extui", &[value], byte(emitter), &[]),
            false => value,
        };
        emitter.op("llvm.store", &[value, self.at(emitter, offset)], &[], &[]);
    }

    /// Loads a number of type `element` from a byte offset, an `i32`.
    pub fn load(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>, element: Type<'c>) -> Value<'c, 'a> {
        let address = self.at(emitter, offset);
        if !is_truth(emitter, element) {
            return emitter.value("llvm.load", &[address], element, &[]);
        }
        let value = emitter.value("llvm.load", &[address], byte(emitter), &[]);
        let zero = emitter.int_like(byte(emitter), 0);
        emitter.cmpi(CmpI::Ne, value, zero)
    }

    fn at(self, emitter: Emitter<'c, 'a>, offset: Value<'c, 'a>) -> Value<'c, 'a> {
        let dynamic = DenseI32ArrayAttribute::new(emitter.context, &[i32::MIN]);
        let attributes = [
            ("rawConstantIndices", dynamic.into()),
            ("elem_type", emitter.type_attribute(byte(emitter))),
        ];
        emitter.value(
            "llvm.getelementptr",
            &[self.base, offset],
            self.base.r#type(),
            &attributes,
        )
    }
}

fn byte<'c>(emitter: Emitter<'c, '_>) -> Type<'c> {
    IntegerType::new(emitter.context, 8).into()
}

fn is_truth<'c>(emitter: Emitter<'c, '_>, ty: Type<'c>) -> bool {
    ty == IntegerType::new(emitter.context, 1).into()
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// The memory, made large enough for `bytes` that `what` needs.
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
        self.shared.scratch_bytes = self.shared.scratch_bytes.max(bytes);
        let pointer = Type::parse(self.context, "!llvm.ptr<3>").expect("a type of the llvm dialect");
        let name = [("global_name", emitter.symbol(NAME))];
        let base = emitter.value("llvm.mlir.addressof", &[], pointer, &name);
        Ok(Scratch { base })
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
