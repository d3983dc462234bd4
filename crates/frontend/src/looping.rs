//! Loops. The code that `#[kernel]` writes uses the steps here (begin, body, finish); by hand the closure forms of
//! [`KernelBuilder`](crate::KernelBuilder) are easier.

use mytriton_ssa::{BinaryOp, Const, OpKind, RegionId, Shape, ValueId};

use crate::carry::{CarriedSet, close};
use crate::dtype::{DType, ValueType};
use crate::expr::{Expr, IntoExpr, Repr};
use crate::literal::Number;
use crate::site::{Built, Operand, Site};
use crate::staged::Staged;

/// An unrolled loop has at most so many rounds.
const MAX_UNROLLED: i128 = 1 << 16;

/// How the index that the kernel sees comes from the loop's counter.
#[derive(Clone, Copy, Debug)]
enum Index {
    /// It is the counter.
    Counter,
    /// A constant negative step: `start - counter`.
    Descending { start: ValueId },
}

/// A counted loop whose body is being built.
#[derive(Debug)]
pub struct ForLoop<'k> {
    site: Site<'k>,
    bounds: Option<[ValueId; 3]>,
    carried: CarriedSet,
    initial: Vec<ValueId>,
    region: RegionId,
    args: Vec<Repr>,
    index: Expr<'k>,
}

/// A conditional loop whose test or body is being built.
#[derive(Debug)]
pub struct WhileLoop<'k> {
    site: Site<'k>,
    carried: CarriedSet,
    initial: Vec<ValueId>,
    test: RegionId,
    test_args: Vec<Repr>,
    body: Option<(RegionId, Vec<Repr>)>,
}

/// The bounds of a counted loop in one type.
struct Bounds {
    ids: [ValueId; 3],
    /// The type of the counter.
    counter: DType,
    /// The type of the index that the kernel sees.
    index: DType,
    kind: Index,
}

impl<'k> Site<'k> {
    /// Begins `for index in start..stop` by `step`, which carries the variables that the body assigns. A negative step
    /// must be known at compile time; a run-time one is positive.
    pub fn begin_for(
        self,
        [start, stop, step]: [Expr<'k>; 3],
        names: &'static [&'static str],
        vars: &mut [&mut dyn Staged<'k>],
    ) -> ForLoop<'k> {
        let bounds = self.bounds(start, stop, step);
        let (carried, initial) = CarriedSet::start(self, names, vars);
        // Without bounds the body is built all the same, to find further mistakes.
        let counter = ValueType::scalar(bounds.as_ref().map_or(DType::I32, |b| b.counter));
        let mut types = vec![counter];
        types.extend(carried.types());
        let (region, args) = self.k.open_region(&types);
        carried.set(self, &args[1..], vars);
        let index = match &bounds {
            Some(bounds) => self.index(bounds, args[0]),
            None => None,
        };
        ForLoop {
            site: self,
            bounds: bounds.map(|b| b.ids),
            carried,
            initial,
            region,
            index: self.done(index),
            args,
        }
    }

    fn bounds(self, start: Expr<'k>, stop: Expr<'k>, step: Expr<'k>) -> Built<Bounds> {
        let what = "a loop";
        let operands = [start, stop, step].map(|e| self.operand(what, e));
        let [Some(start), Some(stop), Some(step)] = operands else {
            return None;
        };
        let known_step = match step {
            Operand::Literal(literal) => match literal.value {
                Number::Int(0) => return self.fail("a loop with step 0 never ends"),
                Number::Int(step) => Some(step),
                other => return self.fail(format!("the step of a loop is an integer, not {other}")),
            },
            Operand::Value(..) => None,
        };
        // A negative literal says nothing about the type of the bounds, which may be unsigned.
        let descending = known_step.is_some_and(|s| s < 0);
        let typed = if descending {
            self.promote(what, &[start, stop])?
        } else {
            self.promote(what, &[start, stop, step])?
        };
        let shapes = [start, stop, step].map(Operand::shape);
        if !typed.is_int() || shapes.iter().any(|s| !s.is_scalar()) {
            return self.fail("the bounds and step of a loop are integer scalars");
        }
        // The loop compares signed, so that unsigned bounds are widened (those of 64 bits are taken as they are); counters of
        // few bits are too, which would pass their largest value with the last step.
        let counter = match typed {
            DType::I8 | DType::I16 | DType::U8 | DType::U16 => DType::I32,
            DType::U32 | DType::U64 => DType::I64,
            signed => signed,
        };
        let convert = |o| {
            let id = self.convert(o, typed, Shape::SCALAR)?;
            self.cast_value(id, ValueType::scalar(typed), counter)
        };
        let ty = ValueType::scalar(counter);
        let (start, stop) = (convert(start)?, convert(stop)?);
        if let Some(step) = known_step.filter(|_| descending) {
            let constant = |v: i128| self.emit(OpKind::Const(Const::from_int(counter.scalar(), v)), &[], ty);
            if Number::Int(-step).fit(counter).is_err() {
                return self.fail(format!("a step of {step} does not fit the bounds' type, {typed}"));
            }
            let distance = self.emit(OpKind::Binary(BinaryOp::Sub), &[start, stop], ty)?;
            let ids = [constant(0)?, distance, constant(-step)?];
            return Some(Bounds {
                ids,
                counter,
                index: typed,
                kind: Index::Descending { start },
            });
        }
        Some(Bounds {
            ids: [start, stop, convert(step)?],
            counter,
            index: typed,
            kind: Index::Counter,
        })
    }

    fn index(self, bounds: &Bounds, counter: Repr) -> Built<Expr<'k>> {
        let Repr::Value { id, ty, .. } = counter else {
            return None;
        };
        let id = match bounds.kind {
            Index::Counter => id,
            Index::Descending { start } => self.emit(OpKind::Binary(BinaryOp::Sub), &[start, id], ty)?,
        };
        let index = ValueType::scalar(bounds.index);
        let id = self.cast_value(id, ty, bounds.index)?;
        Some(self.value(id, index))
    }

    /// Begins `while`: the test is built next.
    pub fn begin_while(self, names: &'static [&'static str], vars: &mut [&mut dyn Staged<'k>]) -> WhileLoop<'k> {
        let (carried, initial) = CarriedSet::start(self, names, vars);
        let (test, test_args) = self.k.open_region(&carried.types());
        carried.set(self, &test_args, vars);
        WhileLoop {
            site: self,
            carried,
            initial,
            test,
            test_args,
            body: None,
        }
    }

    /// The indices of a loop that is unrolled at compile time; all three numbers are compile-time constants. The step may be negative.
    pub fn static_range(
        self,
        start: impl IntoExpr<'k>,
        stop: impl IntoExpr<'k>,
        step: impl IntoExpr<'k>,
    ) -> std::vec::IntoIter<Expr<'k>> {
        let (start, stop, step) = (self.lift(start), self.lift(stop), self.lift(step));
        let built = (|| {
            let start = self.known_int("the start of static_range", start)?;
            let stop = self.known_int("the end of static_range", stop)?;
            let step = self.known_int("the step of static_range", step)?;
            let rounds = match step {
                0 => return self.fail("a loop with step 0 never ends"),
                1.. => (stop - start + step - 1).div_euclid(step),
                _ => (start - stop - step - 1).div_euclid(-step),
            };
            if rounds > MAX_UNROLLED {
                return self.fail(format!(
                    "static_range of {rounds} rounds: at most {MAX_UNROLLED} are unrolled; use a run-time loop"
                ));
            }
            let indices = (0..rounds.max(0)).map(|i| self.int(start + i * step));
            Some(indices.collect::<Vec<_>>())
        })();
        built.unwrap_or_default().into_iter()
    }
}

impl<'k> ForLoop<'k> {
    /// The loop's index in its body.
    pub fn index(&self) -> Expr<'k> {
        self.index
    }

    /// Ends the body. The variables become the loop's results.
    pub fn finish(self, vars: &mut [&mut dyn Staged<'k>]) {
        let site = self.site;
        let passed = self.carried.pass_on(site, &self.args[1..], vars);
        close(site, OpKind::Yield, &passed);
        let types = self.carried.types();
        let Some(bounds) = self.bounds else {
            let poisons = vec![Repr::Poison; types.len()];
            return self.carried.set(site, &poisons, vars);
        };
        let operands: Vec<ValueId> = bounds.into_iter().chain(self.initial).collect();
        let results = (site.k).emit_with_regions(site.loc, OpKind::For, &operands, &types, &[self.region]);
        self.carried.set(site, &results, vars);
    }
}

impl<'k> WhileLoop<'k> {
    /// Ends the test with its condition and begins the body.
    pub fn test(&mut self, condition: impl IntoExpr<'k>, vars: &mut [&mut dyn Staged<'k>]) {
        let site = self.site;
        let condition = site.lift(condition);
        let built = (|| {
            let operand = site.operand("while", condition)?;
            site.require_bool("the condition of while", operand)?;
            if !operand.shape().is_scalar() {
                let got = crate::site::describe(condition);
                return site.fail(format!("the condition of while is one bool, not {got}"));
            }
            if condition.known() == Some(Number::Bool(true)) {
                return site.fail("the condition of while is always true: the loop never ends");
            }
            site.convert(operand, DType::Bool, Shape::SCALAR)
        })();
        let mut passed: Vec<ValueId> = Vec::new();
        passed.extend(built);
        passed.extend(self.carried.pass_on(site, &self.test_args, vars));
        close(site, OpKind::Condition, &passed);
        let (body, args) = site.k.open_region(&self.carried.types());
        self.carried.set(site, &args, vars);
        self.body = Some((body, args));
    }

    /// Ends the body. The variables become the loop's results.
    pub fn finish(self, vars: &mut [&mut dyn Staged<'k>]) {
        let site = self.site;
        let types = self.carried.types();
        let Some((body, args)) = self.body else {
            site.k.close_region();
            let poisons = vec![Repr::Poison; types.len()];
            return self.carried.set(site, &poisons, vars);
        };
        let passed = self.carried.pass_on(site, &args, vars);
        close(site, OpKind::Yield, &passed);
        let results = (site.k).emit_with_regions(site.loc, OpKind::While, &self.initial, &types, &[self.test, body]);
        self.carried.set(site, &results, vars);
    }
}
