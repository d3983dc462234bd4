//! Matrices: `ldmatrix`, `stmatrix`, `mma.sync`, and the asynchronous products `wgmma.*`.
//!
//! A fragment is as many registers as its operands have numbers: `vector<2xf16>` two, `i32` one with all of its elements.
//! The result of `wgmma.mma_async` is a value of its own here; [`Program::allocate`] makes it one with what it adds to.
//!
//! [`Program::allocate`]: mytriton_simt::Program::allocate

use std::ops::Range;

use melior::ir::operation::OperationLike;
use mytriton_simt::matrix::{Accumulator, Fragment, Input, Left, MatrixInstr, Mma, ShapeError, Wgmma};
use mytriton_simt::program::{Instr, Reg};
use mytriton_ssa::Scalar;
use mytriton_tile::name_of;

use crate::DecodeError;
use crate::attributes;
use crate::decoder::{Decoder, Op, Result, Words};
use crate::types::Ty;

impl Decoder<'_> {
    fn emit_matrix(&mut self, instr: MatrixInstr) {
        self.emit(Instr::Matrix(Box::new(instr)));
    }

    pub(super) fn matrix(&mut self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        match name {
            "ldmatrix" => self.load_matrices(op)?,
            "stmatrix" => self.store_matrices(op)?,
            "mma.sync" => self.mma(op)?,
            "wgmma.mma_async" => self.wgmma(op)?,
            "wgmma.fence.aligned" => self.emit_matrix(MatrixInstr::WgmmaFence),
            "wgmma.commit.group.sync.aligned" => self.emit_matrix(MatrixInstr::WgmmaCommit),
            "wgmma.wait.group.sync.aligned" => {
                let pending = attributes::integer(op, "group").and_then(|group| u32::try_from(group).ok());
                let pending = pending.ok_or_else(|| self.bad_attribute(op, "group"))?;
                self.emit_matrix(MatrixInstr::WgmmaWait { pending });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Of 8x8 matrices of 16-bit elements: are they transposed?
    fn transposed(&self, op: Op<'_, '_>) -> Result<bool> {
        if numbers(op, "shape") != Some(vec![8, 8]) {
            return Err(self.bad_attribute(op, "shape"));
        }
        if attributes::word(op, "eltType").as_deref() != Some("b16") {
            return Err(self.bad_attribute(op, "eltType"));
        }
        self.is_column_major(op, "layout")
    }

    fn is_column_major(&self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        match attributes::word(op, name).as_deref() {
            Some("row") => Ok(false),
            Some("col") => Ok(true),
            _ => Err(self.bad_attribute(op, name)),
        }
    }

    fn load_matrices(&mut self, op: Op<'_, '_>) -> Result {
        let transpose = self.transposed(op)?;
        let count = attributes::integer(op, "num").filter(|count| matches!(count, 1 | 2 | 4));
        let count = count.ok_or_else(|| self.bad_attribute(op, "num"))?;
        let address = self.shared_operand(op, 0)?;
        let words: Words = (0..count).map(|_| self.fresh()).collect();
        let dst = self.list(&words);
        self.emit_matrix(MatrixInstr::Load {
            dst,
            address,
            transpose,
        });
        self.define(op, 0, words)
    }

    fn store_matrices(&mut self, op: Op<'_, '_>) -> Result {
        let transpose = self.transposed(op)?;
        let address = self.shared_operand(op, 0)?;
        let words: Result<Vec<Reg>> = (1..op.operand_count())
            .map(|index| self.operand_reg(op, index))
            .collect();
        let src = self.list(&words?);
        self.emit_matrix(MatrixInstr::Store {
            src,
            address,
            transpose,
        });
        Ok(())
    }

    fn mma(&mut self, op: Op<'_, '_>) -> Result {
        if op.has_attribute("b1Op") {
            return Err(self.bad_attribute(op, "b1Op"));
        }
        if self.is_column_major(op, "layoutA")? {
            return Err(self.bad_attribute(op, "layoutA"));
        }
        if !self.is_column_major(op, "layoutB")? {
            return Err(self.bad_attribute(op, "layoutB"));
        }
        let k = match numbers(op, "shape").as_deref() {
            Some(&[16, 8, k]) => k,
            _ => return Err(self.bad_attribute(op, "shape")),
        };
        let segments = self.segments(op)?;
        let operands = |number: usize| segments.get(number).cloned().unwrap_or(0..0);
        let inputs = [
            self.multiplicand(op, "multiplicandAPtxType", operands(0))?,
            self.multiplicand(op, "multiplicandBPtxType", operands(1))?,
        ];
        let result = self.result_ty(op, 0)?;
        let (bits, accumulator) = self.accumulator(op, &result)?;
        let [a, b, c] = [operands(0), operands(1), operands(2)];
        let (a, b, c) = (self.fragment(op, a)?, self.fragment(op, b)?, self.fragment(op, c)?);
        let words: Words = (0..result.registers()).map(|_| self.fresh()).collect();
        let regs = self.list(&words);
        let mma = Mma {
            k,
            inputs,
            accumulator,
            saturate: self.saturates(op, "intOverflowBehavior")?,
            d: Fragment { regs, bits },
            a,
            b,
            c,
        };
        mma.check().map_err(|error| self.no_shape(op, &error))?;
        self.emit_matrix(MatrixInstr::Mma(mma));
        self.define(op, 0, words)
    }

    fn wgmma(&mut self, op: Op<'_, '_>) -> Result {
        let (n, k) = match numbers(op, "shape").as_deref() {
            Some(&[64, n, k]) => (n, k),
            _ => return Err(self.bad_attribute(op, "shape")),
        };
        let mut inputs = [Input::F16; 2];
        for (input, name) in inputs.iter_mut().zip(["typeA", "typeB"]) {
            let known = attributes::word(op, name).and_then(|word| input_of(&word));
            *input = known.ok_or_else(|| self.bad_attribute(op, name))?;
        }
        let result = self.result_ty(op, 0)?;
        let (bits, accumulator) = self.accumulator(op, &result)?;
        let named = match attributes::word(op, "typeD").as_deref() {
            Some("f32") => Some(Accumulator::F32),
            Some("f16") => Some(Accumulator::F16),
            Some("s32") => Some(Accumulator::S32),
            _ => None,
        };
        // Registers of 32 bits may hold two elements.
        let accumulator = match named {
            Some(Accumulator::F16) if bits == 32 => Accumulator::F16,
            Some(named) if named == accumulator => accumulator,
            Some(_) => return Err(self.bad_type(op, self.result_type(op, 0)?)),
            None => return Err(self.bad_attribute(op, "typeD")),
        };
        let scale_d = match attributes::word(op, "scaleD").as_deref() {
            Some("zero") => self.constant(0),
            Some("one") => self.constant(1),
            _ => return Err(self.bad_attribute(op, "scaleD")),
        };
        let mut negate = [false; 2];
        for (negate, name) in negate.iter_mut().zip(["scaleA", "scaleB"]) {
            *negate = match attributes::word(op, name).as_deref() {
                Some("neg") => true,
                Some("one") => false,
                _ => return Err(self.bad_attribute(op, name)),
            };
        }
        // A and B are K-major where rows of A and columns of B lie in a row.
        let (transposed, b_transposed) = (
            self.is_column_major(op, "layoutA")?,
            !self.is_column_major(op, "layoutB")?,
        );
        let (old, descriptor, b) = (self.operand(op, 0)?, self.operand_reg(op, 1)?, self.operand_reg(op, 2)?);
        let words: Words = old.iter().map(|_| self.fresh()).collect();
        let (c, d) = (self.list(&old), self.list(&words));
        let wgmma = Wgmma {
            n,
            inputs,
            accumulator,
            saturate: self.saturates(op, "satfinite")?,
            d: Fragment { regs: d, bits },
            c: Fragment { regs: c, bits },
            a: Left::Shared { descriptor, transposed },
            b,
            b_transposed,
            scale_d,
            negate,
        };
        wgmma.check().map_err(|error| self.no_shape(op, &error))?;
        if k != wgmma.k() {
            return Err(self.bad_attribute(op, "shape"));
        }
        self.emit_matrix(MatrixInstr::Wgmma(wgmma));
        self.define(op, 0, words)
    }

    fn no_shape(&self, op: Op<'_, '_>, error: &ShapeError) -> DecodeError {
        self.error(op, format!("'{}': {error}", name_of(op)))
    }

    fn saturates(&self, op: Op<'_, '_>, name: &str) -> Result<bool> {
        match attributes::word(op, name).as_deref() {
            None | Some("wrapped") => Ok(false),
            Some("satfinite") => Ok(true),
            _ => Err(self.bad_attribute(op, name)),
        }
    }

    /// The type of A's or B's elements: that of the attribute, or what the operands are vectors of.
    fn multiplicand(&mut self, op: Op<'_, '_>, name: &str, operands: Range<usize>) -> Result<Input> {
        if let Some(word) = attributes::word(op, name) {
            return input_of(&word).ok_or_else(|| self.bad_attribute(op, name));
        }
        match self.operand_scalar(op, operands.start)? {
            Scalar::F16 => Ok(Input::F16),
            _ => Err(self.bad_type(op, self.operand_type(op, operands.start)?)),
        }
    }

    /// Some operands as one fragment.
    fn fragment(&mut self, op: Op<'_, '_>, operands: Range<usize>) -> Result<Fragment> {
        let mut words = Words::new();
        let mut bits = None;
        for index in operands {
            let scalar = self.operand_scalar(op, index)?;
            let width = register_bits(scalar).filter(|width| bits.is_none_or(|bits| bits == *width));
            let Some(width) = width else {
                return Err(self.bad_type(op, self.operand_type(op, index)?));
            };
            bits = Some(width);
            words.extend(self.operand(op, index)?);
        }
        let regs = self.list(&words);
        let bits = bits.unwrap_or(32);
        Ok(Fragment { regs, bits })
    }

    /// Bits of each register of a result, and what its elements are: the fields of a struct, which are alike.
    fn accumulator(&mut self, op: Op<'_, '_>, ty: &Ty) -> Result<(u8, Accumulator)> {
        let scalar = match ty {
            Ty::Struct { fields, .. } if fields.windows(2).all(|pair| pair[0] == pair[1]) => {
                fields.first().and_then(Ty::scalar)
            }
            _ => None,
        };
        match scalar {
            Some(Scalar::F32) => Ok((32, Accumulator::F32)),
            Some(Scalar::I32) => Ok((32, Accumulator::S32)),
            Some(Scalar::F16) => Ok((16, Accumulator::F16)),
            _ => Err(self.bad_type(op, self.result_type(op, 0)?)),
        }
    }
}

/// Bits of a register of a fragment whose operands are of such numbers.
const fn register_bits(scalar: Scalar) -> Option<u8> {
    match scalar {
        Scalar::I32 | Scalar::F32 => Some(32),
        Scalar::F16 | Scalar::BF16 => Some(16),
        Scalar::I8 => Some(8),
        _ => None,
    }
}

fn input_of(word: &str) -> Option<Input> {
    Some(match word {
        "f16" => Input::F16,
        "bf16" => Input::BF16,
        "tf32" => Input::TF32,
        "s8" => Input::S8,
        "u8" => Input::U8,
        "e4m3" => Input::E4M3,
        "e5m2" => Input::E5M2,
        _ => return None,
    })
}

/// The numbers of an attribute like `#nvvm.shape<m = 16, n = 8, k = 16>`, in order.
fn numbers(op: Op<'_, '_>, name: &str) -> Option<Vec<u16>> {
    let text = op.attribute(name).ok()?.to_string();
    let inside = text.split_once('<')?.1.trim_end_matches('>');
    let number = |part: &str| part.split_once('=')?.1.trim().parse().ok();
    inside.split(',').map(number).collect()
}
