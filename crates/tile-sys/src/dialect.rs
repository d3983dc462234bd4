//! The dialect itself and its pointer type.

use crate::ffi;
use melior::{
    dialect::{DialectHandle, DialectRegistry},
    ir::{Location, Type, TypeLike},
};

/// The handle of the tile dialect, to load or register it alone, or to name it as a pass's dependent dialect.
pub fn dialect_handle() -> DialectHandle {
    // SAFETY: the function has no preconditions and returns a handle to static data.
    unsafe { DialectHandle::from_raw(ffi::mlirGetDialectHandle__tile__()) }
}

/// Adds every dialect that a stage of the compiler uses to a registry: tile, func, arith, math, scf, cf, gpu, vector,
/// memref, index, ub, nvvm, llvm; with the interfaces that inlining and the conversions to llvm ask for.
pub fn register_all_dialects(registry: &DialectRegistry) {
    // SAFETY: a melior registry holds a live registry for as long as it is borrowed.
    unsafe { ffi::mytritonRegisterAllDialects(registry.to_raw()) }
}

/// `!tile.ptr` of a pointee, or `None` if the pointee is none of i1, i8, i16, i32, i64, f16, bf16, f32, f64; a
/// diagnostic at `location` then says so.
pub fn ptr_type<'c>(location: Location<'c>, pointee: Type<'c>) -> Option<Type<'c>> {
    // SAFETY: both handles are live and of one context, which the result's lifetime names.
    unsafe { Type::from_option_raw(ffi::mytritonTilePtrTypeGetChecked(location.to_raw(), pointee.to_raw())) }
}

/// The pointee of a `!tile.ptr`; `None` for any other type, tensors of pointers included.
pub fn ptr_pointee(ty: Type<'_>) -> Option<Type<'_>> {
    // SAFETY: the type is live; the pointee is asked for only after the type is known to be a `!tile.ptr`.
    unsafe {
        ffi::mytritonTypeIsATilePtr(ty.to_raw())
            .then(|| Type::from_raw(ffi::mytritonTilePtrTypeGetPointee(ty.to_raw())))
    }
}

/// The handles of the dialects that a pass may make operations of on the way from tiles to the llvm dialect: tile,
/// arith, math, scf, vector, gpu, nvvm and llvm.
pub fn lowering_dialect_handles() -> [DialectHandle; 8] {
    // SAFETY: the functions have no preconditions and return handles to static data.
    let (math, vector, nvvm) = unsafe {
        (
            DialectHandle::from_raw(mlir_sys::mlirGetDialectHandle__math__()),
            DialectHandle::from_raw(mlir_sys::mlirGetDialectHandle__vector__()),
            DialectHandle::from_raw(mlir_sys::mlirGetDialectHandle__nvvm__()),
        )
    };
    [
        dialect_handle(),
        DialectHandle::arith(),
        math,
        DialectHandle::scf(),
        vector,
        DialectHandle::gpu(),
        nvvm,
        DialectHandle::llvm(),
    ]
}
