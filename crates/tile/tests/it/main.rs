//! Typed SSA to the tile dialect and back, and the bindings of the dialect's operations.

mod errors;
mod ops;
mod round_trip;

// Kernels with every operation, and the equality that does not see ids.
#[allow(dead_code)] // Its strategy is for tests that need no more than kernels.
#[path = "../../../ssa/tests/text/generate.rs"]
mod generate;
#[path = "../../../ssa/tests/text/same.rs"]
mod same;

use melior::Context;
use melior::dialect::DialectRegistry;
use mytriton_tile_sys as sys;

/// A context with the dialects of the `tile` stage.
fn context() -> Context {
    let registry = DialectRegistry::new();
    sys::register_all_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    for dialect in ["tile", "func", "arith", "math", "scf"] {
        context.get_or_load_dialect(dialect);
    }
    context
}
