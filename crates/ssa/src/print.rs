//! The text form of kernels and modules; its grammar stands in [`parse`](crate::parse).
//!
//! A kernel that the verifier accepts reads back as the same kernel. Any other is printed as far as it makes sense,
//! without panics, since messages about broken kernels quote them.

use std::fmt::{self, Write};

use crate::kernel::{Kernel, Module, OpData, OpId, RegionId, ValueId};
use crate::loc::Loc;
use crate::op::OpKind;
use crate::print_names::{Names, is_identifier};
use crate::types::Type;
use crate::verify::MAX_NESTING;

/// What to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PrintOptions {
    /// Print the place of every operation and of the kernel: ` loc("file.rs":12:3)`, or ` loc(unknown)`.
    pub locations: bool,
}

/// A kernel's text form: what [`Kernel::display`] gives.
#[derive(Clone, Copy, Debug)]
pub struct KernelDisplay<'a> {
    kernel: &'a Kernel,
    options: PrintOptions,
}

/// A module's text form: what [`Module::display`] gives.
#[derive(Clone, Copy, Debug)]
pub struct ModuleDisplay<'a> {
    module: &'a Module,
    options: PrintOptions,
}

impl Kernel {
    /// The kernel's text form, to print with the given options.
    pub fn display(&self, options: PrintOptions) -> KernelDisplay<'_> {
        KernelDisplay { kernel: self, options }
    }

    /// One operation in one line, with `{...}` for regions, to quote in messages. Takes time in proportion to the
    /// whole kernel, whose values it names.
    pub fn describe_op(&self, op: OpId) -> String {
        describe_op(self, &Names::of(self), op)
    }
}

impl Module {
    /// The module's text form, to print with the given options.
    pub fn display(&self, options: PrintOptions) -> ModuleDisplay<'_> {
        ModuleDisplay { module: self, options }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(PrintOptions::default()).fmt(f)
    }
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(PrintOptions::default()).fmt(f)
    }
}

impl fmt::Display for ModuleDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, kernel) in self.module.kernels.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            kernel.display(self.options).fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for KernelDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names::of(self.kernel);
        Printer {
            kernel: self.kernel,
            names: &names,
            options: self.options,
            header_only: false,
            indent: 0,
            printed: vec![false; self.kernel.region_count()],
            f,
        }
        .kernel()
    }
}

/// One operation in one line, for a kernel whose values already have names.
pub(crate) fn describe_op(kernel: &Kernel, names: &Names, op: OpId) -> String {
    let mut text = String::new();
    let mut printer = Printer {
        kernel,
        names,
        options: PrintOptions::default(),
        header_only: true,
        indent: 0,
        printed: Vec::new(),
        f: &mut text,
    };
    // Writing to a string does not fail.
    let _ = printer.op(op);
    text
}

/// Which types stand after the colon. The parser needs those that operands do not determine; the others are for the
/// reader, and checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Annotation {
    /// None: the type is always the same.
    None,
    /// The result's.
    Result,
    /// The first operand's.
    First,
    /// The first operand's `to` the result's.
    FirstToResult,
}

/// The annotation of an operation without regions.
pub(crate) fn annotation(kind: &OpKind) -> Annotation {
    match kind {
        OpKind::Const(_) | OpKind::Splat | OpKind::Select => Annotation::Result,
        OpKind::Cast(_) | OpKind::Broadcast | OpKind::ExpandDims { .. } => Annotation::FirstToResult,
        OpKind::Reshape | OpKind::Transpose { .. } => Annotation::FirstToResult,
        OpKind::Gather { .. } | OpKind::Histogram => Annotation::FirstToResult,
        OpKind::Join | OpKind::Split => Annotation::First,
        OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Fma | OpKind::Cmp(_) => Annotation::First,
        OpKind::AddPtr | OpKind::Load | OpKind::Store => Annotation::First,
        OpKind::ProgramId(_) | OpKind::NumPrograms(_) | OpKind::Range { .. } => Annotation::None,
        OpKind::Reduce { .. } | OpKind::Scan { .. } => Annotation::None,
        OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => Annotation::None,
    }
}

struct Printer<'a, W> {
    kernel: &'a Kernel,
    names: &'a Names,
    options: PrintOptions,
    /// Print `{...}` for regions.
    header_only: bool,
    indent: usize,
    /// Regions printed before: in a broken kernel one may be held twice, or by itself.
    printed: Vec<bool>,
    f: &'a mut W,
}

impl<W: Write> Printer<'_, W> {
    fn kernel(&mut self) -> fmt::Result {
        let kernel = self.kernel;
        if is_identifier(&kernel.name) {
            write!(self.f, "kernel @{}(", kernel.name)?;
        } else {
            write!(self.f, "kernel @{}(", Quoted(&kernel.name))?;
        }
        for (index, param) in kernel.params().iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(self.f, "{comma}{}: ", self.names.get(param.value))?;
            self.ty(param.value)?;
            if param.divisibility != 1 {
                write!(self.f, " {{divisibility = {}}}", param.divisibility)?;
            }
        }
        self.f.write_str(") ")?;
        self.region(kernel.body(), kernel.loc)?;
        self.loc(kernel.loc)?;
        self.f.write_str("\n")
    }

    fn ty(&mut self, value: ValueId) -> fmt::Result {
        match self.type_of(value) {
            Some(ty) => write!(self.f, "{ty}"),
            None => self.f.write_str("<undefined>"),
        }
    }

    fn type_of(&self, value: ValueId) -> Option<Type> {
        (value.index() < self.kernel.value_count()).then(|| self.kernel.ty(value))
    }

    fn values(&mut self, values: &[ValueId]) -> fmt::Result {
        for (index, &value) in values.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(self.f, "{comma}{}", self.names.get(value))?;
        }
        Ok(())
    }

    fn new_line(&mut self) -> fmt::Result {
        write!(self.f, "\n{:width$}", "", width = 2 * self.indent)
    }

    fn loc(&mut self, loc: Loc) -> fmt::Result {
        if !self.options.locations {
            return Ok(());
        }
        match self.kernel.files.get(loc.file as usize) {
            Some(file) if loc.is_known() => {
                write!(self.f, " loc({}:{}", Quoted(file), loc.line)?;
                if loc.col != 0 {
                    write!(self.f, ":{}", loc.col)?;
                }
                self.f.write_str(")")
            }
            _ => self.f.write_str(" loc(unknown)"),
        }
    }

    /// Is this operation a `yield` of nothing, which reads back the same when left out?
    fn is_implied(&self, op: OpId, holder: Loc) -> bool {
        if op.index() >= self.kernel.op_count() {
            return false;
        }
        let op = self.kernel.op(op);
        op.kind == OpKind::Yield
            && op.operands.is_empty()
            && op.results.is_empty()
            && (!self.options.locations || op.loc == holder)
    }

    /// Prints `{`, the operations and `}`.
    fn region(&mut self, region: RegionId, holder: Loc) -> fmt::Result {
        if self.header_only {
            return self.f.write_str("{...}");
        }
        let seen = self.printed.get_mut(region.index());
        if seen.is_none_or(|seen| std::mem::replace(seen, true)) || self.indent > MAX_NESTING {
            return write!(self.f, "{{ <region {}> }}", region.index());
        }
        let ops = &self.kernel.region(region).ops;
        self.f.write_str("{")?;
        self.indent += 1;
        for (index, &op) in ops.iter().enumerate() {
            let last = index + 1 == ops.len();
            if last && region != self.kernel.body() && self.is_implied(op, holder) {
                break;
            }
            self.new_line()?;
            self.op(op)?;
        }
        self.indent -= 1;
        self.new_line()?;
        self.f.write_str("}")
    }

    fn op(&mut self, id: OpId) -> fmt::Result {
        if id.index() >= self.kernel.op_count() {
            return write!(self.f, "<undefined operation {}>", id.index());
        }
        let op = self.kernel.op(id);
        if !op.results.is_empty() {
            self.values(&op.results)?;
            self.f.write_str(" = ")?;
        }
        self.f.write_str(op.kind.name())?;
        match op.kind {
            OpKind::For if self.args(op, 0).is_some_and(|a| a.len() + 2 == op.operands.len()) => self.for_loop(op)?,
            OpKind::If if op.operands.len() == 1 && op.regions.len() == 2 => self.if_else(op)?,
            OpKind::While if self.is_while(op) => self.while_loop(op)?,
            OpKind::Reduce { .. } | OpKind::Scan { .. } if op.regions.len() == 1 && self.args(op, 0).is_some() => {
                self.reduction(op)?;
            }
            // Broken ones that hold regions too: as far as they make sense.
            OpKind::For | OpKind::If | OpKind::While | OpKind::Reduce { .. } | OpKind::Scan { .. } => {
                self.simple(op)?
            }
            OpKind::Const(_)
            | OpKind::ProgramId(_)
            | OpKind::NumPrograms(_)
            | OpKind::Range { .. }
            | OpKind::Splat
            | OpKind::ExpandDims { .. }
            | OpKind::Broadcast
            | OpKind::Reshape
            | OpKind::Transpose { .. }
            | OpKind::Join
            | OpKind::Split
            | OpKind::Gather { .. }
            | OpKind::Histogram
            | OpKind::Unary(_)
            | OpKind::Binary(_)
            | OpKind::Fma
            | OpKind::Cmp(_)
            | OpKind::Select
            | OpKind::Cast(_)
            | OpKind::AddPtr
            | OpKind::Load
            | OpKind::Store
            | OpKind::Yield
            | OpKind::Condition => self.simple(op)?,
        }
        if self.header_only { Ok(()) } else { self.loc(op.loc) }
    }

    /// The arguments of one of the operation's regions, if it has it.
    fn args(&self, op: &OpData, index: usize) -> Option<&'_ [ValueId]> {
        let region = op
            .regions
            .get(index)
            .filter(|r| r.index() < self.kernel.region_count())?;
        Some(&self.kernel.region(*region).args)
    }

    fn is_while(&self, op: &OpData) -> bool {
        let fits = |index| self.args(op, index).is_some_and(|a| a.len() == op.operands.len());
        fits(0) && fits(1)
    }

    fn simple(&mut self, op: &OpData) -> fmt::Result {
        let (mut before, mut after) = (String::new(), String::new());
        match &op.kind {
            OpKind::Const(c) => before = format!(" {c}"),
            OpKind::ProgramId(axis) | OpKind::NumPrograms(axis) => before = format!(" {axis}"),
            OpKind::Range { start, end } => before = format!(" {start}, {end}"),
            OpKind::Cmp(pred) => before = format!(" {pred}"),
            OpKind::ExpandDims { axis } => after = format!(", {axis}"),
            OpKind::Transpose { permutation } => after = format!(" {permutation}"),
            OpKind::Gather { axis } => after = format!(" axis {axis}"),
            OpKind::Splat | OpKind::Broadcast | OpKind::Reshape | OpKind::Join | OpKind::Split => {}
            OpKind::Histogram | OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Fma | OpKind::Select => {}
            OpKind::Cast(_) | OpKind::AddPtr | OpKind::Load | OpKind::Store => {}
            // Broken ones alone come here.
            OpKind::Reduce { .. } | OpKind::Scan { .. } | OpKind::For | OpKind::If | OpKind::While => {}
            OpKind::Yield | OpKind::Condition => {}
        }
        self.f.write_str(&before)?;
        if !op.operands.is_empty() {
            self.f.write_str(" ")?;
            self.values(&op.operands)?;
        }
        self.f.write_str(&after)?;
        let first = op.operands.first().and_then(|&v| self.type_of(v));
        let result = op.results.first().and_then(|&v| self.type_of(v));
        match (annotation(&op.kind), first, result) {
            (Annotation::First, Some(ty), _) | (Annotation::Result, _, Some(ty)) => write!(self.f, " : {ty}")?,
            (Annotation::FirstToResult, Some(from), Some(to)) => write!(self.f, " : {from} to {to}")?,
            _ => {}
        }
        // Only a broken operation has regions here.
        for &region in &op.regions {
            self.f.write_str(" ")?;
            self.region(region, op.loc)?;
        }
        Ok(())
    }

    /// `%acc = %init : f32, ...`
    fn carried(&mut self, args: &[ValueId], initial: &[ValueId]) -> fmt::Result {
        for (index, (&arg, &init)) in args.iter().zip(initial).enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(self.f, "{comma}{} = {} : ", self.names.get(arg), self.names.get(init))?;
            self.ty(arg)?;
        }
        Ok(())
    }

    fn for_loop(&mut self, op: &OpData) -> fmt::Result {
        let kernel = self.kernel;
        let args = &kernel.region(op.regions[0]).args;
        let [index, lower, upper, step] =
            [args[0], op.operands[0], op.operands[1], op.operands[2]].map(|v| self.names.get(v));
        write!(self.f, " {index} = {lower} to {upper} step {step} : ")?;
        self.ty(args[0])?;
        if args.len() > 1 {
            self.f.write_str(" carry (")?;
            self.carried(&args[1..], &op.operands[3..])?;
            self.f.write_str(")")?;
        }
        self.f.write_str(" ")?;
        self.region(op.regions[0], op.loc)
    }

    fn if_else(&mut self, op: &OpData) -> fmt::Result {
        write!(self.f, " {}", self.names.get(op.operands[0]))?;
        if !op.results.is_empty() {
            self.f.write_str(" -> (")?;
            for (index, &result) in op.results.iter().enumerate() {
                self.f.write_str(if index > 0 { ", " } else { "" })?;
                self.ty(result)?;
            }
            self.f.write_str(")")?;
        }
        self.f.write_str(" ")?;
        self.region(op.regions[0], op.loc)?;
        let other = op.regions[1];
        let implied = op.results.is_empty()
            && other.index() < self.kernel.region_count()
            && matches!(self.kernel.region(other).ops[..], [only] if self.is_implied(only, op.loc));
        if implied {
            return Ok(());
        }
        self.f.write_str(" else ")?;
        self.region(other, op.loc)
    }

    /// `%x, %k axis 1 : tile<4x8xf32>, tile<4x8xi32> (%a, %j, %b, %k) { ... }`
    fn reduction(&mut self, op: &OpData) -> fmt::Result {
        let kernel = self.kernel;
        if !op.operands.is_empty() {
            self.f.write_str(" ")?;
            self.values(&op.operands)?;
        }
        match op.kind {
            OpKind::Reduce { axis } | OpKind::Scan { axis, reverse: false } => write!(self.f, " axis {axis} : ")?,
            OpKind::Scan { axis, reverse: true } => write!(self.f, " axis {axis} reverse : ")?,
            ref other => unreachable!("'{}' is neither a reduction nor a scan", other.name()),
        }
        for (index, &operand) in op.operands.iter().enumerate() {
            self.f.write_str(if index > 0 { ", " } else { "" })?;
            self.ty(operand)?;
        }
        self.f.write_str(" (")?;
        self.values(&kernel.region(op.regions[0]).args)?;
        self.f.write_str(") ")?;
        self.region(op.regions[0], op.loc)
    }

    fn while_loop(&mut self, op: &OpData) -> fmt::Result {
        let kernel = self.kernel;
        let [test, body] = [0, 1].map(|i| &kernel.region(op.regions[i]).args);
        self.f.write_str(" (")?;
        self.carried(test, &op.operands)?;
        self.f.write_str(") ")?;
        self.region(op.regions[0], op.loc)?;
        self.f.write_str(" do (")?;
        for (index, &arg) in body.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(self.f, "{comma}{}: ", self.names.get(arg))?;
            self.ty(arg)?;
        }
        self.f.write_str(") ")?;
        self.region(op.regions[1], op.loc)
    }
}

/// A string in quotes with the escapes that the lexer knows.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
