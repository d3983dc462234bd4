//! Reading MLIR text with the name of the file that it is from.

mod guard;

use crate::{attributes::emit_error, ffi};
use melior::{
    Context, StringRef,
    ir::{Location, Module},
};

pub use guard::{MAX_EXPANSION, MAX_NESTING};

/// Parses and verifies a module whose locations name `file`; none, after diagnostics, if the text is no valid module, or
/// one that MLIR's parser would not survive: nested more than [`MAX_NESTING`] deep, with aliases that stand for more than
/// [`MAX_EXPANSION`] bytes, or with an `array<index: ...>`.
pub fn parse_module<'c>(context: &'c Context, text: &str, file: &str) -> Option<Module<'c>> {
    if let Err(refusal) = guard::check(text) {
        let location = Location::new(context, file, refusal.line, refusal.column);
        emit_error(location, &refusal.to_string());
        return None;
    }
    let (text, file) = (StringRef::new(text), StringRef::new(file));
    // SAFETY: the context is live and both strings outlive the call, which copies them; a module that comes back is
    // owned by the caller.
    unsafe {
        let module = ffi::mytritonParseModule(context.to_raw(), text.to_raw(), file.to_raw());
        (!module.ptr.is_null()).then(|| Module::from_raw(module))
    }
}
