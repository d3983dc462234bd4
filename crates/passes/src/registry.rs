//! Every pass by its name, for `mytriton-opt` and for the compiler.

use melior::ir::OperationRef;
use melior::ir::r#type::TypeId;
use melior::pass::{ExternalPass, Pass, create_external};
use mytriton_tile_sys as sys;

use crate::ir::PassResult;
use crate::{allocate_shared, assign_layouts, convert_tile_to_gpu, insert_barriers};

/// Defines a pass as an MLIR pass on `builtin.module`.
macro_rules! pass {
    ($(#[$doc:meta])* $function:ident, $argument:literal, $description:literal, $run:expr) => {
        $(#[$doc])*
        pub fn $function() -> Pass {
            #[repr(align(8))]
            struct Id;
            static ID: Id = Id;
            let run = |module: OperationRef<'_, '_>, pass: ExternalPass<'_>| finish($run(module), pass);
            create_external(run, TypeId::create(&ID), $argument, $argument, $description, "builtin.module", &sys::lowering_dialect_handles())
        }
    };
}

fn finish(result: PassResult<'_>, pass: ExternalPass<'_>) {
    if let Err(error) = result {
        sys::emit_error(error.location, &error.message);
        pass.signal_failure();
    }
}

pass! {
    /// See [`assign_layouts`](mod@assign_layouts).
    tile_assign_layouts,
    "tile-assign-layouts",
    "Give every tile a layout: blocked along contiguous addresses, so that elementwise kernels move no data.",
    assign_layouts::run
}

pass! {
    /// See [`allocate_shared`](mod@allocate_shared).
    tile_allocate_shared,
    "tile-allocate-shared",
    "Plan where in shared memory buffers and exchanges between threads lie, several of them in one place in turn.",
    allocate_shared::run
}

pass! {
    /// See [`insert_barriers`](mod@insert_barriers).
    tile_insert_barriers,
    "tile-insert-barriers",
    "Order a program's accesses of memory by barriers where different threads may touch one address.",
    insert_barriers::run
}

pass! {
    /// See [`convert_tile_to_gpu`](mod@convert_tile_to_gpu).
    convert_tile_to_gpu,
    "convert-tile-to-gpu",
    "Turn kernels on tiles with layouts into one thread's program: vectors, addresses, predicated accesses.",
    convert_tile_to_gpu::run
}

/// Makes every pass known to textual pipelines.
pub fn register_all() {
    for factory in [
        tile_assign_layouts,
        tile_allocate_shared,
        tile_insert_barriers,
        convert_tile_to_gpu,
    ] {
        sys::register_pass(factory);
    }
}
