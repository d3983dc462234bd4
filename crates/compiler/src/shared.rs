//! Shared memory beyond what every kernel may have.
//!
//! A variable of up to 48 KiB is a kernel's as it is loaded. More the launch has to ask for, as dynamic shared memory, of
//! which the code says only where it begins (CUDA C++ Programming Guide, "Compute Capabilities"). Up to the `llvm` stage
//! there is one variable of the size that is needed, so that the stages stay whole by themselves.

use melior::dialect::llvm::{self, attributes::Linkage};
use melior::ir::attribute::{IntegerAttribute, TypeAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Module, Type};
use mytriton_codegen_ptx::Target;
use mytriton_passes::ir::{CAPABILITY, blocks_of, kernels_of, ops_of};
use mytriton_passes::memory::STATIC_SHARED_BYTES;
use mytriton_passes::memory::allocate_shared::LIMIT;
use mytriton_tile::ops::{gpu::GPUModuleOp, llvm::GlobalOp};
use mytriton_tile::types::integer;
use mytriton_tile_sys as sys;

/// The address space of shared memory in the llvm dialect.
const SHARED: i32 = 3;

/// Tells the passes which target a kernel is for, and how much shared memory there is.
pub(crate) fn set_target(module: &Module<'_>, target: Target) {
    let operation = module.as_operation();
    sys::with_context(&operation, |context| {
        let ty: Type = IntegerType::new(context, 32).into();
        let (major, minor) = target.compute_capability();
        let facts = [(LIMIT, target.max_shared_bytes()), (CAPABILITY, 10 * major + minor)];
        for kernel in kernels_of(operation) {
            for (name, number) in facts {
                sys::set_attribute(kernel, name, IntegerAttribute::new(ty, i64::from(number)).into());
            }
        }
    });
}

/// Makes the variable of a module in the `llvm` stage dynamic shared memory if it is too large, and gives the bytes that a
/// launch has to ask for: 0 if it is not.
pub(crate) fn make_dynamic(module: &Module<'_>) -> u32 {
    let modules = blocks_of(module.as_operation()).into_iter().flat_map(ops_of);
    let inside = modules
        .filter_map(GPUModuleOp::cast)
        .flat_map(|module| ops_of(module.body_region()));
    let mut largest = 0;
    for global in inside.filter_map(GlobalOp::cast) {
        if global.addr_space() != Some(SHARED) {
            continue;
        }
        let bytes = bytes_of(global.global_type()).unwrap_or(0);
        if u64::from(bytes) <= STATIC_SHARED_BYTES {
            continue;
        }
        largest = largest.max(bytes);
        let operation = global.operation();
        sys::with_context(&operation, |context| {
            let open = llvm::r#type::array(IntegerType::new(context, 8).into(), 0);
            let external = llvm::attributes::linkage(context, Linkage::External);
            sys::set_attribute(operation, "global_type", TypeAttribute::new(open).into());
            sys::set_attribute(operation, "linkage", external);
        });
    }
    largest
}

/// The size of `!llvm.array<N x i8>`.
fn bytes_of(ty: Type<'_>) -> Option<u32> {
    let (count, element) = sys::llvm_array(ty)?;
    let bytes = integer(element).is_some_and(|element| element.width() == 8);
    u32::try_from(count).ok().filter(|_| bytes)
}
