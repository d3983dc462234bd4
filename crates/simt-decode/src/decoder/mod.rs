//! The state of a kernel's decoding: which registers hold which values, and the code so far.

mod build;

use std::rc::Rc;
use std::sync::Arc;

use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, TypeLike, Value, ValueLike};
use mytriton_simt::program::{Instr, Param, Pc, Place, Program, Reg, SharedVariable};
use mytriton_ssa::Scalar;
use mytriton_tile::name_of;
use mytriton_tile_sys::{place_of, place_text};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::DecodeError;
use crate::shared::{Globals, Shared};
use crate::types::{self, Ty};

/// An operation.
pub(crate) type Op<'c, 'a> = OperationRef<'c, 'a>;
/// The registers of a value.
pub(crate) type Words = SmallVec<[Reg; 4]>;
/// What decoding gives.
pub(crate) type Result<T = ()> = std::result::Result<T, DecodeError>;

/// What stands for the size of dynamic shared memory, which no register holds.
pub(crate) const UNKNOWN: Reg = Reg::MAX;

/// Decodes one kernel.
pub(crate) struct Decoder<'m> {
    pub kernel: String,
    pub shared: Shared<'m>,
    values: FxHashMap<usize, Words>,
    types: FxHashMap<usize, Rc<Ty>>,
    code: Vec<Instr>,
    place_of: Vec<u32>,
    here: u32,
    places: Vec<Place>,
    place_numbers: FxHashMap<Place, u32>,
    files: FxHashMap<String, Arc<str>>,
    lists: Vec<Reg>,
    registers: Reg,
    /// Constants: where each is and which operation wanted it first, in the order of their registers.
    constants: Vec<(Reg, u64, u32)>,
    constant_at: FxHashMap<u64, Reg>,
    constant_of: FxHashMap<Reg, u64>,
    /// Where dynamic shared memory begins, which is known once all of the static is.
    dynamic_base: Option<(Reg, u32)>,
}

/// An error at an operation.
pub(crate) fn error_at(op: Op<'_, '_>, kernel: &str, message: impl Into<String>) -> DecodeError {
    DecodeError {
        place: place_text(op.location()),
        kernel: kernel.to_owned(),
        message: message.into(),
    }
}

impl<'m> Decoder<'m> {
    pub fn new(kernel: String, globals: &'m Globals) -> Self {
        Decoder {
            kernel,
            shared: Shared::new(globals),
            values: FxHashMap::default(),
            types: FxHashMap::default(),
            code: Vec::new(),
            place_of: Vec::new(),
            here: 0,
            places: Vec::new(),
            place_numbers: FxHashMap::default(),
            files: FxHashMap::default(),
            lists: Vec::new(),
            registers: 0,
            constants: Vec::new(),
            constant_at: FxHashMap::default(),
            constant_of: FxHashMap::default(),
            dynamic_base: None,
        }
    }

    // Errors.

    pub fn error(&self, op: Op<'_, '_>, message: impl Into<String>) -> DecodeError {
        error_at(op, &self.kernel, message)
    }

    /// An error about an attribute that is missing or has a value that is not known.
    pub fn bad_attribute(&self, op: Op<'_, '_>, name: &str) -> DecodeError {
        let what = match op.attribute(name) {
            Ok(value) => format!("attribute {name} = {value} of"),
            Err(_) => format!("the lack of attribute {name} on"),
        };
        self.error(op, format!("the executor does not know {what} '{}'", name_of(op)))
    }

    /// An error about an operation on a type that it is known for others only.
    pub fn bad_type(&self, op: Op<'_, '_>, ty: Type<'_>) -> DecodeError {
        self.error(op, format!("the executor does not know '{}' on {ty}", name_of(op)))
    }

    // Values and types.

    pub fn ty(&mut self, op: Op<'_, '_>, ty: Type<'_>) -> Result<Rc<Ty>> {
        let key = ty.to_raw().ptr as usize;
        if let Some(known) = self.types.get(&key) {
            return Ok(known.clone());
        }
        let known = types::read_value(ty);
        let known = known.map_err(|message| self.error(op, format!("'{}': {message}", name_of(op))))?;
        let known = Rc::new(known);
        self.types.insert(key, known.clone());
        Ok(known)
    }

    /// The number type of a scalar or of a vector's elements.
    pub fn scalar(&mut self, op: Op<'_, '_>, ty: Type<'_>) -> Result<Scalar> {
        let known = self.ty(op, ty)?;
        known.scalar().ok_or_else(|| self.bad_type(op, ty))
    }

    pub fn operand_type<'c>(&self, op: Op<'c, '_>, index: usize) -> Result<Type<'c>> {
        let operand = op.operand(index).map_err(|e| self.error(op, e.to_string()))?;
        Ok(operand.r#type())
    }

    pub fn result_type<'c>(&self, op: Op<'c, '_>, index: usize) -> Result<Type<'c>> {
        let result = op.result(index).map_err(|e| self.error(op, e.to_string()))?;
        Ok(result.r#type())
    }

    pub fn operand_ty(&mut self, op: Op<'_, '_>, index: usize) -> Result<Rc<Ty>> {
        let ty = self.operand_type(op, index)?;
        self.ty(op, ty)
    }

    pub fn result_ty(&mut self, op: Op<'_, '_>, index: usize) -> Result<Rc<Ty>> {
        let ty = self.result_type(op, index)?;
        self.ty(op, ty)
    }

    pub fn operand_scalar(&mut self, op: Op<'_, '_>, index: usize) -> Result<Scalar> {
        let ty = self.operand_type(op, index)?;
        self.scalar(op, ty)
    }

    pub fn result_scalar(&mut self, op: Op<'_, '_>, index: usize) -> Result<Scalar> {
        let ty = self.result_type(op, index)?;
        self.scalar(op, ty)
    }

    pub fn value(&self, op: Op<'_, '_>, value: Value<'_, '_>) -> Result<Words> {
        let known = self.values.get(&(value.to_raw().ptr as usize)).cloned();
        known.ok_or_else(|| self.error(op, format!("an operand of '{}' has no value yet", name_of(op))))
    }

    pub fn operand(&self, op: Op<'_, '_>, index: usize) -> Result<Words> {
        let operand = op.operand(index).map_err(|e| self.error(op, e.to_string()))?;
        self.value(op, operand)
    }

    /// The register of an operand that is one number.
    pub fn operand_reg(&self, op: Op<'_, '_>, index: usize) -> Result<Reg> {
        let operand = op.operand(index).map_err(|e| self.error(op, e.to_string()))?;
        self.reg(op, operand)
    }

    /// The same of an operand that a view has given.
    pub fn reg(&self, op: Op<'_, '_>, operand: Value<'_, '_>) -> Result<Reg> {
        match self.value(op, operand)?[..] {
            [reg] => Ok(reg),
            _ => Err(self.bad_type(op, operand.r#type())),
        }
    }

    pub fn bind(&mut self, value: Value<'_, '_>, words: Words) {
        self.values.insert(value.to_raw().ptr as usize, words);
    }

    pub fn define(&mut self, op: Op<'_, '_>, index: usize, words: Words) -> Result {
        let result = op.result(index).map_err(|e| self.error(op, e.to_string()))?;
        self.bind(result.into(), words);
        Ok(())
    }

    pub fn define_reg(&mut self, op: Op<'_, '_>, index: usize, reg: Reg) -> Result {
        self.define(op, index, smallvec::smallvec![reg])
    }

    /// Defines the result, of which each number comes from those of the operands at its place.
    pub fn elementwise<const N: usize>(
        &mut self,
        op: Op<'_, '_>,
        mut of: impl FnMut(&mut Self, [Reg; N]) -> Reg,
    ) -> Result {
        let mut operands: [Words; N] = std::array::from_fn(|_| Words::new());
        for (index, operand) in operands.iter_mut().enumerate() {
            *operand = self.operand(op, index)?;
        }
        if operands.iter().any(|operand| operand.len() != operands[0].len()) {
            return Err(self.bad_type(op, self.operand_type(op, N - 1)?));
        }
        let made = (0..operands[0].len())
            .map(|i| of(self, std::array::from_fn(|n| operands[n][i])))
            .collect();
        self.define(op, 0, made)
    }

    /// What is emitted from here on comes from this operation.
    pub fn at(&mut self, op: Op<'_, '_>) {
        let at = place_of(op.location()).map(|(file, line, col)| {
            let file = self.files.entry(file).or_insert_with_key(|file| Arc::from(&**file));
            (file.clone(), line, col)
        });
        let place = Place { op: name_of(op), at };
        let next = self.places.len() as u32;
        self.here = *self.place_numbers.entry(place).or_insert_with_key(|place| {
            self.places.push(place.clone());
            next
        });
    }

    /// The whole program: constants first, then the code.
    pub fn finish(self, block: Option<[u32; 3]>, params: Vec<Param>) -> Program {
        let mut constants = self.constants;
        let uses_dynamic = self.dynamic_base.is_some();
        let (shared, shared_bytes): (Vec<SharedVariable>, u32) = self.shared.finish(uses_dynamic);
        if let Some((reg, place)) = self.dynamic_base {
            constants.push((reg, u64::from(shared_bytes), place));
        }
        let before = constants.len() as Pc;
        let mut place_of: Vec<u32> = constants.iter().map(|&(_, _, place)| place).collect();
        place_of.extend(self.place_of);
        let constants = constants.into_iter().map(|(dst, bits, _)| Instr::Const { dst, bits });
        let code = self.code.into_iter().map(|mut instr| {
            match &mut instr {
                Instr::Branch { otherwise, join, .. } => (*otherwise, *join) = (*otherwise + before, *join + before),
                Instr::Jump { to } => *to += before,
                _ => {}
            }
            instr
        });
        Program {
            name: self.kernel,
            block,
            params,
            code: constants.chain(code).collect(),
            place_of,
            places: self.places,
            lists: self.lists,
            registers: self.registers,
            shared,
            shared_bytes,
            live_words: 0,
        }
    }
}
