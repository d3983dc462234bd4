//! `convert-tile-to-gpu`: one thread's program from a program on tiles. May change numerics within the bounds of
//! `docs/language.md`: approximate functions are chosen here.
//!
//! A tile becomes the vector of the elements that one thread holds, in the order of its registers; a pointer becomes its
//! 64-bit address. Scalars stay. What has a meaning per element (`arith`, `math`) is kept and applied to vectors;
//! control flow (`scf`) is kept with the new types. The kernel becomes a `gpu.func` in a `gpu.module`.
//!
//! Limits: tiles need layouts (`tile-assign-layouts`), what takes shared memory needs its place there
//! (`tile-allocate-shared`), and warps have 32 threads.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::FunctionType;
use melior::ir::{Block, Identifier, Operation, OperationRef, Region, RegionLike, Type, Value, ValueLike};
use mytriton_tile::emit::{Emitter, argument_of};
use mytriton_tile::ops::{gpu, llvm};
use mytriton_tile_sys as sys;

use crate::LANES;
use crate::interfaces::shared_memory::SCRATCH_ALIGNMENT;
use crate::ir::{PassResult, blocks_of, error_at, int_attribute, kernels_of, key, num_warps_of, put_in_place, remove};
use crate::lower::conversion::{Conversion, lowered_scalar};
use crate::lower::shared::scratch;
use crate::memory::SHARED_BYTES;

/// The name of the `gpu.module` that holds the kernels.
pub const MODULE: &str = "kernels";

/// Runs the conversion on a module.
pub fn run<'c: 'a, 'a>(module: OperationRef<'c, 'a>) -> PassResult<'c> {
    sys::with_context(&module, |context| {
        let kernels = kernels_of(module);
        let mut facts = ModuleFacts {
            functions: BTreeMap::new(),
            shared_bytes: 0,
            alignment: SCRATCH_ALIGNMENT,
        };
        let converted = kernels.iter().map(|&kernel| convert(context, kernel, &mut facts));
        let converted = converted.collect::<PassResult<Vec<_>>>()?;
        if let Some((&first, others)) = kernels.split_first() {
            put_in_place(first, device_module(context, first, &facts, converted));
            others.iter().for_each(|&kernel| remove(kernel));
        }
        sys::set_attribute(module, "gpu.container_module", melior::ir::Attribute::unit(context));
        Ok(())
    })
}

/// What the kernels of a module have in common.
pub struct ModuleFacts<'c> {
    /// Library functions that are called: name and type.
    pub functions: BTreeMap<String, Type<'c>>,
    /// The most bytes of shared memory that a kernel takes.
    shared_bytes: u64,
    /// The alignment of that memory, in bytes.
    pub alignment: u64,
}

/// `gpu.module { library functions, scratch memory, kernels }`.
fn device_module<'c>(
    context: &'c Context,
    first: OperationRef<'c, '_>,
    facts: &ModuleFacts<'c>,
    kernels: Vec<Operation<'c>>,
) -> Operation<'c> {
    let region = Region::new();
    let inside = Emitter::new(context, region.append_block(Block::new(&[])), first.location());
    for (name, ty) in &facts.functions {
        let attributes = [
            ("sym_name", inside.string_attribute(name)),
            ("function_type", inside.type_attribute(*ty)),
        ];
        inside.op_with_regions(llvm::FUNC, &[], &[], &attributes, vec![Region::new()]);
    }
    if facts.shared_bytes > 0 {
        scratch::declare(inside, facts.shared_bytes, facts.alignment);
    }
    let name = inside.string_attribute(MODULE);
    for kernel in kernels {
        inside.append(kernel);
    }
    OperationBuilder::new(gpu::MODULE, first.location())
        .add_attributes(&[(Identifier::new(context, "sym_name"), name)])
        .add_regions([region])
        .build()
        .expect("a module has no results to infer")
}

/// The `gpu.func` of a kernel.
fn convert<'c: 'a, 'a>(
    context: &'c Context,
    kernel: OperationRef<'c, 'a>,
    facts: &mut ModuleFacts<'c>,
) -> PassResult<'c, Operation<'c>> {
    let body = blocks_of(kernel)
        .first()
        .copied()
        .ok_or_else(|| error_at(kernel, "a kernel has a body"))?;
    let arguments: Vec<Value> = (0..body.argument_count()).map(|i| argument_of(body, i)).collect();
    let types: Vec<Type> = arguments.iter().map(|v| lowered_scalar(context, v.r#type())).collect();
    let region = Region::new();
    let block = region.append_block(Block::new(
        &types.iter().map(|&ty| (ty, kernel.location())).collect::<Vec<_>>(),
    ));
    let emitter = Emitter::new(context, block, kernel.location());
    let mut conversion = Conversion::new(emitter, kernel, facts);
    for (index, &argument) in arguments.iter().enumerate() {
        conversion.values.insert(key(argument), argument_of(block, index));
    }
    conversion.block(emitter, body)?;
    let bytes = int_attribute(kernel, SHARED_BYTES).unwrap_or(0);
    facts.shared_bytes = facts.shared_bytes.max(bytes.unsigned_abs());

    let name = kernel
        .attribute("sym_name")
        .map_err(|e| error_at(kernel, e.to_string()))?;
    let threads = i32::try_from(num_warps_of(kernel) * LANES).unwrap_or(i32::MAX);
    let attributes = [
        ("sym_name", name),
        (
            "function_type",
            emitter.type_attribute(FunctionType::new(context, &types, &[]).into()),
        ),
        ("gpu.kernel", emitter.unit()),
        (
            "known_block_size",
            DenseI32ArrayAttribute::new(context, &[threads, 1, 1]).into(),
        ),
    ];
    Ok(OperationBuilder::new(gpu::FUNC, kernel.location())
        .add_attributes(&attributes.map(|(name, value)| (Identifier::new(context, name), value)))
        .add_regions([region])
        .build()
        .expect("a function has no results to infer"))
}
