//! MLIR contexts with what the compiler needs, and the passes known to textual pipelines.

use std::sync::Once;

use melior::Context;
use melior::dialect::DialectRegistry;
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
