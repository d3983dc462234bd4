//! The kernel under construction.

use std::cell::RefCell;
use std::panic::Location;

use mytriton_ssa::{Elem, Kernel, Loc, OpKind, RegionId, Type, ValueDef, ValueId, result_type};

use crate::dtype::{DType, ElemType, ValueType};
use crate::error::{Diagnostic, FrontendError};
use crate::expr::{Expr, Repr};
use crate::site::Site;
use crate::staged::{Staged, leaves_of};

/// Findings beyond this many are dropped: they would only repeat.
const MAX_DIAGNOSTICS: usize = 20;

/// Device functions may call one another to this depth; more is taken for endless recursion.
const MAX_CALL_DEPTH: usize = 64;

/// Builds one kernel by running ordinary Rust code on [`Expr`] values.
///
/// Nothing here returns a `Result`: a mistake is noted with its place, its value is a *poison* that further operations
/// pass on silently, and [`KernelBuilder::finish`] reports all that was noted.
///
/// ```
/// use mytriton_frontend::{DType, KernelBuilder};
///
/// let k = KernelBuilder::new("saxpy");
/// let (x, y) = (k.ptr("x", DType::F32), k.ptr("y", DType::F32));
/// let (n, a) = (k.scalar("n", DType::I32), k.scalar("a", DType::F32));
/// let at = k.program_id(0) * 1024 + k.range(0, 1024);
/// let mask = at.lt(n);
/// let sum = a * k.load(x + at).mask(mask).get() + k.load(y + at).mask(mask).get();
/// k.store(y + at, sum).mask(mask).done();
/// let kernel = k.finish()?;
/// assert_eq!(kernel.params().len(), 4);
/// # Ok::<(), mytriton_frontend::FrontendError>(())
/// ```
#[derive(Debug)]
pub struct KernelBuilder {
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    kernel: Kernel,
    /// The regions being filled, outermost first.
    open: Vec<RegionId>,
    /// The places in `open` of isolated ones: values from around those are not to be used.
    isolated: Vec<usize>,
    diagnostics: Vec<Diagnostic>,
    /// The device functions being run: where each was called, and its name.
    calls: Vec<(Loc, &'static str)>,
}

impl KernelBuilder {
    /// Starts a kernel.
    #[track_caller]
    pub fn new(name: impl Into<String>) -> KernelBuilder {
        let place = Location::caller();
        KernelBuilder::new_at(name, place.file(), place.line(), place.column())
    }

    /// Starts a kernel that stands at the given place.
    pub fn new_at(name: impl Into<String>, file: &str, line: u32, col: u32) -> KernelBuilder {
        let mut kernel = Kernel::new(name);
        let file = kernel.file_index(file);
        kernel.loc = Loc { file, line, col };
        let open = vec![kernel.body()];
        KernelBuilder {
            state: RefCell::new(State {
                kernel,
                open,
                isolated: Vec::new(),
                diagnostics: Vec::new(),
                calls: Vec::new(),
            }),
        }
    }

    /// Adds a pointer parameter.
    pub fn ptr(&self, name: &str, pointee: DType) -> Expr<'_> {
        self.param(name, ElemType::Ptr(pointee))
    }

    /// Adds a scalar parameter.
    pub fn scalar(&self, name: &str, dtype: DType) -> Expr<'_> {
        self.param(name, ElemType::Num(dtype))
    }

    fn param(&self, name: &str, elem: ElemType) -> Expr<'_> {
        let mut state = self.state.borrow_mut();
        let ssa = match elem {
            ElemType::Num(dtype) => Elem::Scalar(dtype.scalar()),
            ElemType::Ptr(dtype) => Elem::Ptr(dtype.scalar()),
        };
        let id = state.kernel.add_param(name, ssa);
        let ty = ValueType {
            elem,
            shape: mytriton_ssa::Shape::SCALAR,
        };
        let scope = state.kernel.body();
        Expr::new(self, Repr::Value { id, ty, scope })
    }

    /// States that a parameter, an integer or the address in bytes of a pointer, is always a multiple of `divisibility`, a
    /// power of two. Says nothing of other values and types.
    pub fn assume_divisible(&self, param: Expr<'_>, divisibility: u32) {
        let divisible = param.ty().is_some_and(|t| t.dtype().is_none_or(DType::is_int));
        let mut state = self.state.borrow_mut();
        for p in state.kernel.params_mut() {
            if Some(p.value) == param.value_id() && divisible && divisibility.is_power_of_two() {
                p.divisibility = divisibility;
            }
        }
    }

    /// The finished kernel, or all that was found wrong.
    pub fn finish(self) -> Result<Kernel, FrontendError> {
        let State {
            kernel,
            mut diagnostics,
            ..
        } = self.state.into_inner();
        if diagnostics.is_empty() {
            // What gets here by mistake of the user is names that are no identifiers, and nesting without bounds.
            let Err(errors) = mytriton_ssa::verify(&kernel) else {
                return Ok(kernel);
            };
            diagnostics.extend(errors.all().iter().map(|e| Diagnostic {
                place: e.place.clone().unwrap_or_default(),
                message: e.message.clone(),
                notes: Vec::new(),
            }));
        }
        Err(FrontendError {
            kernel: kernel.name,
            diagnostics,
        })
    }

    /// Has anything been found wrong so far?
    pub fn has_errors(&self) -> bool {
        !self.state.borrow().diagnostics.is_empty()
    }

    /// The caller's place in its source, to build operations at.
    #[track_caller]
    pub fn here(&self) -> Site<'_> {
        let place = Location::caller();
        self.at(place.file(), place.line(), place.column())
    }

    /// A place to build operations at; line and column count from 1.
    pub fn at(&self, file: &str, line: u32, col: u32) -> Site<'_> {
        let file = self.state.borrow_mut().kernel.file_index(file);
        Site {
            k: self,
            loc: Loc { file, line, col },
        }
    }

    /// A file's source, to take places in. For the code that `#[kernel]` writes.
    pub fn frame(&self, file: &str) -> Frame<'_> {
        let file = self.state.borrow_mut().kernel.file_index(file);
        Frame {
            k: self,
            file,
            call: None,
        }
    }

    /// Notes a finding.
    pub(crate) fn report(&self, loc: Loc, message: String) {
        let mut state = self.state.borrow_mut();
        let place = state.kernel.describe_loc(loc).unwrap_or_default();
        let known = |d: &Diagnostic| d.place == place && d.message == message;
        if state.diagnostics.len() >= MAX_DIAGNOSTICS || state.diagnostics.iter().any(known) {
            return;
        }
        let note = |&(loc, name): &(Loc, &str)| {
            let place = state.kernel.describe_loc(loc).unwrap_or_default();
            format!("in '{name}', called at {place}")
        };
        let notes = state.calls.iter().rev().map(note).collect();
        state.diagnostics.push(Diagnostic { place, message, notes });
    }

    /// Appends an operation without regions to the current region.
    pub(crate) fn emit(
        &self,
        loc: Loc,
        kind: OpKind,
        operands: &[ValueId],
        requested: Option<Type>,
    ) -> Result<Option<ValueId>, mytriton_ssa::TypeError> {
        let mut state = self.state.borrow_mut();
        let types: Vec<Type> = operands.iter().map(|&v| state.kernel.ty(v)).collect();
        let result = result_type(&kind, &types, requested)?;
        let op = state.kernel.new_op(kind, operands.iter().copied(), result, [], loc);
        state.append(op);
        Ok(state.kernel.op(op).results.first().copied())
    }

    /// Opens a new region with arguments of the given types.
    pub(crate) fn open_region(&self, args: &[ValueType]) -> (RegionId, Vec<Repr>) {
        let mut state = self.state.borrow_mut();
        let scope = state.kernel.new_region(args.iter().map(|t| t.ssa()));
        state.open.push(scope);
        let ids = &state.kernel.region(scope).args;
        let value = |(&id, &ty)| Repr::Value { id, ty, scope };
        let args = ids.iter().zip(args).map(value).collect();
        (scope, args)
    }

    /// The same for one that sees no values from around it.
    pub(crate) fn open_isolated_region(&self, args: &[ValueType]) -> (RegionId, Vec<Repr>) {
        let opened = self.open_region(args);
        let mut state = self.state.borrow_mut();
        let place = state.open.len() - 1;
        state.isolated.push(place);
        opened
    }

    /// The operations of a region that a combiner cannot have: places and names.
    pub(crate) fn refused_in_combine(&self, region: RegionId) -> Vec<(Loc, &'static str)> {
        let state = self.state.borrow();
        let kernel = &state.kernel;
        let ops = kernel.region(region).ops.iter().map(|&op| kernel.op(op));
        let scalar = |op: &mytriton_ssa::OpData| op.results.iter().all(|&r| kernel.ty(r).is_scalar());
        ops.filter(|op| !(op.kind.is_terminator() || op.kind.is_elementwise() && scalar(op)))
            .map(|op| (op.loc, op.kind.name()))
            .collect()
    }

    /// Where a combiner plainly depends on the order of elements, and how.
    pub(crate) fn non_associative(&self, region: RegionId) -> Option<(Loc, String)> {
        let kernel = &self.state.borrow().kernel;
        let op = kernel.op(mytriton_ssa::non_associative(kernel, region)?);
        Some((op.loc, mytriton_ssa::non_associative_message(&op.kind)))
    }

    /// Makes a region current again that was closed before it got its terminator.
    pub(crate) fn reopen_region(&self, region: RegionId) {
        self.state.borrow_mut().open.push(region);
    }

    /// Leaves the current region.
    pub(crate) fn close_region(&self) {
        let mut state = self.state.borrow_mut();
        if state.open.len() > 1 {
            state.open.pop();
            let left = state.open.len();
            state.isolated.retain(|&place| place < left);
        }
    }

    /// Appends a terminator to the current region.
    pub(crate) fn terminate(&self, loc: Loc, kind: OpKind, operands: &[ValueId]) {
        let mut state = self.state.borrow_mut();
        let op = state.kernel.new_op(kind, operands.iter().copied(), [], [], loc);
        state.append(op);
    }

    /// Appends an operation that holds regions; its results are of the given types.
    pub(crate) fn emit_with_regions(
        &self,
        loc: Loc,
        kind: OpKind,
        operands: &[ValueId],
        results: &[ValueType],
        regions: &[RegionId],
    ) -> Vec<Repr> {
        let mut state = self.state.borrow_mut();
        let types = results.iter().map(|t| t.ssa());
        let op = (state.kernel).new_op(kind, operands.iter().copied(), types, regions.iter().copied(), loc);
        state.append(op);
        let scope = state.current();
        let ids = &state.kernel.op(op).results;
        let value = |(&id, &ty)| Repr::Value { id, ty, scope };
        ids.iter().zip(results).map(value).collect()
    }

    /// The region being filled.
    pub(crate) fn current_region(&self) -> RegionId {
        self.state.borrow().current()
    }

    /// Can a value made in the region be used now?
    pub(crate) fn is_visible(&self, scope: RegionId) -> bool {
        let state = self.state.borrow();
        let from = state.isolated.last().copied().unwrap_or(0);
        state.open[from..].contains(&scope)
    }

    /// Was a value made in the region outside the combiner that is being built?
    pub(crate) fn is_around_combine(&self, scope: RegionId) -> bool {
        let state = self.state.borrow();
        let from = state.isolated.last().copied().unwrap_or(0);
        state.open[..from].contains(&scope)
    }

    /// Gives a value its name in the source, unless it has one.
    pub(crate) fn set_name(&self, id: ValueId, name: &str) {
        let mut state = self.state.borrow_mut();
        let data = state.kernel.value(id);
        if data.name.is_none() && !matches!(data.def, ValueDef::Param(_)) {
            state.kernel.set_name(id, name);
        }
    }
}

impl State {
    fn current(&self) -> RegionId {
        self.open.last().copied().unwrap_or(self.kernel.body())
    }

    fn append(&mut self, op: mytriton_ssa::OpId) {
        let region = self.current();
        self.kernel.region_mut(region).ops.push(op);
    }
}

/// The source of one function being run: gives places in its file. For the code that `#[kernel]` writes.
#[derive(Debug)]
pub struct Frame<'k> {
    k: &'k KernelBuilder,
    file: u32,
    /// Set for device functions: is the call within the depth limit?
    call: Option<bool>,
}

impl<'k> Frame<'k> {
    /// A place in the file, from 1.
    pub fn at(&self, line: u32, col: u32) -> Site<'k> {
        Site {
            k: self.k,
            loc: Loc {
                file: self.file,
                line,
                col,
            },
        }
    }

    /// Passes a value on, its parts named after the variables that they are bound to, for printing. `_` names nothing.
    pub fn named<T: Staged<'k>>(&self, names: &[&str], mut value: T) -> T {
        let leaves = leaves_of(&mut value);
        if leaves.len() == names.len() {
            for (name, leaf) in names.iter().zip(leaves) {
                if let (Repr::Value { id, .. }, true) = (leaf.repr, *name != "_") {
                    self.k.set_name(id, name);
                }
            }
        }
        value
    }

    /// Was the device function called within the depth limit? If not, the error is noted and the function must return a
    /// poison.
    pub fn may_run(&self) -> bool {
        self.call != Some(false)
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        if self.call.is_some() {
            self.k.state.borrow_mut().calls.pop();
        }
    }
}

impl<'k> Site<'k> {
    /// Enters a device function called from here, whose source is in `file`.
    pub fn enter(self, file: &str, name: &'static str) -> Frame<'k> {
        let depth = self.k.state.borrow().calls.len();
        let within = depth < MAX_CALL_DEPTH;
        if !within {
            let message = format!(
                "calls of device functions nest {MAX_CALL_DEPTH} deep: '{name}' seems to call itself without end \
                 (a run-time condition does not end recursion, as both of its branches are compiled)"
            );
            // The chain of calls would drown the message.
            let calls = std::mem::take(&mut self.k.state.borrow_mut().calls);
            self.error(message);
            self.k.state.borrow_mut().calls = calls;
        }
        let mut state = self.k.state.borrow_mut();
        state.calls.push((self.loc, name));
        let file = state.kernel.file_index(file);
        Frame {
            k: self.k,
            file,
            call: Some(within),
        }
    }
}
