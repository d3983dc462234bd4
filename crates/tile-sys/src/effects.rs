//! What operations do to memory, by MLIR's memory effect interface.

use std::ffi::c_void;

use melior::ir::OperationRef;

use crate::ffi;

/// An effect of an operation on memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Effect {
    /// What is done.
    pub kind: EffectKind,
    /// To which memory.
    pub resource: Resource,
}

/// What is done to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum EffectKind {
    Read,
    Write,
    Allocate,
    Free,
}

/// Which memory an effect is on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Resource {
    /// MLIR's default resource: global memory.
    Global,
    /// Shared memory, by the tile dialect.
    Shared,
    /// A resource of another dialect.
    Other,
}

/// The effects of an operation and of those within it, as their ODS definitions state them; `None` if they are not known,
/// since one of them does not implement the interface.
pub fn memory_effects(operation: OperationRef<'_, '_>) -> Option<Vec<Effect>> {
    let mut effects: Vec<Effect> = Vec::new();
    let user_data = (&raw mut effects).cast::<c_void>();
    // SAFETY: the operation is live, and the vector outlives the call, during which nothing else refers to it.
    let known = unsafe { ffi::mytritonOperationForEachEffect(operation.to_raw(), Some(push), user_data) };
    known.then_some(effects)
}

unsafe extern "C" fn push(kind: u32, resource: u32, user_data: *mut c_void) {
    // The numbers of `MytritonEffectKind` and `MytritonResource`.
    let kind = match kind {
        0 => EffectKind::Read,
        2 => EffectKind::Allocate,
        3 => EffectKind::Free,
        _ => EffectKind::Write,
    };
    let resource = match resource {
        0 => Resource::Global,
        1 => Resource::Shared,
        _ => Resource::Other,
    };
    // SAFETY: `memory_effects` passes its vector, which nothing else refers to during the call.
    let effects = unsafe { &mut *user_data.cast::<Vec<Effect>>() };
    effects.push(Effect { kind, resource });
}
