//! The context that an operation belongs to.

use melior::{Context, ir::operation::OperationLike};

/// The context of an operation, for as long as the operation's types live.
pub fn context_of<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> &'c Context {
    // SAFETY: an operation's context outlives it and everything of lifetime `'c` in it. melior's `ContextRef` derefs
    // only for its own, shorter borrow.
    unsafe { operation.context().to_ref() }
}
