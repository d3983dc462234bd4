//! The builder's face for kernels written by hand: builtins and control flow as methods of [`KernelBuilder`], each at its
//! caller's place.

use crate::builder::KernelBuilder;
use crate::expr::{Expr, IntoExpr};
use crate::memory::{Load, Store};
use crate::shape::IntoShape;
use crate::staged::Staged;

impl KernelBuilder {
    /// An expression of a host number or element type.
    pub fn expr<'k>(&'k self, value: impl IntoExpr<'k>) -> Expr<'k> {
        value.into_expr(self)
    }

    /// This program's index along dimension `axis` (0, 1 or 2) of the grid.
    #[track_caller]
    pub fn program_id(&self, axis: usize) -> Expr<'_> {
        self.here().program_id(axis)
    }

    /// The extent of dimension `axis` of the grid.
    #[track_caller]
    pub fn num_programs(&self, axis: usize) -> Expr<'_> {
        self.here().num_programs(axis)
    }

    /// The tile `start, start + 1, ... end - 1`.
    #[track_caller]
    pub fn range<'k>(&'k self, start: impl IntoExpr<'k>, end: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().range(start, end)
    }

    /// A tile with `value` in every element.
    #[track_caller]
    pub fn full<'k>(
        &'k self,
        shape: impl IntoShape<'k>,
        value: impl IntoExpr<'k>,
        dtype: impl IntoExpr<'k>,
    ) -> Expr<'k> {
        self.here().full(shape, value, dtype)
    }

    /// A tile of zeros.
    #[track_caller]
    pub fn zeros<'k>(&'k self, shape: impl IntoShape<'k>, dtype: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().zeros(shape, dtype)
    }

    /// `a` where the condition holds, else `b`.
    #[track_caller]
    pub fn select<'k>(&'k self, condition: impl IntoExpr<'k>, a: impl IntoExpr<'k>, b: impl IntoExpr<'k>) -> Expr<'k> {
        self.here().select(condition, a, b)
    }

    /// A load, performed by its [`Load::get`].
    #[track_caller]
    pub fn load<'k>(&'k self, pointer: impl IntoExpr<'k>) -> Load<'k> {
        self.here().load(pointer)
    }

    /// A store, performed by its [`Store::done`].
    #[track_caller]
    pub fn store<'k>(&'k self, pointer: impl IntoExpr<'k>, value: impl IntoExpr<'k>) -> Store<'k> {
        self.here().store(pointer, value)
    }

    /// A loop at run time: `body` gets the index and the carried values and gives the next ones; the last ones are the
    /// result. A negative step must be a host number.
    ///
    /// ```
    /// # use mytriton_frontend::{DType, KernelBuilder};
    /// # let k = KernelBuilder::new("sum");
    /// # let n = k.scalar("n", DType::I32);
    /// let total = k.for_range(0, n, 1, k.expr(0), |i, total| total + i);
    /// # assert_eq!(total.ty().unwrap().to_string(), "i32");
    /// # k.finish().unwrap();
    /// ```
    #[track_caller]
    pub fn for_range<'k, S: Staged<'k> + Copy>(
        &'k self,
        start: impl IntoExpr<'k>,
        stop: impl IntoExpr<'k>,
        step: impl IntoExpr<'k>,
        initial: S,
        body: impl FnOnce(Expr<'k>, S) -> S,
    ) -> S {
        let site = self.here();
        let bounds = [site.lift(start), site.lift(stop), site.lift(step)];
        let mut carried = initial;
        let looping = site.begin_for(bounds, CARRIED, &mut [&mut carried]);
        carried = body(looping.index(), carried);
        looping.finish(&mut [&mut carried]);
        carried
    }

    /// A loop at run time while `test` of the carried values holds.
    #[track_caller]
    pub fn while_loop<'k, S: Staged<'k> + Copy>(
        &'k self,
        initial: S,
        test: impl FnOnce(S) -> Expr<'k>,
        body: impl FnOnce(S) -> S,
    ) -> S {
        let site = self.here();
        let mut carried = initial;
        let mut looping = site.begin_while(CARRIED, &mut [&mut carried]);
        let condition = test(carried);
        looping.test(condition, &mut [&mut carried]);
        carried = body(carried);
        looping.finish(&mut [&mut carried]);
        carried
    }

    /// A branch: at run time, or at compile time if the condition is known then (only that arm is run).
    #[track_caller]
    pub fn if_else<'k, S: Staged<'k>>(
        &'k self,
        condition: impl IntoExpr<'k>,
        then: impl FnOnce() -> S,
        otherwise: impl FnOnce() -> S,
    ) -> S {
        let mut branch = self.here().begin_if(condition, &mut []);
        let then = if branch.enter_then() { Some(then()) } else { None };
        let otherwise = if branch.enter_else(&mut []) {
            Some(otherwise())
        } else {
            None
        };
        branch.finish(&[], &mut [], then, otherwise)
    }
}

/// Carried values have no names of their own here.
const CARRIED: &[&str] = &["carried value"];
