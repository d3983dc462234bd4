//! Matrices: `ldmatrix`, `stmatrix`, `mma.sync`, and the asynchronous products `wgmma.*`.
//!
//! A fragment is as many registers as its operands have numbers: `vector<2xf16>` two, `i32` one with all of its elements.
//! The result of `wgmma.mma_async` is a value of its own here; [`Program::allocate`] makes it one with what it adds to.
//!
//! [`Program::allocate`]: mytriton_simt::Program::allocate

use melior::ir::{Attribute, Value, ValueLike};
use mytriton_simt::matrix::{Accumulator, Fragment, Input, Left, MatrixInstr, Mma, ShapeError, Wgmma};
use mytriton_simt::program::{Instr, Reg};
use mytriton_ssa::Scalar;
use mytriton_tile::name_of;
use mytriton_tile::ops::nvvm::{
    LdMatrixOp, LdStMatrixEltType, MMAIntOverflow, MMALayout, MMATypes, MmaOp, StMatrixOp, WGMMAScaleIn, WGMMAScaleOut,
    WGMMATypes, WgmmaMmaAsyncOp, WgmmaWaitGroupSyncOp,
};
use mytriton_tile_sys as sys;

use crate::DecodeError;
use crate::decoder::{Decoder, Op, Result, Words};
use crate::types::Ty;

impl Decoder<'_> {
    pub(super) fn emit_matrix(&mut self, instr: MatrixInstr) -> Result {
        self.emit(Instr::Matrix(Box::new(instr)));
        Ok(())
    }

    pub(super) fn wgmma_wait(&mut self, view: WgmmaWaitGroupSyncOp<'_, '_>) -> Result {
        let pending = self.pending(view.operation(), "group", view.group())?;
        self.emit_matrix(MatrixInstr::WgmmaWait { pending })
    }

    /// An error for matrices other than of 8x8 elements of 16 bits.
    fn known_matrix(&self, op: Op<'_, '_>, shape: Attribute<'_>, element: LdStMatrixEltType) -> Result {
        if sys::nvvm_shape(shape).as_deref() != Some(&[8, 8]) {
            return Err(self.bad_attribute(op, "shape"));
        }
        match element {
            LdStMatrixEltType::B16 => Ok(()),
            LdStMatrixEltType::B8 | LdStMatrixEltType::B8x16B6x16P32 | LdStMatrixEltType::B8x16B4x16P64 => {
                Err(self.bad_attribute(op, "eltType"))
            }
        }
    }

    pub(super) fn load_matrices(&mut self, view: LdMatrixOp<'_, '_>) -> Result {
        let op = view.operation();
        self.known_matrix(op, view.shape(), view.elt_type())?;
        let count = view.num();
        if !matches!(count, 1 | 2 | 4) {
            return Err(self.bad_attribute(op, "num"));
        }
        let address = self.shared_operand(op, 0)?;
        let words: Words = (0..count).map(|_| self.fresh()).collect();
        let dst = self.list(&words);
        self.emit_matrix(MatrixInstr::Load {
            dst,
            address,
            transpose: column_major(view.layout()),
        })?;
        self.define(op, 0, words)
    }

    pub(super) fn store_matrices(&mut self, view: StMatrixOp<'_, '_>) -> Result {
        let op = view.operation();
        self.known_matrix(op, view.shape(), view.elt_type())?;
        let address = self.shared_operand(op, 0)?;
        let words: Result<Vec<Reg>> = view.sources().map(|source| self.reg(op, source)).collect();
        let src = self.list(&words?);
        self.emit_matrix(MatrixInstr::Store {
            src,
            address,
            transpose: column_major(view.layout()),
        })
    }

    /// The extents of an attribute `shape` whose first ones are known.
    fn extents<const N: usize>(&self, op: Op<'_, '_>, shape: Attribute<'_>, first: &[i32]) -> Result<[u16; N]> {
        let extents = sys::nvvm_shape(shape);
        let rest = extents.as_deref().and_then(|extents| extents.strip_prefix(first));
        let rest: Option<Vec<u16>> =
            rest.and_then(|rest| rest.iter().map(|&extent| u16::try_from(extent).ok()).collect());
        let rest = rest.and_then(|rest| <[u16; N]>::try_from(rest).ok());
        rest.ok_or_else(|| self.bad_attribute(op, "shape"))
    }

    pub(super) fn mma(&mut self, view: MmaOp<'_, '_>) -> Result {
        let op = view.operation();
        if view.b1_op().is_some() {
            return Err(self.bad_attribute(op, "b1Op"));
        }
        if column_major(view.layout_a()) {
            return Err(self.bad_attribute(op, "layoutA"));
        }
        if !column_major(view.layout_b()) {
            return Err(self.bad_attribute(op, "layoutB"));
        }
        let [k] = self.extents(op, view.shape(), &[16, 8])?;
        let [a, b, c]: [Vec<Value>; 3] = [
            view.operand_a().collect(),
            view.operand_b().collect(),
            view.operand_c().collect(),
        ];
        let inputs = [
            self.multiplicand(op, "multiplicandAPtxType", view.multiplicand_a_ptx_type(), &a)?,
            self.multiplicand(op, "multiplicandBPtxType", view.multiplicand_b_ptx_type(), &b)?,
        ];
        let result = self.result_ty(op, 0)?;
        let (bits, accumulator) = self.accumulator(op, &result)?;
        let (a, b, c) = (self.fragment(op, &a)?, self.fragment(op, &b)?, self.fragment(op, &c)?);
        let words: Words = (0..result.registers()).map(|_| self.fresh()).collect();
        let regs = self.list(&words);
        let mma = Mma {
            k,
            inputs,
            accumulator,
            saturate: saturates(view.int_overflow_behavior()),
            d: Fragment { regs, bits },
            a,
            b,
            c,
        };
        mma.check().map_err(|error| self.no_shape(op, &error))?;
        self.emit_matrix(MatrixInstr::Mma(mma))?;
        self.define(op, 0, words)
    }

    pub(super) fn wgmma(&mut self, view: WgmmaMmaAsyncOp<'_, '_>) -> Result {
        let op = view.operation();
        let [n, k] = self.extents(op, view.shape(), &[64])?;
        let mut inputs = [Input::F16; 2];
        for (input, (ty, name)) in inputs
            .iter_mut()
            .zip([(view.type_a(), "typeA"), (view.type_b(), "typeB")])
        {
            *input = wgmma_input(ty).ok_or_else(|| self.bad_attribute(op, name))?;
        }
        let result = self.result_ty(op, 0)?;
        let (bits, accumulator) = self.accumulator(op, &result)?;
        let named = wgmma_accumulator(view.type_d());
        // Registers of 32 bits may hold two elements.
        let accumulator = match named {
            Some(Accumulator::F16) if bits == 32 => Accumulator::F16,
            Some(named) if named == accumulator => accumulator,
            Some(_) => return Err(self.bad_type(op, self.result_type(op, 0)?)),
            None => return Err(self.bad_attribute(op, "typeD")),
        };
        let scale_d = match view.scale_d() {
            WGMMAScaleOut::Zero => self.constant(0),
            WGMMAScaleOut::One => self.constant(1),
        };
        let negate = [view.scale_a(), view.scale_b()].map(|scale| match scale {
            WGMMAScaleIn::Neg => true,
            WGMMAScaleIn::One => false,
        });
        // A and B are K-major where rows of A and columns of B lie in a row.
        let (transposed, b_transposed) = (column_major(view.layout_a()), !column_major(view.layout_b()));
        let (old, descriptor, b) = (self.operand(op, 0)?, self.operand_reg(op, 1)?, self.operand_reg(op, 2)?);
        let words: Words = old.iter().map(|_| self.fresh()).collect();
        let (c, d) = (self.list(&old), self.list(&words));
        let wgmma = Wgmma {
            n,
            inputs,
            accumulator,
            saturate: saturates(view.satfinite()),
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
        self.emit_matrix(MatrixInstr::Wgmma(wgmma))?;
        self.define(op, 0, words)
    }

    fn no_shape(&self, op: Op<'_, '_>, error: &ShapeError) -> DecodeError {
        self.error(op, format!("'{}': {error}", name_of(op)))
    }

    /// The type of A's or B's elements: that of the attribute of this name, or what the operands are vectors of.
    fn multiplicand(
        &mut self,
        op: Op<'_, '_>,
        name: &str,
        ty: Option<MMATypes>,
        operands: &[Value<'_, '_>],
    ) -> Result<Input> {
        if let Some(ty) = ty {
            return mma_input(ty).ok_or_else(|| self.bad_attribute(op, name));
        }
        let ty = operands.first().map(|operand| operand.r#type());
        let ty = ty.ok_or_else(|| self.error(op, format!("'{}' has no multiplicand", name_of(op))))?;
        match self.scalar(op, ty)? {
            Scalar::F16 => Ok(Input::F16),
            _ => Err(self.bad_type(op, ty)),
        }
    }

    /// Some operands as one fragment.
    fn fragment(&mut self, op: Op<'_, '_>, operands: &[Value<'_, '_>]) -> Result<Fragment> {
        let mut words = Words::new();
        let mut bits = None;
        for &operand in operands {
            let scalar = self.scalar(op, operand.r#type())?;
            let width = register_bits(scalar).filter(|width| bits.is_none_or(|bits| bits == *width));
            let Some(width) = width else {
                return Err(self.bad_type(op, operand.r#type()));
            };
            bits = Some(width);
            words.extend(self.value(op, operand)?);
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

fn column_major(layout: MMALayout) -> bool {
    match layout {
        MMALayout::Row => false,
        MMALayout::Col => true,
    }
}

fn saturates(overflow: Option<MMAIntOverflow>) -> bool {
    match overflow {
        None | Some(MMAIntOverflow::Wrapped) => false,
        Some(MMAIntOverflow::Satfinite) => true,
    }
}

/// The elements of A or B that the executor knows.
fn mma_input(ty: MMATypes) -> Option<Input> {
    Some(match ty {
        MMATypes::F16 => Input::F16,
        MMATypes::Bf16 => Input::BF16,
        MMATypes::Tf32 => Input::TF32,
        MMATypes::S8 => Input::S8,
        MMATypes::U8 => Input::U8,
        MMATypes::E4m3 => Input::E4M3,
        MMATypes::E5m2 => Input::E5M2,
        MMATypes::F32 | MMATypes::F64 | MMATypes::S32 => return None,
        MMATypes::S4 | MMATypes::U4 | MMATypes::B1 => return None,
        MMATypes::E3m2 | MMATypes::E2m3 | MMATypes::E2m1 => return None,
    })
}

fn wgmma_input(ty: WGMMATypes) -> Option<Input> {
    Some(match ty {
        WGMMATypes::F16 => Input::F16,
        WGMMATypes::Bf16 => Input::BF16,
        WGMMATypes::Tf32 => Input::TF32,
        WGMMATypes::S8 => Input::S8,
        WGMMATypes::U8 => Input::U8,
        WGMMATypes::E4m3 => Input::E4M3,
        WGMMATypes::E5m2 => Input::E5M2,
        WGMMATypes::B1 | WGMMATypes::F32 | WGMMATypes::S32 => return None,
    })
}

fn wgmma_accumulator(ty: WGMMATypes) -> Option<Accumulator> {
    Some(match ty {
        WGMMATypes::F32 => Accumulator::F32,
        WGMMATypes::F16 => Accumulator::F16,
        WGMMATypes::S32 => Accumulator::S32,
        WGMMATypes::Tf32 | WGMMATypes::Bf16 | WGMMATypes::U8 | WGMMATypes::S8 => return None,
        WGMMATypes::B1 | WGMMATypes::E4m3 | WGMMATypes::E5m2 => return None,
    })
}
