//! `tile.convert_layout`: nothing, a reorder of registers, or an exchange through shared memory.

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Region, Type, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::emit::{CmpI, Emitter, element_type, shape_of};
use mytriton_tile::ops::ConvertLayoutOp;
use mytriton_tile::types::ssa_scalar;
use rustc_hash::FxHashMap;

use super::Conversion;
use super::thread::{extract, from_elements};
use crate::ir::{PassResult, error_at, layout_at};

/// The name of the shared memory that exchanges use in turn.
const SCRATCH: &str = "__mytriton_scratch";

/// What a block may take of shared memory without asking the driver for more (every target since sm_30).
const STATIC_SHARED_BYTES: u64 = 48 * 1024;

/// Declares the shared memory of exchanges.
pub fn declare_scratch<'c: 'a, 'a>(emitter: Emitter<'c, 'a>, bytes: u64) {
    let ty = Type::parse(emitter.context, &format!("!llvm.array<{bytes} x i8>")).expect("a type of the llvm dialect");
    let linkage = melior::ir::Attribute::parse(emitter.context, "#llvm.linkage<internal>").expect("an llvm attribute");
    emitter.op_with_regions(
        "llvm.mlir.global",
        &[],
        &[],
        &[
            ("sym_name", emitter.string_attribute(SCRATCH)),
            ("global_type", emitter.type_attribute(ty)),
            ("linkage", linkage),
            ("addr_space", emitter.i32_attribute(3)),
            ("alignment", emitter.i64_attribute(16)),
        ],
        vec![Region::new()],
    );
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    pub(super) fn convert_layout(
        &mut self,
        emitter: Emitter<'c, 'a>,
        convert: ConvertLayoutOp<'c, '_>,
        operand: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let op = convert.operation();
        let (from, to) = (
            layout_at(op, convert.source().r#type())?,
            layout_at(op, convert.result().r#type())?,
        );
        let (Some(from), Some(to)) = (from, to) else {
            return Err(error_at(op, "tiles with layouts are expected"));
        };
        if let Some(picked) = in_registers(&from, &to) {
            return Ok(self.permuted(emitter, operand, &picked));
        }
        self.through_shared(emitter, op, operand, [&from, &to], ty)
    }

    fn through_shared(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        operand: Value<'c, 'a>,
        [from, to]: [&DistributedLayout; 2],
        ty: Type<'c>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let element = element_type(ty);
        let truth = element == IntegerType::new(self.context, 1).into();
        let stored: Type = if truth {
            IntegerType::new(self.context, 8).into()
        } else {
            element
        };
        let bytes = ssa_scalar(stored).map_or(8, |s| u64::from(s.bytes()));
        let elements: u64 = from.shape().iter().map(|&d| u64::from(d)).product();
        let needed = elements * bytes;
        if needed > STATIC_SHARED_BYTES {
            return Err(error_at(
                op,
                format!(
                    "converting the layout of {} takes {needed} bytes of shared memory; {STATIC_SHARED_BYTES} are \
                     available: use a smaller tile",
                    op.operand(0).map(|v| v.r#type().to_string()).unwrap_or_default()
                ),
            ));
        }
        self.shared.scratch_bytes = self.shared.scratch_bytes.max(needed);

        let store_at = self.offsets(emitter, op, from, bytes)?;
        let load_at = self.offsets(emitter, op, to, bytes)?;
        let pointer = Type::parse(self.context, "!llvm.ptr<3>").expect("a type of the llvm dialect");
        let base = emitter.value(
            "llvm.mlir.addressof",
            &[],
            pointer,
            &[("global_name", emitter.symbol(SCRATCH))],
        );
        let i8_type = emitter.type_attribute(IntegerType::new(self.context, 8).into());
        let dynamic = DenseI32ArrayAttribute::new(self.context, &[i32::MIN]);
        let at = |offset: Value<'c, 'a>| {
            let attributes = [("rawConstantIndices", dynamic.into()), ("elem_type", i8_type)];
            emitter.value("llvm.getelementptr", &[base, offset], pointer, &attributes)
        };
        // The first barrier ends the reads of an exchange before this one.
        emitter.op("gpu.barrier", &[], &[], &[]);
        let free = from.register_free_mask();
        for register in (0..from.num_registers()).filter(|r| r & free == 0) {
            let mut value = extract(emitter, operand, register);
            if truth {
                value = emitter.value("arith.extui", &[value], stored, &[]);
            }
            // Threads that hold the same element write the same value.
            emitter.op(
                "llvm.store",
                &[value, at(extract(emitter, store_at, register))],
                &[],
                &[],
            );
        }
        emitter.op("gpu.barrier", &[], &[], &[]);
        let represents = to.register_representatives();
        let mut values: Vec<Value<'c, 'a>> = Vec::new();
        for register in 0..to.num_registers() {
            let first = represents[register as usize];
            if first < register {
                values.push(values[first as usize]);
                continue;
            }
            let value = emitter.value("llvm.load", &[at(extract(emitter, load_at, register))], stored, &[]);
            values.push(if truth {
                let zero = emitter.int_like(stored, 0);
                emitter.cmpi(CmpI::Ne, value, zero)
            } else {
                value
            });
        }
        Ok(from_elements(emitter, &values, ty))
    }

    /// The row-major byte offset of every register's element.
    fn offsets(
        &self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        layout: &DistributedLayout,
        bytes: u64,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let shape = layout.shape();
        let mut stride = bytes;
        let mut sum: Option<Value<'c, 'a>> = None;
        for axis in (0..shape.len()).rev() {
            let at = self
                .thread
                .coordinates(emitter, layout, axis)
                .map_err(|e| error_at(op, e.to_string()))?;
            let scale = emitter.int_like(at.r#type(), stride as i64);
            let term = emitter.binary("arith.muli", at, scale);
            sum = Some(sum.map_or(term, |sum| emitter.binary("arith.addi", sum, term)));
            stride *= u64::from(shape[axis]);
        }
        debug_assert!(shape_of(op.operand(0).map(|v| v.r#type()).unwrap_or(Type::none(self.context))).is_some());
        sum.ok_or_else(|| error_at(op, "a tile has a dimension"))
    }
}

/// For each register of `to` the register of `from` in the same thread that holds its element, if every one is there.
fn in_registers(from: &DistributedLayout, to: &DistributedLayout) -> Option<Vec<u32>> {
    let same = |f: &dyn Fn(&DistributedLayout) -> Vec<u32>| f(from) == f(to);
    let lanes = (0..5).all(|bit| same(&|l| l.coords(0, 1 << bit, 0).to_vec()));
    let warps = from.num_warps() == to.num_warps()
        && (0..from.num_warps().ilog2()).all(|bit| same(&|l| l.coords(0, 0, 1 << bit).to_vec()));
    if !(lanes && warps) {
        return None;
    }
    let at: FxHashMap<Vec<u32>, u32> = (0..from.num_registers())
        .rev()
        .map(|r| (from.coords(r, 0, 0).to_vec(), r))
        .collect();
    (0..to.num_registers())
        .map(|r| at.get(&to.coords(r, 0, 0).to_vec()).copied())
        .collect()
}
