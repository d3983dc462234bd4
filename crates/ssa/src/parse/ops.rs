//! Operations and regions.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::error::ParseErrorKind;
use super::lexer::{Span, Tok, Token};
use super::{Parsed, Parser};
use crate::associative::{non_associative, non_associative_message};
use crate::constant::Const;
use crate::kernel::{OpId, RegionId, ValueId};
use crate::loc::Loc;
use crate::op::{Axis, BinaryOp, CastKind, CmpPred, OpKind, UnaryOp};
use crate::permutation::Permutation;
use crate::print::{Annotation, annotation};
use crate::types::{Scalar, Type};
use crate::typing::{TypeError, reduction_types, result_types};
use crate::verify::MAX_NESTING;

/// A region's value with its type: an argument, and for carried ones where it starts.
struct Carried {
    name: Token,
    initial: Option<ValueId>,
    ty: Type,
}

/// What an operation is made of, before its place is known.
struct Parts {
    kind: OpKind,
    operands: SmallVec<[ValueId; 3]>,
    results: Vec<Type>,
    regions: SmallVec<[RegionId; 2]>,
    /// Terminators that the text leaves out: they stand where the operation does.
    implied: SmallVec<[OpId; 2]>,
}

impl Parts {
    fn new(kind: OpKind, operands: SmallVec<[ValueId; 3]>, results: Vec<Type>) -> Parts {
        Parts {
            kind,
            operands,
            results,
            regions: SmallVec::new(),
            implied: SmallVec::new(),
        }
    }
}

/// How a region ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// With `yield` of so many values.
    Yield(usize),
    /// With `condition`.
    Condition,
}

impl Parser<'_> {
    /// One operation with its names and place, made but not yet put into a region. `depth` counts the regions around.
    pub(super) fn op(&mut self, expected: &str, depth: usize) -> Parsed<OpId> {
        let start = self.token.span;
        let mut names: Vec<Token> = Vec::new();
        if self.token.tok == Tok::Value {
            names.push(self.advance()?);
            while self.eat_punct(',')? {
                names.push(self.expect(Tok::Value, "the name of another result, '%name'")?);
            }
            self.expect_punct('=')?;
        }
        if self.token.tok != Tok::Word {
            return Err(self.expected(if names.is_empty() { expected } else { "an operation" }));
        }
        let word = self.advance()?;
        let parts = match self.text(word) {
            "for" => self.for_loop(depth, &names, word)?,
            "if" => self.if_else(depth, &names, word)?,
            "while" => self.while_loop(depth, &names, word)?,
            "reduce" | "scan" => self.reduction(depth, &names, word)?,
            "yield" | "condition" => {
                let message = format!("'{}' does not stand here: it ends other regions", self.text(word));
                return Err(self.invalid(word.span, message));
            }
            _ => self.simple(word)?,
        };
        // For operations with regions this was checked before them, where it reads better.
        self.check_result_count(&parts.kind, parts.results.len(), &names, word)?;
        let loc = self.loc(start)?;
        for &end in &parts.implied {
            self.kernel.op_mut(end).loc = loc;
        }
        let op = self
            .kernel
            .new_op(parts.kind, parts.operands, parts.results, parts.regions, loc);
        self.places.insert(op, word.span);
        let results = self.kernel.op(op).results.clone();
        for (name, value) in names.into_iter().zip(results) {
            self.define(name, value)?;
        }
        Ok(op)
    }

    fn check_result_count(&self, kind: &OpKind, count: usize, names: &[Token], word: Token) -> Parsed<()> {
        if names.len() == count {
            return Ok(());
        }
        let op = kind.name();
        let (span, left) = match names.first() {
            Some(name) => (name.span, format!("{} stand to the left of '='", names.len())),
            None => (word.span, "none stand to the left of it".to_owned()),
        };
        let count = match count {
            0 => "no result".to_owned(),
            1 => "1 result".to_owned(),
            n => format!("{n} results"),
        };
        Err(self.invalid(span, format!("'{op}' gives {count} here, but {left}")))
    }

    fn axis_word(&mut self) -> Parsed<Axis> {
        let axis = self.text(self.token).parse();
        let axis = axis.map_err(|_| self.expected("the grid dimension 'x', 'y' or 'z'"))?;
        self.advance()?;
        Ok(axis)
    }

    fn predicate(&mut self) -> Parsed<CmpPred> {
        let pred = self.text(self.token).parse();
        let pred = pred.map_err(|_| {
            let names: Vec<_> = CmpPred::ALL.iter().map(|p| p.name()).collect();
            self.expected(format!("a predicate ({})", names.join(", ")))
        })?;
        self.advance()?;
        Ok(pred)
    }

    fn values(&mut self) -> Parsed<SmallVec<[ValueId; 3]>> {
        let mut values = SmallVec::new();
        if self.token.tok != Tok::Value {
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            if !self.eat_punct(',')? {
                return Ok(values);
            }
        }
    }

    /// An operation without regions, after its name.
    fn simple(&mut self, word: Token) -> Parsed<Parts> {
        let name = self.text(word);
        let mut literal = None;
        let mut kind = match name {
            "const" => {
                literal = Some(self.literal()?);
                OpKind::Const(Const::zero(Scalar::I1))
            }
            "program_id" => OpKind::ProgramId(self.axis_word()?),
            "num_programs" => OpKind::NumPrograms(self.axis_word()?),
            "range" => {
                let start = self.int32("the first number of the range")?;
                self.expect_punct(',')?;
                let end = self.int32("the end of the range")?;
                OpKind::Range { start, end }
            }
            "splat" => OpKind::Splat,
            "expand_dims" => OpKind::ExpandDims { axis: 0 },
            "broadcast" => OpKind::Broadcast,
            "reshape" => OpKind::Reshape,
            "transpose" => OpKind::Transpose {
                permutation: Permutation::EMPTY,
            },
            "join" => OpKind::Join,
            "split" => OpKind::Split,
            "gather" => OpKind::Gather { axis: 0 },
            "histogram" => OpKind::Histogram,
            "fma" => OpKind::Fma,
            "cmp" => OpKind::Cmp(self.predicate()?),
            "select" => OpKind::Select,
            "addptr" => OpKind::AddPtr,
            "load" => OpKind::Load,
            "store" => OpKind::Store,
            _ => {
                let unary = name.parse::<UnaryOp>().map(OpKind::Unary);
                let binary = || name.parse::<BinaryOp>().map(OpKind::Binary);
                let cast = || name.parse::<CastKind>().map(OpKind::Cast);
                let kind = unary.or_else(|_| binary()).or_else(|_| cast());
                kind.map_err(|e| self.error(word.span, ParseErrorKind::UnknownOp(e.0)))?
            }
        };
        let first_at = self.token.span;
        let form = annotation(&kind);
        let operands = if let OpKind::ExpandDims { axis } = &mut kind {
            let tile = self.value()?;
            self.expect_punct(',')?;
            *axis = self.axis()?;
            SmallVec::from_slice(&[tile])
        } else if let OpKind::Transpose { permutation } = &mut kind {
            let tile = self.value()?;
            *permutation = self.permutation()?;
            SmallVec::from_slice(&[tile])
        } else if let OpKind::Gather { axis } = &mut kind {
            let values = self.values()?;
            self.expect_word("axis")?;
            *axis = self.axis()?;
            values
        } else if literal.is_some() || form == Annotation::None {
            // Without operands: a name that follows belongs to the next operation.
            SmallVec::new()
        } else {
            self.values()?
        };
        let types: SmallVec<[Type; 3]> = operands.iter().map(|&v| self.kernel.ty(v)).collect();
        let mut requested = None;
        let mut result_at = first_at;
        if form != Annotation::None {
            self.expect_punct(':')?;
            let at = self.token.span;
            let ty = self.ty()?;
            match form {
                Annotation::Result => (requested, result_at) = (Some(ty), at),
                _ => self.check_annotation("the first operand", types.first().copied(), ty, at)?,
            }
            if form == Annotation::FirstToResult {
                self.expect_word("to")?;
                result_at = self.token.span;
                requested = Some(self.ty()?);
            }
        }
        if let (Some(literal), Some(ty)) = (literal, requested) {
            let scalar = ty.as_scalar();
            let scalar = scalar.ok_or_else(|| self.invalid(result_at, format!("a constant is a number, not {ty}")))?;
            kind = OpKind::Const(self.constant(literal, scalar)?);
        }
        let results = result_types(&kind, &types, requested).map_err(|e| self.error(word.span, e))?;
        if let Some(requested) = requested {
            self.check_annotation("the result", results.first().copied(), requested, result_at)?;
        }
        Ok(Parts::new(kind, operands, results.into_vec()))
    }

    /// Errors when a printed type is another than the value has.
    fn check_annotation(&self, what: &str, actual: Option<Type>, printed: Type, at: Span) -> Parsed<()> {
        match actual {
            Some(expected) if expected != printed => {
                let what = what.to_owned();
                let kind = ParseErrorKind::Annotation {
                    what,
                    expected,
                    found: printed,
                };
                Err(self.error(at, kind))
            }
            _ => Ok(()),
        }
    }

    /// `%acc = %init : type`
    fn carried(&mut self) -> Parsed<Carried> {
        let name = self.expect(Tok::Value, "a carried value, '%name = %initial : type'")?;
        self.expect_punct('=')?;
        let initial = self.value()?;
        self.expect_punct(':')?;
        let at = self.token.span;
        let ty = self.ty()?;
        self.check_annotation("the initial value", Some(self.kernel.ty(initial)), ty, at)?;
        Ok(Carried {
            name,
            initial: Some(initial),
            ty,
        })
    }

    fn for_loop(&mut self, depth: usize, names: &[Token], word: Token) -> Parsed<Parts> {
        let index = self.expect(Tok::Value, "the loop's index, '%name'")?;
        self.expect_punct('=')?;
        let mut operands = SmallVec::new();
        operands.push(self.value()?);
        self.expect_word("to")?;
        operands.push(self.value()?);
        self.expect_word("step")?;
        operands.push(self.value()?);
        self.expect_punct(':')?;
        let at = self.token.span;
        let ty = self.ty()?;
        self.check_annotation("the lower bound", Some(self.kernel.ty(operands[0])), ty, at)?;
        let mut args = vec![Carried {
            name: index,
            initial: None,
            ty,
        }];
        if self.eat_word("carry")? {
            self.expect_punct('(')?;
            self.list_in_parens(|p| {
                args.push(p.carried()?);
                Ok(())
            })?;
        }
        operands.extend(args.iter().filter_map(|a| a.initial));
        let results: Vec<Type> = args[1..].iter().map(|a| a.ty).collect();
        self.check_result_count(&OpKind::For, results.len(), names, word)?;
        let end = End::Yield(results.len());
        let mut parts = Parts::new(OpKind::For, operands, results);
        self.region(&mut parts, depth, &args, end)?;
        Ok(parts)
    }

    fn if_else(&mut self, depth: usize, names: &[Token], word: Token) -> Parsed<Parts> {
        let condition = self.value()?;
        let mut results = Vec::new();
        if self.token.tok == Tok::Arrow {
            self.advance()?;
            self.expect_punct('(')?;
            self.list_in_parens(|p| {
                results.push(p.ty()?);
                Ok(())
            })?;
        }
        self.check_result_count(&OpKind::If, results.len(), names, word)?;
        let end = End::Yield(results.len());
        let mut parts = Parts::new(OpKind::If, SmallVec::from_slice(&[condition]), results);
        self.region(&mut parts, depth, &[], end)?;
        if self.eat_word("else")? {
            self.region(&mut parts, depth, &[], end)?;
        } else if end != End::Yield(0) {
            return Err(self.expected("'else', since the 'if' has results"));
        } else {
            let region = self.kernel.new_region([]);
            parts.regions.push(region);
            self.imply_yield(region, &mut parts);
        }
        Ok(parts)
    }

    fn while_loop(&mut self, depth: usize, names: &[Token], word: Token) -> Parsed<Parts> {
        let mut test_args = Vec::new();
        self.expect_punct('(')?;
        self.list_in_parens(|p| {
            test_args.push(p.carried()?);
            Ok(())
        })?;
        let operands = test_args.iter().filter_map(|a| a.initial).collect();
        let results: Vec<Type> = test_args.iter().map(|a| a.ty).collect();
        self.check_result_count(&OpKind::While, results.len(), names, word)?;
        let end = End::Yield(results.len());
        let mut parts = Parts::new(OpKind::While, operands, results);
        self.region(&mut parts, depth, &test_args, End::Condition)?;
        self.expect_word("do")?;
        self.expect_punct('(')?;
        let mut body_args = Vec::new();
        self.list_in_parens(|p| {
            let name = p.expect(Tok::Value, "an argument of the body, '%name: type'")?;
            p.expect_punct(':')?;
            let ty = p.ty()?;
            body_args.push(Carried {
                name,
                initial: None,
                ty,
            });
            Ok(())
        })?;
        self.region(&mut parts, depth, &body_args, end)?;
        Ok(parts)
    }

    /// A reduction or scan, after its name.
    fn reduction(&mut self, depth: usize, names: &[Token], word: Token) -> Parsed<Parts> {
        let operands = self.values()?;
        if operands.is_empty() {
            return Err(self.expected("the tiles to combine, '%name, ...'"));
        }
        self.expect_word("axis")?;
        let axis = self.axis()?;
        let kind = if self.text(word) == "scan" {
            let reverse = self.eat_word("reverse")?;
            OpKind::Scan { axis, reverse }
        } else {
            OpKind::Reduce { axis }
        };
        let types: SmallVec<[Type; 3]> = operands.iter().map(|&v| self.kernel.ty(v)).collect();
        self.expect_punct(':')?;
        for (index, &ty) in types.iter().enumerate() {
            if index > 0 {
                self.expect_punct(',')?;
            }
            let at = self.token.span;
            let printed = self.ty()?;
            self.check_annotation(&format!("operand {index}"), Some(ty), printed, at)?;
        }
        let results = reduction_types(&kind, &types).map_err(|e| self.error(word.span, e))?;
        self.check_result_count(&kind, results.len(), names, word)?;
        let open = self.expect_punct('(')?;
        let mut args = Vec::new();
        self.list_in_parens(|p| {
            let name = p.expect(Tok::Value, "an argument of the combiner, '%name'")?;
            let ty = types[args.len() % types.len()].element();
            args.push(Carried {
                name,
                initial: None,
                ty,
            });
            Ok(())
        })?;
        if args.len() != 2 * types.len() {
            let (found, expected) = (args.len(), 2 * types.len());
            let message = format!("the combiner takes {expected} arguments here, not {found}: two for each operand");
            return Err(self.invalid(open.span, message));
        }
        let end = End::Yield(results.len());
        let mut parts = Parts::new(kind, operands, results);
        self.region(&mut parts, depth, &args, end)?;
        if let Some(op) = non_associative(&self.kernel, parts.regions[0]) {
            let span = self.places.get(&op).copied().unwrap_or(word.span);
            return Err(self.invalid(span, non_associative_message(&self.kernel.op(op).kind)));
        }
        Ok(parts)
    }

    /// `[1, 0]`
    fn permutation(&mut self) -> Parsed<Permutation> {
        let open = self.expect_punct('[')?;
        let mut axes = Vec::new();
        loop {
            axes.push(self.axis()?);
            if self.eat_punct(']')? {
                break;
            }
            if !self.eat_punct(',')? {
                return Err(self.expected("',' or ']'"));
            }
        }
        Permutation::new(&axes).map_err(|e| self.invalid(open.span, e.to_string()))
    }

    /// `{ op* terminator }`, added to the operation's regions.
    fn region(&mut self, parts: &mut Parts, depth: usize, args: &[Carried], end: End) -> Parsed<()> {
        let open = self.expect_punct('{')?;
        let depth = depth + 1;
        if depth > MAX_NESTING {
            return Err(self.error(open.span, ParseErrorKind::Nesting(MAX_NESTING)));
        }
        let region = self.kernel.new_region(args.iter().map(|a| a.ty));
        parts.regions.push(region);
        self.scopes.push(FxHashMap::default());
        for (index, arg) in args.iter().enumerate() {
            let value = self.kernel.region(region).args[index];
            self.define(arg.name, value)?;
        }
        let expected = match end {
            End::Yield(0) => "an operation or '}'".to_owned(),
            End::Yield(n) => format!("an operation, or 'yield' with {n} value(s)"),
            End::Condition => "an operation, or 'condition' with an i1 and the carried values".to_owned(),
        };
        let kind = if end == End::Condition {
            OpKind::Condition
        } else {
            OpKind::Yield
        };
        loop {
            if end == End::Yield(0) && self.at_punct('}') {
                self.imply_yield(region, parts);
                break;
            }
            if self.at_word(kind.name()) {
                let word = self.advance()?;
                let values = self.values()?;
                self.check_passed(end, &values, word)?;
                let loc = self.loc(word.span)?;
                let op = self.kernel.new_op(kind, values, [], [], loc);
                self.places.insert(op, word.span);
                self.kernel.region_mut(region).ops.push(op);
                if !self.at_punct('}') {
                    return Err(self.expected("'}' after the end of the region"));
                }
                break;
            }
            let op = self.op(&expected, depth)?;
            self.kernel.region_mut(region).ops.push(op);
        }
        self.expect_punct('}')?;
        self.scopes.pop();
        Ok(())
    }

    /// The simplest errors of terminators right where they stand; the verifier finds the others.
    fn check_passed(&self, end: End, values: &[ValueId], word: Token) -> Parsed<()> {
        match (end, values) {
            (End::Yield(expected), _) if expected != values.len() => {
                let message = format!("this region yields {expected} value(s), not {}", values.len());
                Err(self.invalid(word.span, message))
            }
            (End::Condition, &[]) => Err(self.expected("the condition, a value of type i1")),
            (End::Condition, &[condition, ..]) if self.kernel.ty(condition) != Type::I1 => {
                let error = TypeError::Role {
                    op: "condition",
                    role: "condition",
                    expected: Type::I1,
                    found: self.kernel.ty(condition),
                };
                Err(self.error(word.span, error))
            }
            _ => Ok(()),
        }
    }

    /// Ends a region with a `yield` of nothing whose place is set with that of its holder.
    fn imply_yield(&mut self, region: RegionId, parts: &mut Parts) {
        let op = self.kernel.new_op(OpKind::Yield, [], [], [], Loc::UNKNOWN);
        self.kernel.region_mut(region).ops.push(op);
        parts.implied.push(op);
    }
}
