//! MLIR contexts with what the compiler needs, and the passes known to textual pipelines.

use std::sync::Once;

use melior::Context;
use melior::dialect::{DialectHandle, DialectRegistry};
use mytriton_tile_sys as sys;

/// Makes every pass of ours and of MLIR that pipelines name known, once per process.
pub fn register_passes() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        sys::register_upstream_passes();
        mytriton_passes::registry::register_all();
    });
}

/// A context for one compilation, without threads of its own: kernels are small, and the caller may compile several at
/// once.
pub fn new_context() -> Context {
    register_passes();
    let registry = DialectRegistry::new();
    sys::register_all_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    for dialect in ["tile", "func", "arith", "math", "scf", "gpu", "vector", "llvm"] {
        context.get_or_load_dialect(dialect);
    }
    context
}

/// The dialects of the `tile` stage without layouts, which typed SSA has a form for.
const SOURCE_DIALECTS: [&str; 4] = ["tile", "arith", "math", "scf"];

/// A context that knows the dialects that a kernel's source may use, with func, and no others: texts from outside do not
/// reach the parsers of the rest.
pub fn source_context() -> Context {
    let registry = DialectRegistry::new();
    let handles = sys::lowering_dialect_handles();
    let handles = handles.into_iter().filter(|handle| {
        handle
            .namespace()
            .as_str()
            .is_ok_and(|name| SOURCE_DIALECTS.contains(&name))
    });
    for handle in handles.chain([DialectHandle::func()]) {
        handle.insert_dialect(&registry);
    }
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();
    context
}
