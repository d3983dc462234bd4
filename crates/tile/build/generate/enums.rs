//! Enums that attributes hold: a Rust enum, or for flags a set of bits.

use std::fmt::Write;

use super::attribute::enum_path;
use super::{capitalised, escape, snake_case};
use crate::model::{Dialect, Enum, EnumStorage};

/// The Rust type of an enum, with what makes and reads its attribute.
pub fn enumeration(found: &Enum) -> String {
    match found.flags {
        true => flags(found),
        false => cases(found),
    }
}

/// A function for a test: does each enum read back what it makes? That is so if the C API knows it.
pub fn check(dialects: &[Dialect]) -> String {
    let mut checks = String::new();
    for dialect in dialects {
        for found in &dialect.enums {
            let path = enum_path(&format!("{}::{}", dialect.name, found.name));
            let cases = match found.flags {
                false => format!("{path}::ALL"),
                true => {
                    let cases = found
                        .cases
                        .iter()
                        .map(|(symbol, _)| format!("{path}::{}", flag_name(symbol)));
                    format!("[{}]", cases.collect::<Vec<_>>().join(", "))
                }
            };
            writeln!(
                checks,
                "    for case in {cases} {{\n        assert_eq!({path}::of(case.attribute(context)), Some(case));\n    }}"
            )
            .expect("a string grows");
        }
    }
    format!("\n#[cfg(test)]\nfn check_enums(context: &Context) {{\n{checks}}}\n")
}

fn cases(found: &Enum) -> String {
    let Enum { name, summary, .. } = found;
    let (mut cases, mut all) = (String::new(), Vec::new());
    for (symbol, number) in &found.cases {
        let case = case_name(symbol);
        writeln!(cases, "    /// `{symbol}`.\n    {case} = {number},").expect("a string grows");
        all.push(format!("Self::{case}"));
    }
    let number = number_type(&found.storage);
    let (read, make) = storage(&found.storage, &format!("self as {number}"));
    format!(
        "
/// {summary}.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::upper_case_acronyms)]
pub enum {name} {{
{cases}}}

impl {name} {{
    /// Every case, in the order of ODS.
    pub const ALL: [Self; {count}] = [{all}];

    /// The case that an attribute holds; none if it is an attribute of another kind.
    pub fn of(attribute: Attribute<'_>) -> Option<Self> {{
        let number = {read}?;
        Self::ALL.into_iter().find(|&case| case as {number} == number)
    }}

    /// The attribute that holds the case.
    pub fn attribute(self, context: &Context) -> Attribute<'_> {{
        {make}
    }}
}}
",
        summary = escape(summary),
        count = found.cases.len(),
        all = all.join(", "),
    )
}

fn flags(found: &Enum) -> String {
    let Enum { name, summary, .. } = found;
    let mut cases = String::new();
    for (symbol, number) in &found.cases {
        let case = flag_name(symbol);
        writeln!(
            cases,
            "    /// `{symbol}`.\n    pub const {case}: Self = {name}({number});"
        )
        .expect("a string grows");
    }
    let (read, make) = storage(&found.storage, "self.0");
    let number = number_type(&found.storage);
    format!(
        "
/// {summary}: a set of flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct {name}({number});

impl {name} {{
{cases}
    /// The flags that an attribute holds; none if it is an attribute of another kind.
    pub fn of(attribute: Attribute<'_>) -> Option<Self> {{
        Some({name}({read}?))
    }}

    /// The attribute that holds the flags.
    pub fn attribute(self, context: &Context) -> Attribute<'_> {{
        {make}
    }}

    /// Are all of the given flags set?
    pub const fn contains(self, flags: Self) -> bool {{
        self.0 & flags.0 == flags.0
    }}
}}

impl std::ops::BitOr for {name} {{
    type Output = Self;

    fn bitor(self, other: Self) -> Self {{
        {name}(self.0 | other.0)
    }}
}}
",
        summary = escape(summary),
    )
}

/// The expressions that read the number of an enum's attribute, and that make the attribute of the number `value`.
fn storage(storage: &EnumStorage, value: &str) -> (String, String) {
    match storage {
        EnumStorage::Dialect(attribute) => (
            format!("sys::enum_attribute_value({attribute:?}, attribute)"),
            format!("sys::enum_attribute(context, {attribute:?}, {value})"),
        ),
        EnumStorage::Integer(bits) => (
            "integer_value(attribute)".to_owned(),
            format!("make::integer(context, {bits}, {value})"),
        ),
    }
}

fn number_type(storage: &EnumStorage) -> &'static str {
    match storage {
        EnumStorage::Dialect(_) => "u32",
        EnumStorage::Integer(_) => "i64",
    }
}

/// An ODS symbol as the name of a flag.
fn flag_name(symbol: &str) -> String {
    snake_case(symbol).to_uppercase()
}

/// An ODS symbol as the name of a variant: `acq_rel` is `AcqRel`, `MINIMUMF` is `Minimumf`.
fn case_name(symbol: &str) -> String {
    let words = symbol.split('_').map(|word| {
        let shouted = word.chars().all(|c| !c.is_ascii_lowercase());
        capitalised(&if shouted {
            word.to_ascii_lowercase()
        } else {
            word.to_owned()
        })
    });
    words.collect()
}
