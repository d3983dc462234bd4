//! `convert-tile-to-gpu`: the lowering of tiles to one thread's program, a module per family of operations.
//!
//! | module | operations |
//! |---|---|
//! | `convert_tile_to_gpu` | the pass: modules and kernels |
//! | `conversion`, `thread`, `stored` | the core: what all families use |
//! | `elementwise` | `arith`, `math`, and the dialect's integer arithmetic |
//! | `index` | program ids, ranges, addresses |
//! | `memory` | loads and stores of global memory |
//! | `shared` | buffers |
//! | `exchange` | moving elements: conversions of layouts, shapes, joins and splits |
//! | `reduce` | reductions and scans |
//! | `gather`, `histogram` | what indices name |
//! | `control` | `scf` |
//!
//! A family holds the plans of its operations beside their lowering: values that follow from an operation and its layouts.
//! What they take of shared memory, other passes learn through
//! [`UsesSharedMemory`](crate::interfaces::shared_memory::UsesSharedMemory).

mod control;
mod conversion;
pub mod convert_tile_to_gpu;
mod elementwise;
mod exchange;
mod gather;
mod histogram;
mod index;
mod memory;
mod reduce;
pub mod shared;
mod stored;
mod thread;
