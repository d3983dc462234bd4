//! Small kernels in text: what stands before and after optimising.

use std::collections::HashMap;
use std::fmt::Write;

use mytriton_ssa::{Kernel, OptLevel, RegionId, ValueId, optimise, parse_module, verify};

use crate::machine::{Cell, Memory};
use crate::memory::{refines, run, special};

pub fn parse(text: &str) -> Kernel {
    let module = parse_module(text, "case.ssa").unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.kernels.into_iter().next().expect("a kernel")
}

/// A kernel's text with values numbered in order, so that names and ids do not matter.
pub fn canonical(kernel: &Kernel) -> String {
    fn number(values: &mut HashMap<ValueId, usize>, v: ValueId) -> usize {
        let next = values.len();
        *values.entry(v).or_insert(next)
    }
    fn list(values: &mut HashMap<ValueId, usize>, ids: &[ValueId]) -> String {
        let names: Vec<String> = ids.iter().map(|&v| format!("%{}", number(values, v))).collect();
        names.join(", ")
    }
    fn walk(kernel: &Kernel, region: RegionId, values: &mut HashMap<ValueId, usize>, out: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        if !kernel.region(region).args.is_empty() {
            let args = list(values, &kernel.region(region).args);
            writeln!(out, "{indent}({args})").unwrap();
        }
        for &op in &kernel.region(region).ops {
            let data = kernel.op(op);
            let operands = list(values, &data.operands);
            let types: Vec<String> = data.results.iter().map(|&v| kernel.ty(v).to_string()).collect();
            let results = list(values, &data.results);
            writeln!(
                out,
                "{indent}{results} = {:?} {operands} : {}",
                data.kind,
                types.join(", ")
            )
            .unwrap();
            for &inner in &data.regions {
                walk(kernel, inner, values, out, depth + 1);
            }
        }
    }
    let mut values = HashMap::new();
    for param in kernel.params() {
        number(&mut values, param.value);
    }
    let mut out = String::new();
    walk(kernel, kernel.body(), &mut values, &mut out, 0);
    out
}

/// Optimises a copy, checking that it is valid and that optimising again changes nothing.
pub fn optimised(kernel: &Kernel, level: OptLevel) -> Kernel {
    verify(kernel).unwrap_or_else(|e| panic!("before: {e}\n{kernel}"));
    let mut result = kernel.clone();
    optimise(&mut result, level);
    verify(&result).unwrap_or_else(|e| panic!("{e}\nbefore:\n{kernel}\nafter:\n{result}"));
    let once = canonical(&result);
    let mut twice = result.clone();
    optimise(&mut twice, level);
    assert_eq!(once, canonical(&twice), "optimising twice differs from once:\n{kernel}");
    result
}

/// Checks that the text of a whole kernel optimises to another, names aside.
#[track_caller]
pub fn kernel_becomes(before: &str, after: &str) {
    let (before, after) = (parse(before), parse(after));
    let result = optimised(&before, OptLevel::Full);
    assert_eq!(
        canonical(&result),
        canonical(&after),
        "{before}\nbecomes\n{result}\nand not\n{after}"
    );
}

fn expand(ty: &str, out: &str, case: &str) -> String {
    let (body, stored) = case.split_once("=>").expect("'statements => stored value'");
    let body = body.replace(';', "\n").replace('$', ty);
    let stored = stored.trim();
    format!(
        "kernel @case(%out: ptr<{out}>, %x: {ty}, %y: {ty}, %z: {ty}, %b: i1) {{\n{body}\nstore %out, {stored} : ptr<{out}>\n}}"
    )
}

/// Checks that statements on `%x`, `%y`, `%z` of type `ty` (written `$` in them) and `%b: i1` are rewritten; a case is
/// `statements; separated => %stored`, the stored value being of type `out`. Also that both mean the same wherever
/// arguments are special.
#[track_caller]
pub fn becomes(ty: &str, out: &str, before: &str, after: &str) {
    let (before, after) = (expand(ty, out, before), expand(ty, out, after));
    kernel_becomes(&before, &after);
    let (before, after) = (parse(&before), parse(&after));
    let scalar = before.ty(before.params()[1].value).as_scalar().expect("a number");
    let result = |kernel: &Kernel, args: &[Cell]| {
        let mut memory = Memory::from([(0, vec![Cell::Open])]);
        run(kernel, args, &mut memory).expect("it runs");
        memory
    };
    for x in special(scalar) {
        for y in special(scalar) {
            for (z, b) in [(x, true), (y, false)] {
                let numbers = [x, y, z, mytriton_ssa::Const::bool(b)].map(Cell::Number);
                let args: Vec<Cell> = std::iter::once(Cell::Pointer(0, 0)).chain(numbers).collect();
                let (expected, found) = (result(&before, &args), result(&after, &args));
                assert!(
                    refines(&expected, &found),
                    "{args:?}: {expected:?} {found:?}\n{before}\n{after}"
                );
            }
        }
    }
}

/// Checks that the optimiser leaves the statements alone.
#[track_caller]
pub fn stays(ty: &str, out: &str, case: &str) {
    becomes(ty, out, case, case);
}
