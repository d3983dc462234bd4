//! MLIR's llvm and nvvm dialects to an LLVM module.

use inkwell::context::{AsContextRef, Context};
use inkwell::module::Module;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Attribute, BlockLike, RegionLike};
use melior::utility::register_all_llvm_translations;
use mytriton_tile::ops::gpu;

use crate::diagnostics::MlirDiagnostics;
use crate::error::Error;
use crate::machine::{TRIPLE, data_layout};

/// Translates the functions of `operation` into an LLVM module in `context`, with NVPTX's triple and data layout.
///
/// `operation` is a `gpu.module`, or a `builtin.module` that holds exactly one `gpu.module` or the functions
/// themselves. It is not changed. The translations that the MLIR context needs are registered here.
///
/// # Errors
/// [`Error::SeveralDeviceModules`]; [`Error::Translation`] with MLIR's messages, for instance about an operation of
/// another dialect that was never lowered.
pub fn translate<'ll>(operation: OperationRef<'_, '_>, context: &'ll Context) -> Result<Module<'ll>, Error> {
    let context_ref = operation.context();
    // SAFETY: the result is used in this function alone, where `context_ref` and the real context live.
    let mlir_context = unsafe { context_ref.to_ref() };
    // Idempotent, and some microseconds after the first time: the context compares registries before it takes one.
    register_all_llvm_translations(mlir_context);
    let diagnostics = MlirDiagnostics::attach(mlir_context);

    // A copy, since translation edits the module: it inserts blocks and gets the layout below.
    let mut copy = (*device_module(operation)?).clone();
    // The layout must be there before translation, which takes each access's natural alignment from it.
    for (name, value) in [("llvm.data_layout", data_layout()?), ("llvm.target_triple", TRIPLE)] {
        let value: Attribute<'_> = StringAttribute::new(mlir_context, value).into();
        copy.set_discardable_attribute(name, value);
    }

    // SAFETY: the operation and the LLVM context are live; the translation reads both during the call alone.
    let module = unsafe { mlir_sys::mlirTranslateModuleToLLVMIR(copy.to_raw(), context.as_ctx_ref().cast()) };
    if module.is_null() {
        let messages = diagnostics.take_errors();
        return Err(Error::Translation(if messages.is_empty() {
            "MLIR gave no reason".to_owned()
        } else {
            messages
        }));
    }
    // SAFETY: the module is new, owned by the caller by MLIR's contract, and lives in `context`.
    Ok(unsafe { Module::new(module.cast()) })
}

/// The operation whose functions are device code: the `gpu.module` inside `operation` if there is one, else itself.
///
/// # Errors
/// [`Error::SeveralDeviceModules`] if there are more.
pub fn device_module<'c, 'a>(operation: OperationRef<'c, 'a>) -> Result<OperationRef<'c, 'a>, Error> {
    let is_device = |operation| gpu::GPUModuleOp::cast(operation).is_some();
    if is_device(operation) {
        return Ok(operation);
    }
    let mut found = Vec::new();
    if let Some(block) = operation.regions().next().and_then(|region| region.first_block()) {
        let mut next = block.first_operation();
        while let Some(current) = next {
            if is_device(current) {
                found.push(current);
            }
            next = current.next_in_block();
        }
    }
    match found[..] {
        [] => Ok(operation),
        [one] => Ok(one),
        _ => {
            let names = found
                .iter()
                .map(|module| symbol_name(*module))
                .collect::<Vec<_>>()
                .join(", ");
            Err(Error::SeveralDeviceModules {
                count: found.len(),
                names,
            })
        }
    }
}

/// The name of a function or module; `?` for an operation that is no symbol.
pub(crate) fn symbol_name(operation: OperationRef<'_, '_>) -> String {
    let name = operation
        .attribute("sym_name")
        .ok()
        .and_then(|name| StringAttribute::try_from(name).ok());
    name.map_or_else(|| "?".to_owned(), |name| name.value().to_owned())
}
