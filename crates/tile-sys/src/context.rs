//! The context that an operation belongs to, and taking operations out of their block.

use melior::{
    Context,
    ir::{
        Attribute, Operation, OperationRef, operation::OperationLike, operation::OperationMutLike,
        operation::OperationRefMut,
    },
};
use mlir_sys::mlirOperationRemoveFromParent;

/// Calls `f` with the context of an operation.
///
/// melior's `ContextRef` holds the handle that a `&Context` points to, so that the reference is good only while it
/// lives: hence a scope. What is made with it keeps the handle, not the reference, and may outlive the call.
pub fn with_context<'c: 'a, 'a, R>(operation: &impl OperationLike<'c, 'a>, f: impl FnOnce(&'c Context) -> R) -> R {
    let context = operation.context();
    // SAFETY: an operation's context outlives `'c`, and the handle that the reference points to lives until `f` returns.
    f(unsafe { context.to_ref() })
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
