//! Unique C++ names that stay close to those of the user's source.

use mytriton_ssa::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap;

/// Words that a variable cannot have or would hide: keywords, our own names, and the functions that code calls.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "atomic_cancel",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq", //
    "i8",
    "u8",
    "i16",
    "u16",
    "i32",
    "u32",
    "i64",
    "u64",
    "f16",
    "bf16",
    "f32",
    "f64", //
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "rintf",
    "fabsf",
    "fmodf",
    "rint",
    "fabs",
    "fmod",
    "assert",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "signbit",
    "isnan",
];

/// Gives names that were not given before.
#[derive(Debug, Default)]
pub(crate) struct Namer {
    /// How often each stem was asked for.
    taken: FxHashMap<String, u32>,
    unnamed: u32,
}

impl Namer {
    /// Keeps a name of our own from being given.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned(), 1);
    }

    /// A name for something without one of its own.
    pub(crate) fn fresh(&mut self) -> String {
        let number = self.unnamed;
        self.unnamed += 1;
        self.unique(&format!("v{number}"))
    }

    /// The wanted name, changed where it has to be: characters, reserved words, repetitions.
    pub(crate) fn unique(&mut self, wanted: &str) -> String {
        let mut name = identifier(wanted);
        while let Some(count) = self.taken.get_mut(&name) {
            let candidate = format!("{name}_{count}");
            *count += 1;
            if !self.taken.contains_key(&candidate) {
                name = candidate;
                break;
            }
        }
        self.taken.insert(name.clone(), 1);
        name
    }
}

/// The nearest identifier that is neither reserved, nor hides a function or typedef, nor may be a macro.
fn identifier(wanted: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = wanted.chars().map(keep).collect();
    while name.contains("__") {
        name = name.replace("__", "_");
    }
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || name.starts_with("mt_") {
        name.insert_str(0, if name.starts_with('_') { "v" } else { "v_" });
    }
    let macro_like = name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
    if RESERVED.contains(&&*name) || is_function(&name) || macro_like {
        name.push_str(if name.ends_with('_') { "v" } else { "_" });
    }
    name
}

/// Is it a function of CUDA for an operation of the same name, in double or single precision?
fn is_function(name: &str) -> bool {
    let names = (UnaryOp::ALL.iter().map(|op| op.name())).chain(BinaryOp::ALL.iter().map(|op| op.name()));
    names.into_iter().any(|function| {
        name.strip_prefix(function)
            .is_some_and(|rest| rest.is_empty() || rest == "f")
    })
}

/// The name of the kernel's function: never that of a function of CUDA.
pub(crate) fn entry(kernel: &str) -> String {
    if kernel.ends_with("_kernel") {
        kernel.to_owned()
    } else {
        format!("{kernel}_kernel")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_allowed() {
        let mut namer = Namer::default();
        namer.reserve("i0");
        let mut give = |wanted| namer.unique(wanted);
        assert_eq!(
            [give("x"), give("x"), give("x_1"), give("x")],
            ["x", "x_1", "x_1_1", "x_2"]
        );
        assert_eq!(
            [give("float"), give("exp"), give("float_")],
            ["float_", "exp_", "float__1"]
        );
        assert_eq!([give("BLOCK"), give("N"), give("i0")], ["BLOCK_", "N", "i0_1"]);
        assert_eq!(
            [give("_a"), give("a__b"), give("3"), give("é"), give("mt_at")],
            ["v_a", "a_b", "v_3", "v_", "v_mt_at"]
        );
    }
}
