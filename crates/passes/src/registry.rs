//! Every pass by its name, for `mytriton-opt` and for the compiler.

use melior::ir::OperationRef;
use melior::ir::r#type::TypeId;
use melior::pass::{ExternalPass, Pass, create_external};
use mytriton_tile_sys as sys;

use crate::analyses::infer_axis_info;
use crate::ir::PassResult;
use crate::layouts::{assign_layouts, coalesce_memory, optimize_thread_locality, propagate_layouts};
use crate::lower::convert_tile_to_gpu;
use crate::memory::{allocate_shared, insert_barriers};

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
    /// See [`infer_axis_info`](mod@infer_axis_info).
    tile_infer_axis_info,
    "tile-infer-axis-info",
    "Write down what is known of integers and addresses: contiguity, divisibility, constancy.",
    infer_axis_info::run
}

pass! {
    /// See [`assign_layouts`](mod@assign_layouts).
    tile_assign_layouts,
    "tile-assign-layouts",
    "Give every tile the default layout of its shape, with conversions where operations ask for others.",
    assign_layouts::run
}

pass! {
    /// See [`coalesce_memory`](mod@coalesce_memory).
    tile_coalesce_memory,
    "tile-coalesce-memory",
    "Give every load and store the layout in which a warp's accesses are few and wide.",
    coalesce_memory::run
}

pass! {
    /// See [`optimize_thread_locality`](mod@optimize_thread_locality).
    tile_optimize_thread_locality,
    "tile-optimize-thread-locality",
    "Take reductions out of loops that combine them, and propose layouts in which reductions stay within warps. Sums of \
     floats may round otherwise.",
    optimize_thread_locality::run
}

pass! {
    /// See [`propagate_layouts`](mod@propagate_layouts).
    tile_propagate_layouts,
    "tile-propagate-layouts",
    "Choose layouts so that little moves: remove, hoist and rematerialise conversions by cost.",
    propagate_layouts::run
}

pass! {
    /// See [`allocate_shared`](mod@allocate_shared).
    tile_allocate_shared,
    "tile-allocate-shared",
    "Allocate shared memory for buffers and exchanges between threads; those that are never live at once share it.",
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
        tile_infer_axis_info,
        tile_assign_layouts,
        tile_coalesce_memory,
        tile_optimize_thread_locality,
        tile_propagate_layouts,
        tile_allocate_shared,
        tile_insert_barriers,
        convert_tile_to_gpu,
    ] {
        sys::register_pass(factory);
    }
}
