//! The context that an operation belongs to, and taking operations out of their block.

use melior::{
    Context,
    ir::{
        Attribute, Operation, OperationRef, operation::OperationLike, operation::OperationMutLike,
        operation::OperationRefMut,
    },
};
use mlir_sys::mlirOperationRemoveFromParent;

/// The context of an operation, for as long as the operation's types live.
pub fn context_of<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> &'c Context {
    // SAFETY: an operation's context outlives it and everything of lifetime `'c` in it. melior's `ContextRef` derefs
    // only for its own, shorter borrow.
    unsafe { operation.context().to_ref() }
}

/// Takes an operation out of its block and gives it over: dropped, it is destroyed with all that it holds. None of its
/// results may still be used, and references to it are dead from then on.
pub fn detach<'c: 'a, 'a>(operation: OperationRefMut<'c, 'a>) -> Operation<'c> {
    let raw = operation.to_raw();
    // SAFETY: the operation is live; once out of its block nothing else owns it.
    unsafe {
        mlirOperationRemoveFromParent(raw);
        Operation::from_raw(raw)
    }
}

/// Sets an attribute of an operation that is referred to elsewhere too: a pass's own operation, or one just made.
pub fn set_attribute<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, name: &str, value: Attribute<'c>) {
    // SAFETY: the operation is live, and setting an attribute moves nothing that other references lead to.
    let mut operation = unsafe { OperationRefMut::from_raw(operation.to_raw()) };
    operation.set_attribute(name, value);
}
