//! Control flow whose course is known: branches on constants, loops without a trip or with one, carried values that
//! never change.

#![warn(clippy::wildcard_enum_match_arm)]

use smallvec::smallvec;

use super::simplify::{Operands, Simplifier};
use crate::kernel::{Kernel, OpId, RegionId, ValueId};
use crate::op::{Effects, OpKind};

/// `for lower upper step initial { yield ... }`
pub(super) fn visit_for(simplifier: &mut Simplifier<'_>, op: OpId) {
    let data = simplifier.kernel.op(op);
    let body = data.regions[0];
    let (bounds, initial) = data.operands.split_at(3);
    let trips = trips(simplifier.kernel, bounds);
    let (lower, initial): (ValueId, Operands) = (bounds[0], initial.into());
    let results: Operands = data.results.iter().copied().collect();
    match trips {
        // A for without a trip gives the initial values.
        Some(Trips::None) => {
            simplifier.changed = true;
            replace_all(simplifier, &results, &initial);
            return;
        }
        // A for with one trip is its body, the index being the lower bound.
        Some(Trips::One) => {
            let arguments: Operands = std::iter::once(lower).chain(initial).collect();
            inline(simplifier, body, &arguments, 0, &results);
            return;
        }
        None => {}
    }
    // A carried value that every trip passes on as it came, or that every trip sets to the initial one, is that one.
    for (i, &start) in initial.iter().enumerate() {
        let arg = simplifier.kernel.region(body).args[i + 1];
        if stays(simplifier, passed(simplifier.kernel, body, i), arg, start) {
            replace_all(simplifier, &[arg, results[i]], &[start, start]);
        }
    }
    if stores(simplifier.kernel, body) {
        // A load before the loop does not see what the trip before this one stored.
        simplifier.forget_loads();
    }
    simplifier.region(body);
    simplifier.out.push(op);
}

/// `if condition { yield ... } else { yield ... }`
pub(super) fn visit_if(simplifier: &mut Simplifier<'_>, op: OpId) {
    let data = simplifier.kernel.op(op);
    let (condition, loc) = (data.operands[0], data.loc);
    let (then, otherwise) = (data.regions[0], data.regions[1]);
    let results: Operands = data.results.iter().copied().collect();
    // An if on a constant is the arm that it takes.
    if let Some(c) = simplifier.kernel.as_const(condition) {
        let taken = if c.bits() != 0 { then } else { otherwise };
        inline(simplifier, taken, &[], 0, &results);
        return;
    }
    simplifier.region(then);
    simplifier.region(otherwise);

    let pairs: Vec<(ValueId, ValueId)> = (0..results.len())
        .map(|i| {
            (
                passed(simplifier.kernel, then, i),
                passed(simplifier.kernel, otherwise, i),
            )
        })
        .collect();
    // Arms that compute nothing: if c { yield x } else { yield y } = select c x y. Constants that they hold move out.
    if [then, otherwise]
        .iter()
        .all(|&arm| computes_nothing(simplifier.kernel, arm))
    {
        simplifier.changed = true;
        for arm in [then, otherwise] {
            let mut ops = std::mem::take(&mut simplifier.kernel.region_mut(arm).ops);
            ops.pop();
            simplifier.out.append(&mut ops);
        }
        for (&result, (x, y)) in results.iter().zip(pairs) {
            let ty = simplifier.kernel.ty(result);
            let selected = simplifier.emit(OpKind::Select, smallvec![condition, x, y], ty, loc);
            simplifier.replace(result, selected);
        }
        return;
    }
    for (&result, (x, y)) in results.iter().zip(pairs) {
        let constants = (simplifier.kernel.as_const(x), simplifier.kernel.as_const(y));
        match constants {
            // if c { ... yield x } else { ... yield x }: the result is x, which is defined outside
            _ if x == y => simplifier.replace(result, x),
            // The same where both arms yield one constant.
            (Some(a), Some(b)) if a == b => {
                let ty = simplifier.kernel.ty(result);
                let value = simplifier.constant(a, ty, loc);
                simplifier.replace(result, value);
            }
            _ => {}
        }
    }
    simplifier.out.push(op);
}

/// `while initial { condition c ... } { yield ... }`
pub(super) fn visit_while(simplifier: &mut Simplifier<'_>, op: OpId) {
    let data = simplifier.kernel.op(op);
    let (test, body) = (data.regions[0], data.regions[1]);
    let initial: Operands = data.operands.clone();
    let results: Operands = data.results.iter().copied().collect();
    // A while whose test is false the first time is its test.
    let condition = simplifier.resolve(passed(simplifier.kernel, test, 0));
    if simplifier.kernel.as_const(condition).is_some_and(|c| c.bits() == 0) {
        inline(simplifier, test, &initial, 1, &results);
        return;
    }
    // A carried value that test and body both pass on as it came, or set to the initial one, is that one.
    for (i, &start) in initial.iter().enumerate() {
        let test_arg = simplifier.kernel.region(test).args[i];
        let body_arg = simplifier.kernel.region(body).args[i];
        if stays(simplifier, passed(simplifier.kernel, test, i + 1), test_arg, start)
            && stays(simplifier, passed(simplifier.kernel, body, i), body_arg, start)
        {
            replace_all(simplifier, &[test_arg, body_arg, results[i]], &[start; 3]);
        }
    }
    if stores(simplifier.kernel, test) || stores(simplifier.kernel, body) {
        simplifier.forget_loads();
    }
    simplifier.region(test);
    simplifier.region(body);
    simplifier.out.push(op);
}

enum Trips {
    None,
    One,
}

/// How often a loop runs, if that is known to be never or once. Computed beyond 64 bits, as the index of the language
/// does not wrap around to a value below the upper bound.
fn trips(kernel: &Kernel, bounds: &[ValueId]) -> Option<Trips> {
    if bounds[0] == bounds[1] {
        return Some(Trips::None);
    }
    let constant = |i: usize| Some(i128::from(kernel.as_const(bounds[i])?.as_signed()?));
    let step = constant(2);
    if step.is_some_and(|s| s < 1) {
        // Unspecified, and no valid form once the step is a constant: such a loop is taken not to run.
        return Some(Trips::None);
    }
    let (lower, upper) = (constant(0)?, constant(1)?);
    if lower >= upper {
        return Some(Trips::None);
    }
    (lower + step? >= upper).then_some(Trips::One)
}

/// What the terminator of a region passes on at a position.
fn passed(kernel: &Kernel, region: RegionId, i: usize) -> ValueId {
    let end = *kernel.region(region).ops.last().expect("a region ends in a terminator");
    kernel.op(end).operands[i]
}

fn stays(simplifier: &Simplifier<'_>, passed: ValueId, arg: ValueId, initial: ValueId) -> bool {
    let passed = simplifier.resolve(passed);
    passed == arg || passed == initial
}

fn replace_all(simplifier: &mut Simplifier<'_>, old: &[ValueId], new: &[ValueId]) {
    for (&old, &new) in old.iter().zip(new) {
        simplifier.replace(old, new);
    }
}

/// Puts the operations of a region in the place of the operation that holds it: its arguments become `arguments`,
/// `results` what its terminator passes on after the first `skip` operands.
fn inline(simplifier: &mut Simplifier<'_>, region: RegionId, arguments: &[ValueId], skip: usize, results: &[ValueId]) {
    simplifier.changed = true;
    let args = std::mem::take(&mut simplifier.kernel.region_mut(region).args);
    replace_all(simplifier, &args, arguments);
    let mut ops = std::mem::take(&mut simplifier.kernel.region_mut(region).ops);
    let end = ops.pop().expect("a region ends in a terminator");
    for op in ops {
        simplifier.visit(op);
    }
    let values = simplifier.kernel.op(end).operands[skip..].to_vec();
    replace_all(simplifier, results, &values);
}

/// Does a region hold constants and its terminator alone?
fn computes_nothing(kernel: &Kernel, region: RegionId) -> bool {
    let (_, ops) = kernel
        .region(region)
        .ops
        .split_last()
        .expect("a region ends in a terminator");
    ops.iter().all(|&op| matches!(kernel.op(op).kind, OpKind::Const(_)))
}

/// Does a region write to memory, in regions within it too?
fn stores(kernel: &Kernel, region: RegionId) -> bool {
    kernel.region(region).ops.iter().any(|&op| {
        let op = kernel.op(op);
        match op.kind.effects() {
            Effects::Writes => true,
            Effects::OfRegions => op.regions.iter().any(|&inner| stores(kernel, inner)),
            Effects::None | Effects::Reads => false,
        }
    })
}
