//! Reading MLIR text with the name of the file that it is from.

use crate::ffi;
use melior::{Context, StringRef, ir::Module};

/// Parses and verifies a module whose locations name `file`; none, after diagnostics, if the text is no valid module.
pub fn parse_module<'c>(context: &'c Context, text: &str, file: &str) -> Option<Module<'c>> {
    let (text, file) = (StringRef::new(text), StringRef::new(file));
    // SAFETY: the context is live and both strings outlive the call, which copies them; a module that comes back is
    // owned by the caller.
    unsafe {
        let module = ffi::mytritonParseModule(context.to_raw(), text.to_raw(), file.to_raw());
        (!module.ptr.is_null()).then(|| Module::from_raw(module))
    }
}
