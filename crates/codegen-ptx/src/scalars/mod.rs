//! Vectors to scalars, in time and memory linear in their elements.
//!
//! A thread's share of a tile is one vector in the llvm dialect, often put together from scalar loads by a chain of
//! `insertelement`s. PTX has no such vectors. LLVM's own `scalarizer` keeps all elements for each link of a chain: twice the
//! elements cost it four times the time and memory. Here a link that nothing else reads hands its elements on to the next.
//!
//! Notation: the *lanes* of a vector are the scalars that it consists of. An instruction that is *taken apart* becomes one
//! scalar instruction per lane at the same place, with the same flags. Every other instruction stays; its vector operands
//! are put together again by `insertelement`s, and the lanes of its vector result are extracted after it. The result is what
//! `scalarizer<no-load-store>` makes, which the tests compare it with.

mod build;
mod ffi;

use std::collections::HashMap;

use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::error::Error as LlvmError;
use inkwell::module::Module;
use inkwell::types::{AnyTypeEnum, IntType, VectorType};
use inkwell::values::{
    BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, Operand, PhiValue, VectorValue,
};

use crate::error::Error;

/// Takes apart the instructions that `wanted` accepts, where that is possible.
///
/// # Errors
/// [`Error::InvalidModule`] if LLVM will not build an operation.
pub fn take_apart<'ll>(module: &Module<'ll>, wanted: impl Fn(InstructionValue<'ll>) -> bool) -> Result<(), Error> {
    for function in module.get_functions() {
        let mut scalars = Scalars::new(module);
        scalars
            .function(function, &wanted)
            .map_err(|error| Error::InvalidModule {
                step: "taking vectors apart",
                message: error.to_string(),
            })?;
    }
    Ok(())
}

/// What is known of a vector.
#[derive(Clone)]
struct Lanes<'ll> {
    /// Each lane; `None` until it is extracted from an instruction that stays.
    lanes: Vec<Option<BasicValueEnum<'ll>>>,
    /// Is the instruction taken apart, so that the vector goes unless it is put together again?
    apart: bool,
    /// Does an instruction that stays read the vector?
    whole: bool,
}

/// The state within one function.
struct Scalars<'a, 'll> {
    module: &'a Module<'ll>,
    /// Builds at the instruction that is taken apart.
    builder: Builder<'ll>,
    /// Builds the extractions of lanes, after the vector that they are of.
    extracts: Builder<'ll>,
    index: IntType<'ll>,
    /// By the instruction that makes it: constants need no entry.
    vectors: HashMap<InstructionValue<'ll>, Lanes<'ll>>,
    /// Phis that are taken apart, with their lanes: operands come last, when all vectors have lanes.
    phis: Vec<(PhiValue<'ll>, Vec<PhiValue<'ll>>)>,
    /// Vectors taken apart that instructions that stay read.
    whole: Vec<InstructionValue<'ll>>,
    /// Instructions that go.
    old: Vec<InstructionValue<'ll>>,
}

impl<'a, 'll> Scalars<'a, 'll> {
    fn new(module: &'a Module<'ll>) -> Self {
        let context = module.get_context();
        Scalars {
            module,
            builder: context.create_builder(),
            extracts: context.create_builder(),
            index: context.i64_type(),
            vectors: HashMap::new(),
            phis: Vec::new(),
            whole: Vec::new(),
            old: Vec::new(),
        }
    }

    fn function(
        &mut self,
        function: FunctionValue<'ll>,
        wanted: &impl Fn(InstructionValue<'ll>) -> bool,
    ) -> Result<(), LlvmError> {
        for block in reverse_post_order(function) {
            let mut next = block.get_first_instruction();
            while let Some(instruction) = next {
                // Before extractions come in between.
                next = instruction.get_next_instruction();
                if wanted(instruction) && self.instruction(instruction)? {
                    self.old.push(instruction);
                } else {
                    self.keep(instruction);
                }
            }
        }
        self.complete_phis()?;
        self.put_together()?;
        for &instruction in &self.old {
            if let AnyTypeEnum::VectorType(ty) = instruction.get_type() {
                ffi::replace_uses(instruction, ty.get_poison().into());
            }
        }
        for instruction in self.old.drain(..) {
            instruction.erase_from_basic_block();
        }
        Ok(())
    }

    /// Takes an instruction apart. False: it stays, since it is of a kind, or on types, for which there is no such form.
    fn instruction(&mut self, instruction: InstructionValue<'ll>) -> Result<bool, LlvmError> {
        use InstructionOpcode::*;
        match instruction.get_opcode() {
            Add | Sub | Mul | UDiv | SDiv | URem | SRem | Shl | LShr | AShr | And | Or | Xor | FAdd | FSub | FMul
            | FDiv | FRem | FNeg | Freeze | ICmp | FCmp | Select | Trunc | ZExt | SExt | FPTrunc | FPExt | FPToUI
            | FPToSI | UIToFP | SIToFP => self.elementwise(instruction, None),
            BitCast => self.bit_cast(instruction),
            Call => match build::scalar_callee(self.module, instruction) {
                Some(callee) => self.elementwise(instruction, Some(callee)),
                None => Ok(false),
            },
            Phi => self.phi(instruction),
            ExtractElement => self.extract_element(instruction),
            InsertElement => self.insert_element(instruction),
            ShuffleVector => self.shuffle(instruction),
            IntToPtr | PtrToInt | PtrToAddr | AddrSpaceCast | GetElementPtr | Load | Store | Alloca | ExtractValue
            | InsertValue | AtomicCmpXchg | AtomicRMW | Fence | VAArg | Br | Switch | IndirectBr | Return
            | Unreachable | Invoke | CallBr | CatchPad | CatchRet | CatchSwitch | CleanupPad | CleanupRet
            | LandingPad | Resume | UserOp1 | UserOp2 => Ok(false),
        }
    }

    /// One instruction per lane; scalar operands serve all of them.
    fn elementwise(
        &mut self,
        instruction: InstructionValue<'ll>,
        callee: Option<FunctionValue<'ll>>,
    ) -> Result<bool, LlvmError> {
        let Some(ty) = vector_type(instruction) else {
            return Ok(false);
        };
        self.builder.position_before(&instruction);
        let arguments = match callee {
            // A call's last operand is what it calls.
            Some(_) => instruction.get_num_operands() - 1,
            None => instruction.get_num_operands(),
        };
        let mut operands = Vec::new();
        for operand in (0..arguments).filter_map(|index| instruction.get_operand(index)?.value()) {
            operands.push(match operand {
                BasicValueEnum::VectorValue(vector) => self.lanes_of(vector)?,
                scalar => vec![scalar],
            });
        }
        let mut lanes = Vec::with_capacity(ty.get_size() as usize);
        let mut operands_of_lane = Vec::with_capacity(operands.len());
        for lane in 0..ty.get_size() as usize {
            operands_of_lane.clear();
            operands_of_lane.extend(operands.iter().map(|lanes| lanes[lane.min(lanes.len() - 1)]));
            let element = ty.get_element_type();
            let scalar = build::scalar(&self.builder, instruction, callee, element, &operands_of_lane)?;
            build::copy_flags(instruction, scalar)?;
            lanes.push(Some(scalar));
        }
        self.set_lanes(instruction, lanes);
        Ok(true)
    }

    /// A cast between vectors. Where their lanes are not of one size, each of the wider ones is cast to or from a short vector
    /// of the narrower ones.
    fn bit_cast(&mut self, instruction: InstructionValue<'ll>) -> Result<bool, LlvmError> {
        let (Some(from), Some(to)) = (vector_operand(instruction, 0), vector_type(instruction)) else {
            return Ok(false);
        };
        let (narrow, wide) = (from.get_type().get_size(), to.get_size());
        if narrow == wide {
            return self.elementwise(instruction, None);
        }
        if narrow % wide != 0 && wide % narrow != 0 {
            return Ok(false);
        }
        self.builder.position_before(&instruction);
        let mut lanes = Vec::with_capacity(wide as usize);
        let scalars = self.lanes_of(from)?;
        if wide > narrow {
            let short = ffi::short_vector(to, wide / narrow);
            for scalar in scalars {
                let cast = self.builder.build_bit_cast(build::before_casts(scalar), short, "")?;
                lanes.extend(self.lanes_of(cast.into_vector_value())?.into_iter().map(Some));
            }
        } else {
            let short = ffi::short_vector(from.get_type(), narrow / wide);
            for group in scalars.chunks_exact((narrow / wide) as usize) {
                let joined = self.join(short, group)?;
                lanes.push(Some(self.builder.build_bit_cast(joined, to.get_element_type(), "")?));
            }
        }
        self.set_lanes(instruction, lanes);
        Ok(true)
    }

    /// A vector of these lanes.
    fn join(&self, ty: VectorType<'ll>, lanes: &[BasicValueEnum<'ll>]) -> Result<VectorValue<'ll>, LlvmError> {
        let mut joined = ty.get_poison();
        for (lane, &scalar) in (0..).zip(lanes) {
            let at = self.index.const_int(lane, false);
            joined = self.builder.build_insert_element(joined, scalar, at, "")?;
        }
        Ok(joined)
    }

    fn phi(&mut self, instruction: InstructionValue<'ll>) -> Result<bool, LlvmError> {
        let (Some(ty), Ok(phi)) = (vector_type(instruction), PhiValue::try_from(instruction)) else {
            return Ok(false);
        };
        self.builder.position_before(&instruction);
        let mut lanes = Vec::new();
        for _ in 0..ty.get_size() {
            let lane = self.builder.build_phi(ty.get_element_type(), "")?;
            build::copy_flags(instruction, lane.as_basic_value())?;
            lanes.push(lane);
        }
        let values = lanes.iter().map(|lane| Some(lane.as_basic_value())).collect();
        self.set_lanes(instruction, values);
        self.phis.push((phi, lanes));
        Ok(true)
    }

    fn complete_phis(&mut self) -> Result<(), LlvmError> {
        for (phi, lanes) in std::mem::take(&mut self.phis) {
            for (value, block) in phi.get_incomings() {
                let BasicValueEnum::VectorValue(vector) = value else {
                    continue;
                };
                if let Some(end) = block.get_terminator() {
                    self.builder.position_before(&end);
                }
                for (lane, scalar) in lanes.iter().zip(self.lanes_of(vector)?) {
                    lane.add_incoming(&[(&scalar, block)]);
                }
            }
        }
        Ok(())
    }

    fn extract_element(&mut self, instruction: InstructionValue<'ll>) -> Result<bool, LlvmError> {
        let Some((vector, Some(lane))) = indexed(instruction, 1) else {
            return Ok(false);
        };
        self.builder.position_before(&instruction);
        let scalar = self.lane(vector, lane)?;
        ffi::replace_uses(instruction, scalar);
        Ok(true)
    }

    fn insert_element(&mut self, instruction: InstructionValue<'ll>) -> Result<bool, LlvmError> {
        let Some((vector, Some(lane))) = indexed(instruction, 2) else {
            return Ok(false);
        };
        let Some(scalar) = instruction.get_operand(1).and_then(|operand| operand.value()) else {
            return Ok(false);
        };
        self.builder.position_before(&instruction);
        // The lanes of a link that nothing else reads move on: a copy for each would make chains quadratic.
        let link = vector.as_instruction().filter(|&link| has_one_use(link));
        let moved = link
            .and_then(|link| self.vectors.remove(&link))
            .filter(|known| known.apart);
        let mut lanes = match moved {
            Some(known) => known.lanes,
            None => self.lanes_of(vector)?.into_iter().map(Some).collect(),
        };
        lanes[lane as usize] = Some(scalar);
        self.set_lanes(instruction, lanes);
        Ok(true)
    }

    fn shuffle(&mut self, instruction: InstructionValue<'ll>) -> Result<bool, LlvmError> {
        let (Some(ty), Some(x), Some(y)) = (
            vector_type(instruction),
            vector_operand(instruction, 0),
            vector_operand(instruction, 1),
        ) else {
            return Ok(false);
        };
        self.builder.position_before(&instruction);
        let width = x.get_type().get_size();
        let mut lanes = Vec::with_capacity(ty.get_size() as usize);
        for lane in 0..ty.get_size() {
            lanes.push(Some(match ffi::mask_value(instruction, lane) {
                None => ffi::poison(ty.get_element_type()),
                Some(from) if from < width => self.lane(x, from)?,
                Some(from) => self.lane(y, from - width)?,
            }));
        }
        self.set_lanes(instruction, lanes);
        Ok(true)
    }

    /// Notes which vectors an instruction that stays reads.
    fn keep(&mut self, instruction: InstructionValue<'ll>) {
        for operand in instruction.get_operands().flatten() {
            let Operand::Value(BasicValueEnum::VectorValue(vector)) = operand else {
                continue;
            };
            if let Some(made_by) = vector.as_instruction()
                && let Some(known) = self.vectors.get_mut(&made_by)
                && known.apart
                && !known.whole
            {
                known.whole = true;
                self.whole.push(made_by);
            }
        }
    }

    /// Puts the vectors together that instructions that stay read.
    fn put_together(&mut self) -> Result<(), LlvmError> {
        for old in std::mem::take(&mut self.whole) {
            let (Some(ty), Some(known)) = (vector_type(old), self.vectors.get(&old)) else {
                continue;
            };
            self.builder.position_before(&past_phis(old));
            let lanes: Vec<_> = known.lanes.iter().copied().flatten().collect();
            let whole = self.join(ty, &lanes)?;
            ffi::replace_uses(old, whole.into());
        }
        Ok(())
    }

    fn set_lanes(&mut self, instruction: InstructionValue<'ll>, lanes: Vec<Option<BasicValueEnum<'ll>>>) {
        let known = Lanes {
            lanes,
            apart: true,
            whole: false,
        };
        self.vectors.insert(instruction, known);
    }

    fn lane(&mut self, vector: VectorValue<'ll>, lane: u32) -> Result<BasicValueEnum<'ll>, LlvmError> {
        let scalar = self.extract(vector, lane..lane + 1)?.pop();
        scalar.ok_or(BuilderError::ExtractOutOfRange.into())
    }

    fn lanes_of(&mut self, vector: VectorValue<'ll>) -> Result<Vec<BasicValueEnum<'ll>>, LlvmError> {
        self.extract(vector, 0..vector.get_type().get_size())
    }

    /// Some lanes of a vector. Those of an instruction that stays are extracted once, after it; those of a constant are
    /// constants.
    fn extract(
        &mut self,
        vector: VectorValue<'ll>,
        wanted: std::ops::Range<u32>,
    ) -> Result<Vec<BasicValueEnum<'ll>>, LlvmError> {
        let Some(instruction) = vector.as_instruction() else {
            let builder = &self.builder;
            let extract =
                |lane| builder.build_extract_element(vector, self.index.const_int(u64::from(lane), false), "");
            return Ok(wanted.map(extract).collect::<Result<_, _>>()?);
        };
        let known = self.vectors.entry(instruction).or_insert_with(|| Lanes {
            lanes: vec![None; vector.get_type().get_size() as usize],
            apart: false,
            whole: false,
        });
        let mut positioned = false;
        let mut scalars = Vec::with_capacity(wanted.len());
        for lane in wanted {
            let scalar = match known.lanes[lane as usize] {
                Some(scalar) => scalar,
                None => {
                    // Those of one request in order, those of the next before them: where LLVM's scalarizer puts them.
                    if !positioned && let Some(next) = instruction.get_next_instruction() {
                        self.extracts.position_before(&past_phis(next));
                        positioned = true;
                    }
                    let at = self.index.const_int(u64::from(lane), false);
                    let scalar = self.extracts.build_extract_element(vector, at, "")?;
                    known.lanes[lane as usize] = Some(scalar);
                    scalar
                }
            };
            scalars.push(scalar);
        }
        Ok(scalars)
    }
}

/// The instruction, or the first after it that is no phi.
fn past_phis<'ll>(mut instruction: InstructionValue<'ll>) -> InstructionValue<'ll> {
    while instruction.get_opcode() == InstructionOpcode::Phi
        && let Some(next) = instruction.get_next_instruction()
    {
        instruction = next;
    }
    instruction
}

/// The type of an instruction's result, if it is a vector.
pub(crate) fn vector_type<'ll>(instruction: InstructionValue<'ll>) -> Option<VectorType<'ll>> {
    match instruction.get_type() {
        AnyTypeEnum::VectorType(ty) => Some(ty),
        _ => None,
    }
}

/// An operand, if it is a vector.
pub(crate) fn vector_operand<'ll>(instruction: InstructionValue<'ll>, index: u32) -> Option<VectorValue<'ll>> {
    match instruction.get_operand(index)?.value()? {
        BasicValueEnum::VectorValue(vector) => Some(vector),
        _ => None,
    }
}

/// The vector that an `extractelement` or `insertelement` reads, and its index, operand `at`, if that is a constant in
/// bounds.
fn indexed<'ll>(instruction: InstructionValue<'ll>, at: u32) -> Option<(VectorValue<'ll>, Option<u32>)> {
    let vector = vector_operand(instruction, 0)?;
    let BasicValueEnum::IntValue(index) = instruction.get_operand(at)?.value()? else {
        return None;
    };
    let index = index
        .get_zero_extended_constant()
        .and_then(|index| u32::try_from(index).ok());
    Some((vector, index.filter(|&index| index < vector.get_type().get_size())))
}

fn has_one_use(instruction: InstructionValue<'_>) -> bool {
    instruction
        .get_first_use()
        .is_some_and(|first| first.get_next_use().is_none())
}

/// The blocks that can be reached, each after those that dominate it.
fn reverse_post_order<'ll>(function: FunctionValue<'ll>) -> Vec<BasicBlock<'ll>> {
    let mut order = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut open = Vec::new();
    let mut enter = |block: BasicBlock<'ll>, open: &mut Vec<(BasicBlock<'ll>, Vec<BasicBlock<'ll>>)>| {
        if seen.insert(block) {
            // Taken from the end: the first successor is the last of a branch's operands.
            let operands = block.get_terminator().into_iter().flat_map(|end| end.get_operands());
            open.push((
                block,
                operands.flatten().filter_map(|operand| operand.block()).collect(),
            ));
        }
    };
    if let Some(entry) = function.get_first_basic_block() {
        enter(entry, &mut open);
    }
    while let Some((block, successors)) = open.last_mut() {
        match successors.pop() {
            Some(successor) => enter(successor, &mut open),
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}
