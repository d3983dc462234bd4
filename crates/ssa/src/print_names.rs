//! Unique, readable names for the values of one kernel.
//!
//! A value keeps the name of its source where it has one (`%acc`; a second of that name becomes `%acc_1`). Constants
//! are named after their value (`%c64`, `%cm1_i64`, `%ctrue`, `%cst`), the index of a loop is `%i`, all others are
//! numbered. Names are unique in the whole kernel, so that a message can quote a line by itself. Printing names that
//! were printed before gives the same names again: every name is free when its turn comes.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::constant::Const;
use crate::kernel::{Kernel, OpData, RegionId, ValueId};
use crate::op::OpKind;
use crate::types::Scalar;
use crate::verify::MAX_NESTING;

/// The names of all values that can be reached from a kernel's body.
#[derive(Debug)]
pub(crate) struct Names(Vec<Option<String>>);

impl Names {
    /// Names every value of the kernel, which need not be valid.
    pub(crate) fn of(kernel: &Kernel) -> Names {
        let mut namer = Namer {
            kernel,
            names: vec![None; kernel.value_count()],
            taken: FxHashSet::default(),
            suffixes: FxHashMap::default(),
            next_number: 0,
            seen: vec![false; kernel.region_count()],
        };
        for param in kernel.params() {
            namer.name(param.value, Some(&param.name));
        }
        namer.region(kernel.body(), 0, None);
        Names(namer.names)
    }

    /// The name of a value with its `%`; of one that is not reachable a placeholder that no text can have.
    pub(crate) fn get(&self, value: ValueId) -> Name<'_> {
        let name = self.0.get(value.index()).and_then(Option::as_deref);
        Name { name, value }
    }
}

/// A value's name, to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    name: Option<&'a str>,
    value: ValueId,
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => write!(f, "%{name}"),
            None => write!(f, "%<undefined {}>", self.value.index()),
        }
    }
}

struct Namer<'a> {
    kernel: &'a Kernel,
    names: Vec<Option<String>>,
    taken: FxHashSet<String>,
    /// The last suffix given to a repeated name, so that many repetitions stay cheap.
    suffixes: FxHashMap<String, u32>,
    next_number: u32,
    seen: Vec<bool>,
}

impl Namer<'_> {
    fn region(&mut self, region: RegionId, depth: usize, holder: Option<&OpData>) {
        let Some(seen) = self.seen.get_mut(region.index()) else {
            return;
        };
        if std::mem::replace(seen, true) || depth > MAX_NESTING {
            return;
        }
        let kernel = self.kernel;
        let data = kernel.region(region);
        for (index, &arg) in data.args.iter().enumerate() {
            let is_index = index == 0 && holder.is_some_and(|op| op.kind == OpKind::For);
            self.name(arg, is_index.then_some("i"));
        }
        for &op in data.ops.iter().filter(|op| op.index() < kernel.op_count()) {
            let op = kernel.op(op);
            let default = match op.kind {
                OpKind::Const(c) => Some(const_name(c)),
                _ => None,
            };
            for &result in &op.results {
                self.name(result, default.as_deref());
            }
            for &inner in &op.regions {
                self.region(inner, depth + 1, Some(op));
            }
        }
    }

    fn name(&mut self, value: ValueId, default: Option<&str>) {
        if self.names.get(value.index()).is_none_or(Option::is_some) {
            return;
        }
        let data = self.kernel.value(value);
        let hint = match data.def {
            // A parameter's name is part of the kernel's interface, the value's own name is not.
            crate::kernel::ValueDef::Param(_) => default.or(data.name.as_deref()),
            _ => data.name.as_deref().or(default),
        };
        let name = match hint.map(identifier) {
            Some(hint) => self.unique(hint),
            None => {
                self.next_number += 1;
                (self.next_number - 1).to_string()
            }
        };
        self.names[value.index()] = Some(name);
    }

    fn unique(&mut self, hint: String) -> String {
        if self.taken.insert(hint.clone()) {
            return hint;
        }
        let mut suffix = self.suffixes.get(&hint).copied().unwrap_or(0);
        let name = loop {
            suffix += 1;
            let name = format!("{hint}_{suffix}");
            if self.taken.insert(name.clone()) {
                break name;
            }
        };
        self.suffixes.insert(hint, suffix);
        name
    }
}

/// Is this a letter or underscore, then letters, digits and underscores, all ASCII?
pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The nearest identifier.
fn identifier(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut text: String = name.chars().map(keep).collect();
    if !is_identifier(&text) {
        text.insert(0, '_');
    }
    text
}

/// `c64` and `cm1` for an `i32`, `c64_i8` for other integers, `ctrue` and `cfalse`, `cst` for floats.
fn const_name(constant: Const) -> String {
    let Some(value) = constant.as_signed() else {
        return "cst".to_owned();
    };
    let sign = if value < 0 { "m" } else { "" };
    match constant.scalar() {
        Scalar::I1 => format!("c{constant}"),
        Scalar::I32 => format!("c{sign}{}", value.unsigned_abs()),
        other => format!("c{sign}{}_{other}", value.unsigned_abs()),
    }
}
