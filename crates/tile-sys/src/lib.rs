//! FFI to the tile dialect: its C API and the mytriton-opt and language-server entry points.
//!
//! This is the only crate that knows of the C++ under `dialects/`. Its build script generates and compiles it; what
//! comes out here are safe functions over melior's handles:
//!
//! - [`dialect_handle`] and [`register_all_dialects`] bring the dialect into a context;
//! - [`ptr_type`], [`buffer_type`] and [`layout_attribute`] make the dialect's types and attributes, checked, and
//!   [`ptr_pointee`], [`LayoutRef`] and [`BufferRef`] read them;
//! - [`enum_attribute`], [`float_bits`], [`llvm_array`] and the like make and read attributes and types of upstream
//!   dialects where MLIR's own C API lacks the function;
//! - [`memory_effects`] asks an operation what it does to memory;
//! - [`register_pass`] and [`register_upstream_passes`] make passes known to textual pipelines;
//! - [`opt_main`] and [`lsp_main`] are the command-line tools;
//! - [`collect_diagnostics`] and [`verify`] turn what MLIR reports into values, [`place_of`] and [`place_text`] its
//!   locations into files, lines and columns.
//!
//! In the other direction C++ calls the layout algebra: the verifier of a tensor with a `#tile.layout` encoding asks
//! `mytriton-layout` through one C function.
//!
//! ```
//! use melior::{Context, dialect::DialectRegistry, ir::{Location, Type}};
//!
//! let registry = DialectRegistry::new();
//! mytriton_tile_sys::register_all_dialects(&registry);
//! let context = Context::new();
//! context.append_dialect_registry(&registry);
//! context.load_all_available_dialects();
//!
//! let pointer = mytriton_tile_sys::ptr_type(Location::unknown(&context), Type::float32(&context)).unwrap();
//! assert_eq!(pointer.to_string(), "!tile.ptr<f32>");
//! ```

mod attributes;
mod buffer;
mod context;
mod diagnostics;
mod dialect;
mod effects;
mod ffi;
mod layout_check;
mod location;
mod parse;
mod tools;
mod upstream;

pub use attributes::{LayoutBases, LayoutIndex, LayoutRef, emit_error, layout_attribute};
pub use buffer::{BufferRef, buffer_type};
pub use context::{detach, set_attribute, with_context};
pub use diagnostics::{Report, Severity, collect_diagnostics, verify};
pub use dialect::{dialect_handle, lowering_dialect_handles, ptr_pointee, ptr_type, register_all_dialects};
pub use effects::{Effect, EffectKind, Resource, memory_effects};
pub use location::{place_of, place_text};
pub use parse::{MAX_EXPANSION, MAX_NESTING, parse_module};
pub use tools::{ToolError, lsp_main, opt_main, register_pass, register_upstream_passes};
pub use upstream::{
    LlvmStruct, dense_bytes, enum_attribute, enum_attribute_value, float_bits, is_scalable, is_strided_layout,
    ld_st_matrix_shape_attribute, llvm_array, llvm_pointer, llvm_struct, nvvm_shape,
};
