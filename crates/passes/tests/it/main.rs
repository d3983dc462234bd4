//! What the passes claim and make, against brute force.

mod axis_info;
mod evaluate;
#[path = "../../../ssa/tests/support/machine.rs"]
mod machine;

use melior::Context;
use melior::dialect::DialectRegistry;
use mytriton_tile_sys as sys;

/// A context with every dialect of the stages.
fn context() -> Context {
    let registry = DialectRegistry::new();
    sys::register_all_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    for dialect in ["tile", "func", "arith", "math", "scf", "gpu", "vector", "llvm"] {
        context.get_or_load_dialect(dialect);
    }
    context
}
