//! What to write in the place of what kernels do not have: names of Triton's language, and arguments in its form.

use proc_macro2::Ident;
use syn::{Expr, ExprPath, Result};

use crate::context::{dtype_variant, error};

const NO_ATOMICS: &str =
    "there are no atomic operations; programs write to places of their own, which a second kernel sums";
const NO_RANDOM: &str = "there are no random numbers; pass a tile of them";
const NO_OUTPUT: &str =
    "kernels print nothing and stop nowhere; store what you want to see, and run it on the CPU device";
const NO_HINT: &str = "the compiler takes such facts from the arguments of the launch";
const NO_BLOCK_POINTER: &str = "tiles of pointers are computed: `p + rows * stride + columns`";
const NO_PRODUCT: &str =
    "there are no products of matrices; small ones are `sum(a.at(.., .., None) * b.at(None, .., ..), 1)`";

/// Names of Triton's language that are no builtins, with what stands for them. Device functions may not have them.
const NAMES: &[(&str, &str)] = &[
    ("arange", "a tile of numbers is `range(a, b)`"),
    ("view", "write `reshape(x, [..])`"),
    (
        "broadcast",
        "operands are broadcast where their shapes differ; `broadcast_to(x, [..])` says a shape",
    ),
    ("fdiv", "write `x / y`"),
    ("umulhi", "write `((x as u64 * y as u64) >> 32) as u32`"),
    ("dot", NO_PRODUCT),
    ("dot_scaled", NO_PRODUCT),
    ("atomic_add", NO_ATOMICS),
    ("atomic_and", NO_ATOMICS),
    ("atomic_cas", NO_ATOMICS),
    ("atomic_max", NO_ATOMICS),
    ("atomic_min", NO_ATOMICS),
    ("atomic_or", NO_ATOMICS),
    ("atomic_xchg", NO_ATOMICS),
    ("atomic_xor", NO_ATOMICS),
    ("philox", NO_RANDOM),
    ("rand", NO_RANDOM),
    ("rand4x", NO_RANDOM),
    ("randint", NO_RANDOM),
    ("randint4x", NO_RANDOM),
    ("randn", NO_RANDOM),
    ("randn4x", NO_RANDOM),
    ("device_assert", NO_OUTPUT),
    ("device_print", NO_OUTPUT),
    ("print", NO_OUTPUT),
    ("static_print", NO_OUTPUT),
    ("assume", NO_HINT),
    ("max_constancy", NO_HINT),
    ("max_contiguous", NO_HINT),
    ("multiple_of", NO_HINT),
    ("advance", NO_BLOCK_POINTER),
    ("load_tensor_descriptor", NO_BLOCK_POINTER),
    ("make_block_ptr", NO_BLOCK_POINTER),
    ("make_tensor_descriptor", NO_BLOCK_POINTER),
    ("store_tensor_descriptor", NO_BLOCK_POINTER),
    (
        "debug_barrier",
        "a kernel is one program on tiles: the compiler places the barriers",
    ),
    ("inline_asm_elementwise", "there is no inline PTX"),
];

/// What stands for a name of Triton's.
pub(crate) fn of_name(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
}

/// Triton's name of an element type, as Rust has it.
fn element_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "int1" => "bool",
        "int8" => "i8",
        "int16" => "i16",
        "int32" => "i32",
        "int64" => "i64",
        "uint8" => "u8",
        "uint16" => "u16",
        "uint32" => "u32",
        "uint64" => "u64",
        "float16" => "f16",
        "bfloat16" => "bf16",
        "float32" => "f32",
        "float64" => "f64",
        _ => return None,
    })
}

/// What stands for `tl.name`.
pub(crate) fn of_prefixed(name: &str) -> String {
    match (element_type(name), of_name(name)) {
        (Some(ty), _) => format!("the element type is `{ty}`"),
        (None, Some(advice)) => advice.to_owned(),
        (None, None) => format!("builtins have no prefix, `{name}(..)`"),
    }
}

/// What follows a wrong number of arguments: where those that Triton's function takes are written.
pub(crate) fn of_arguments(builtin: &str, found: usize) -> Option<String> {
    Some(match (builtin, found) {
        ("load", 2) => "the mask follows: `load(p).mask(m)`".to_owned(),
        ("load", 3..) => "mask and other value follow: `load(p).mask(m).other(v)`".to_owned(),
        ("store", 3..) => "the mask follows: `store(p, v).mask(m)`".to_owned(),
        ("range", 1) => "both ends are given: `range(0, n)`".to_owned(),
        ("sum" | "max" | "min" | "argmax" | "argmin" | "xor_sum", 3) => {
            format!("the dimension is kept by `expand_dims({builtin}(x, axis), axis)`")
        }
        _ => return None,
    })
}

/// What `x.name(..)` with one argument means in Rust, where the builtin of that name is a reduction.
pub(crate) fn of_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "max" => "the larger of two is `.maximum(..)`; `max(x, axis)` reduces",
        "min" => "the smaller of two is `.minimum(..)`; `min(x, axis)` reduces",
        _ => return None,
    })
}

/// Refuses arguments with names.
pub(crate) fn refuse_named<'a>(args: impl IntoIterator<Item = &'a Expr>) -> Result<()> {
    for arg in args {
        if let Expr::Assign(named) = arg {
            return error(
                &named.left,
                "arguments have no names in kernels: write the value alone, in its place",
            );
        }
    }
    Ok(())
}

/// Refuses functions of types, such as `f16::from_f32`, which are the host's.
pub(crate) fn refuse_host(path: &ExprPath) -> Result<()> {
    let segments: Vec<&Ident> = path.path.segments.iter().map(|segment| &segment.ident).collect();
    let [.., ty, _] = segments[..] else {
        return Ok(());
    };
    let is_type = dtype_variant(ty).is_some() || ty.to_string().starts_with(char::is_uppercase);
    match is_type {
        true => error(
            path,
            "functions of types run on the host: in a kernel write a literal, as `1.0_f16`, or `x as f16`",
        ),
        false => Ok(()),
    }
}
