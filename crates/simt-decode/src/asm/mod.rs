//! `llvm.inline_asm`: a part of PTX (PTX ISA 9.0), namely
//!
//! - `ld` and `st` of global and shared memory, vectors, weak, volatile, relaxed, acquire and release, whatever the
//!   cache operators;
//! - `mov`, also to and from lists, `cvt` between integers and between floats, `setp`, `selp`;
//! - `add`, `sub`, `mul`, `mad`, `fma`, `min`, `max`, `abs`, `neg`, `and`, `or`, `xor`, `not`, `shl`, `shr`, and the
//!   functions `ex2`, `lg2`, `rsqrt`, `sqrt`, `div.full`, `div.rn`;
//! - `bar.sync`, `barrier.sync`, `bar.arrive`, `bar.warp.sync`, `membar`, `fence`;
//! - declarations of registers, guards, several statements.
//!
//! There are no branches, and nothing that flushes subnormals. Text that is not known is an error that quotes it.

mod alu;
mod memory;
mod parse;

use melior::ir::operation::OperationLike;
use mytriton_simt::program::{Fence, Instr, Reg};
use mytriton_ssa::{BinaryOp, CastKind, Scalar};
use rustc_hash::FxHashMap;

use crate::decoder::{Decoder, Op, Result, Words};
use crate::math::integer_of;
use crate::types::Ty;
use mytriton_tile::ops::llvm::InlineAsmOp;
use parse::{Name, Operand, Statement};

/// A register of the text: its width and what it holds, if anything yet.
#[derive(Clone, Copy)]
struct Slot {
    ty: Scalar,
    reg: Option<Reg>,
}

/// The decoding of one text. Functions give none for what is not known.
struct Asm<'d, 'm> {
    decoder: &'d mut Decoder<'m>,
    operands: Vec<Slot>,
    locals: FxHashMap<String, Slot>,
}

impl Decoder<'_> {
    pub(crate) fn inline_asm(&mut self, view: InlineAsmOp<'_, '_>) -> Result {
        let (op, text) = (view.operation(), view.asm_string());
        let unknown = |this: &Self, what: &str| {
            let text = text.trim();
            this.error(
                op,
                format!("the executor does not know '{what}' of the inline PTX \"{text}\""),
            )
        };
        let (operands, outputs) = self.asm_operands(op, view.constraints())?;
        let statements = parse::statements(text).map_err(|part| unknown(self, &part))?;
        let mut asm = Asm {
            decoder: self,
            operands,
            locals: FxHashMap::default(),
        };
        for statement in &statements {
            if asm.statement(statement).is_none() {
                return Err(unknown(asm.decoder, &statement.text));
            }
        }
        let slots = asm.operands;
        if op.result_count() > 0 {
            let zero = self.constant(0);
            let words: Words = slots[..outputs].iter().map(|slot| slot.reg.unwrap_or(zero)).collect();
            self.define(op, 0, words)?;
        }
        Ok(())
    }

    /// The registers that the text names by number: outputs, then inputs. An input may be tied to an output, which it
    /// then holds at first.
    fn asm_operands(&mut self, op: Op<'_, '_>, constraints: &str) -> Result<(Vec<Slot>, usize)> {
        let bad = |this: &Self| this.bad_attribute(op, "constraints");
        let mut types: Vec<Scalar> = Vec::new();
        if op.result_count() > 0 {
            let result = self.result_type(op, 0)?;
            match &*self.ty(op, result)? {
                Ty::Struct { fields, .. } => {
                    for field in fields {
                        let scalar = field.scalar().filter(|_| field.registers() == 1);
                        types.push(scalar.ok_or_else(|| self.bad_type(op, result))?);
                    }
                }
                ty => {
                    let scalar = ty.scalar().filter(|_| ty.registers() == 1);
                    types.push(scalar.ok_or_else(|| self.bad_type(op, result))?);
                }
            }
        }
        let outputs = types.len();
        let mut slots: Vec<Slot> = types.into_iter().map(|ty| Slot { ty, reg: None }).collect();
        let (mut next, mut seen) = (0, 0);
        for constraint in constraints.split(',').map(str::trim).filter(|text| !text.is_empty()) {
            if constraint.starts_with('~') {
                continue;
            }
            if let Some(class) = constraint.strip_prefix('=') {
                seen += 1;
                if !is_class(class.trim_start_matches('&')) {
                    return Err(bad(self));
                }
                continue;
            }
            let tied = constraint.parse::<usize>().ok();
            if tied.is_none_or(|output| output >= outputs) && !is_class(constraint) {
                return Err(bad(self));
            }
            let (ty, reg) = (self.operand_scalar(op, next)?, self.operand_reg(op, next)?);
            if let Some(output) = tied {
                slots[output].reg = Some(reg);
            }
            slots.push(Slot { ty, reg: Some(reg) });
            next += 1;
        }
        if seen != outputs || next != op.operand_count() {
            return Err(bad(self));
        }
        Ok((slots, outputs))
    }
}

/// Letters of register classes (LLVM, NVPTX inline assembly), and of immediate integers.
fn is_class(text: &str) -> bool {
    matches!(text, "b" | "c" | "h" | "r" | "l" | "f" | "d" | "n")
}

/// The scalar that a type of PTX is: `.pred`, `.b32`, `.s8`, `.bf16`. Untyped bits are an integer.
fn scalar_of(text: &str) -> Option<Scalar> {
    if text == "pred" {
        return Some(Scalar::I1);
    }
    if matches!(text, "bf16" | "f16" | "f32" | "f64") {
        return text.parse().ok();
    }
    let width = text.strip_prefix(['b', 'u', 's'])?;
    match width {
        "8" | "16" | "32" | "64" => format!("i{width}").parse().ok(),
        _ => None,
    }
}

impl Asm<'_, '_> {
    fn statement(&mut self, statement: &Statement) -> Option<()> {
        let name = statement.opcode.first().map(String::as_str)?;
        if name.is_empty() {
            return self.declaration(statement);
        }
        let guard = match &statement.guard {
            Some((name, negated)) => {
                let truth = self.read(name, Scalar::I1)?;
                Some(if *negated { self.decoder.not(truth) } else { truth })
            }
            None => None,
        };
        match name {
            "ld" => self.load(statement, guard),
            "st" => self.store(statement, guard),
            "bar" | "barrier" | "membar" | "fence" => self.synchronise(statement, guard),
            _ => self.compute(statement, guard),
        }
    }

    /// `.reg .pred p, q` or `.reg .b32 t<4>`.
    fn declaration(&mut self, statement: &Statement) -> Option<()> {
        let words = statement.text.strip_prefix(".reg")?.trim_start().strip_prefix('.')?;
        let (ty, names) = words.split_once(char::is_whitespace)?;
        let ty = scalar_of(ty)?;
        for name in names.split(',').map(str::trim) {
            let slot = Slot { ty, reg: None };
            match name.strip_suffix('>').and_then(|name| name.split_once('<')) {
                Some((stem, count)) => {
                    let count: u32 = count.parse().ok().filter(|count| *count <= 1024)?;
                    self.locals
                        .extend((0..count).map(|number| (format!("{stem}{number}"), slot)));
                }
                None => {
                    self.locals.insert(name.to_owned(), slot);
                }
            }
        }
        Some(())
    }

    fn slot(&mut self, name: &Name) -> Option<&mut Slot> {
        match name {
            Name::Operand(number) => self.operands.get_mut(*number),
            Name::Local(name) => self.locals.get_mut(name),
        }
    }

    /// A register that must be of a width. One that holds nothing yet is zero.
    fn read(&mut self, name: &Name, ty: Scalar) -> Option<Reg> {
        let slot = *self.slot(name)?;
        let fits = slot.ty.bits() == ty.bits();
        fits.then(|| slot.reg.unwrap_or_else(|| self.decoder.constant(0)))
    }

    fn value(&mut self, operand: &Operand, ty: Scalar) -> Option<Reg> {
        match operand {
            Operand::Name(name) => self.read(name, ty),
            Operand::Literal(bits) => Some(self.decoder.constant(bits & ty.bit_mask())),
            _ => None,
        }
    }

    /// Writes a number to a register of its width, where the guard holds.
    fn write(&mut self, operand: &Operand, ty: Scalar, value: Reg, guard: Option<Reg>) -> Option<()> {
        let name = match operand {
            Operand::Name(name) => name,
            Operand::Sink => return Some(()),
            _ => return None,
        };
        let value = match guard {
            None => value,
            Some(guard) => {
                let old = self.read(name, ty)?;
                self.decoder.select(guard, value, old)
            }
        };
        let slot = self.slot(name).filter(|slot| slot.ty.bits() == ty.bits())?;
        slot.reg = Some(value);
        Some(())
    }

    /// An address in registers of 32 or 64 bits, with an offset.
    fn address(&mut self, operand: &Operand) -> Option<Reg> {
        let Operand::Address(base, offset) = operand else {
            return None;
        };
        let slot = *self.slot(base)?;
        if slot.ty.bits() < 32 {
            return None;
        }
        let base = slot.reg?;
        let offset = self.decoder.constant(*offset as u64);
        Some(self.decoder.add_offset(base, offset))
    }

    /// Emits what has no results, for the lanes alone whose guard holds.
    fn guarded(&mut self, guard: Option<Reg>, instr: Instr) -> Option<()> {
        match guard {
            None => {
                self.decoder.emit(instr);
            }
            Some(cond) => {
                let emitted = self.decoder.only_if(cond, |decoder| {
                    decoder.emit(instr);
                    Ok(())
                });
                emitted.ok()?;
            }
        }
        Some(())
    }

    fn synchronise(&mut self, statement: &Statement, guard: Option<Reg>) -> Option<()> {
        let opcode: Vec<&str> = statement
            .opcode
            .iter()
            .map(String::as_str)
            .filter(|part| *part != "cta")
            .collect();
        let instr = match (&opcode[..], &statement.operands[..]) {
            (["bar" | "barrier", "sync"] | ["barrier", "sync", "aligned"], [Operand::Literal(0)]) => Instr::Barrier,
            (["bar", "warp", "sync"], [mask]) => Instr::WarpBarrier {
                mask: self.value(mask, Scalar::I32)?,
            },
            (
                ["bar" | "barrier", kind @ ("sync" | "arrive")] | ["barrier", kind @ ("sync" | "arrive"), "aligned"],
                list,
            ) => {
                let (id, threads) = match list {
                    [id] if *kind == "sync" => (id, None),
                    [id, threads] => (id, Some(self.value(threads, Scalar::I32)?)),
                    _ => return None,
                };
                Instr::NamedBarrier {
                    id: self.value(id, Scalar::I32)?,
                    threads,
                    wait: *kind == "sync",
                }
            }
            (["fence", "proxy", "async"], [])
            | (
                [
                    "fence",
                    "proxy",
                    "async",
                    "global" | "shared" | "shared::cta" | "shared::cluster",
                ],
                [],
            ) => Instr::Fence(Fence::AsyncProxy),
            (["membar", ..] | ["fence", "sc" | "acq_rel", ..] | ["fence", "mbarrier_init", ..], []) => {
                Instr::Fence(Fence::Memory)
            }
            _ => return None,
        };
        self.guarded(guard, instr)
    }

    /// A number of one width as one of another, as `ld` and `st` do with registers that are wider than memory's words.
    fn widened(&mut self, signed: bool, from: Scalar, to: Scalar, value: Reg) -> Reg {
        let (from, to) = (integer_of(from), integer_of(to));
        if signed && to.bits() > from.bits() {
            self.decoder.cast(CastKind::SExt, from, to, value)
        } else {
            value
        }
    }

    /// `a + b` with the wrapping of a type.
    fn sum(&mut self, ty: Scalar, a: Reg, b: Reg) -> Reg {
        self.decoder.binary(BinaryOp::Add, ty, a, b)
    }
}
