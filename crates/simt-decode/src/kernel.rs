//! Modules, kernels and blocks of operations.

use melior::ir::attribute::TypeAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{BlockRef, Module, OperationRef, RegionLike, Type, Value, ValueLike};
use mytriton_simt::program::{Instr, Param, Program, Space};
use mytriton_tile::emit::argument_of;
use mytriton_tile::name_of;

use crate::DecodeError;
use crate::attributes;
use crate::decoder::{Decoder, Op, Result, error_at};
use crate::shared::{Global, Globals};
use crate::types::{self, Ty};

/// The operations of a block, in order.
pub(crate) fn operations<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |op| op.next_in_block()).collect()
}

/// All kernels of a module.
pub(crate) fn kernels(module: &Module<'_>) -> std::result::Result<Vec<Program>, DecodeError> {
    let mut programs = Vec::new();
    let mut next = module.body().first_operation();
    while let Some(op) = next {
        next = op.next_in_block();
        if name_of(op) == "gpu.module" {
            device_module(op, &mut programs)?;
        }
    }
    Ok(programs)
}

fn device_module(module: Op<'_, '_>, programs: &mut Vec<Program>) -> Result {
    let body = module.region(0).ok().and_then(|region| region.first_block());
    let members = body.map(operations).unwrap_or_default();
    let mut globals = Globals::default();
    let mut functions = Vec::new();
    for op in members {
        let name = attributes::string(op, "sym_name").unwrap_or_default();
        match name_of(op).as_str() {
            "gpu.func" if op.has_attribute("gpu.kernel") => functions.push((name, op)),
            // Code that no kernel calls does not matter; a call of it is an error.
            "gpu.func" | "llvm.func" | "func.func" | "gpu.module_end" => {}
            "llvm.mlir.global" => {
                globals.insert(name, llvm_global(op));
            }
            "memref.global" => {
                globals.insert(name, memref_global(op));
            }
            other => {
                let message = format!("the executor does not know operation '{other}' in a gpu.module");
                return Err(error_at(op, "", message));
            }
        }
    }
    for (name, function) in functions {
        programs.push(kernel(function, name, &globals)?);
    }
    Ok(())
}

fn type_of<'c>(op: Op<'c, '_>, name: &str) -> Option<Type<'c>> {
    TypeAttribute::try_from(op.attribute(name).ok()?)
        .ok()
        .map(|a| a.value())
}

fn alignment_of(op: Op<'_, '_>) -> Option<u64> {
    let alignment = attributes::integer(op, "alignment")?;
    u64::try_from(alignment)
        .ok()
        .filter(|alignment| alignment.is_power_of_two())
}

fn llvm_global(op: Op<'_, '_>) -> Global {
    let space = attributes::integer(op, "addr_space").unwrap_or(0);
    if space != 3 {
        return Global::Unknown(format!("the executor does not know variables in address space {space}"));
    }
    let initialised = op.region(0).is_ok_and(|region| region.first_block().is_some()) || op.has_attribute("value");
    if initialised {
        return Global::Unknown("a variable in shared memory has no initial value".into());
    }
    let Some(ty) = type_of(op, "global_type") else {
        return Global::Unknown("a variable without a type".into());
    };
    match types::read(ty).map(|known| known.layout()) {
        Ok(Some((bytes, natural))) => {
            let alignment = alignment_of(op).unwrap_or(natural);
            match bytes {
                0 => Global::Dynamic { alignment },
                _ => Global::Shared { bytes, alignment },
            }
        }
        Ok(None) => Global::Unknown(format!("the executor does not know variables of type {ty}")),
        Err(message) => Global::Unknown(message),
    }
}

fn memref_global(op: Op<'_, '_>) -> Global {
    let Some(ty) = type_of(op, "type") else {
        return Global::Unknown("a variable without a type".into());
    };
    let memref = match types::read(ty) {
        Ok(Ty::MemRef(memref)) if memref.space == Space::Shared => memref,
        Ok(_) => {
            return Global::Unknown(format!(
                "the executor does not know variables of type {ty}: workgroup memory alone"
            ));
        }
        Err(message) => return Global::Unknown(message),
    };
    if op
        .attribute("initial_value")
        .is_ok_and(|value| value.to_string() != "unit")
    {
        return Global::Unknown("a variable in shared memory has no initial value".into());
    }
    match shared_bytes(&memref) {
        Some((bytes, natural)) => Global::Shared {
            bytes,
            alignment: alignment_of(op).unwrap_or(natural),
        },
        None => Global::Unknown(format!("variables have static shapes, which {ty} is not")),
    }
}

/// The bytes that the elements of a memref of static shape lie in, and their natural alignment.
fn shared_bytes(memref: &types::MemRef) -> Option<(u64, u64)> {
    let (size, alignment) = memref.element.layout()?;
    if memref.sizes.contains(&Some(0)) {
        return Some((0, alignment));
    }
    let mut last = memref.offset?;
    for (extent, stride) in memref.sizes.iter().zip(&memref.strides) {
        last = last.checked_add(((*extent)? - 1).checked_mul((*stride)?)?)?;
    }
    let elements = u64::try_from(last).ok()?.checked_add(1)?;
    Some((elements.checked_mul(size)?, alignment))
}

fn kernel(function: Op<'_, '_>, name: String, globals: &Globals) -> Result<Program> {
    let mut decoder = Decoder::new(name, globals);
    decoder.at(function);
    let body = function.region(0).ok().and_then(|region| region.first_block());
    let body = body.ok_or_else(|| decoder.error(function, "a kernel has a body"))?;
    let inputs = type_of(function, "function_type").and_then(|ty| FunctionType::try_from(ty).ok());
    let inputs = inputs.map_or(0, |ty| ty.input_count());
    let workgroup = attributes::integer(function, "workgroup_attributions").unwrap_or(0);
    let workgroup = usize::try_from(workgroup).unwrap_or(0);
    let mut params = Vec::new();
    for index in 0..body.argument_count() {
        let argument: Value = argument_of(body, index);
        if index < inputs {
            params.push(decoder.parameter(function, argument)?);
        } else if index < inputs + workgroup {
            decoder.attribution(function, argument, index - inputs)?;
        } else {
            let message = "the executor does not know private memory: keep values in registers, or share memory";
            return Err(decoder.error(function, message));
        }
    }
    decoder.body(function)?;
    decoder.emit(Instr::End);
    let block = attributes::integers(function, "known_block_size").and_then(|sizes| {
        let sizes: Option<Vec<u32>> = sizes.iter().map(|&size| u32::try_from(size).ok()).collect();
        <[u32; 3]>::try_from(sizes?).ok()
    });
    Ok(decoder.finish(block, params))
}

impl Decoder<'_> {
    fn parameter(&mut self, function: Op<'_, '_>, argument: Value<'_, '_>) -> Result<Param> {
        let ty = self.ty(function, argument.r#type())?;
        let bits = match &*ty {
            Ty::Number(scalar) => scalar.bits(),
            Ty::Pointer(Some(Space::Global)) => 64,
            Ty::MemRef(memref) if memref.space == Space::Global && memref.open() == 0 => 64,
            Ty::MemRef(memref) if memref.space == Space::Global => {
                let message = format!(
                    "parameter {} has a dynamic shape, stride or offset: memref parameters are bare pointers, so pass \
                     a static one and the numbers as parameters of their own",
                    argument.r#type()
                );
                return Err(self.error(function, message));
            }
            _ => {
                let message = format!(
                    "the executor does not know parameters of type {}: numbers, and pointers to global memory",
                    argument.r#type()
                );
                return Err(self.error(function, message));
            }
        };
        let reg = self.fresh();
        self.bind(argument, smallvec::smallvec![reg]);
        Ok(Param { bits, reg })
    }

    /// A workgroup attribution: a variable in shared memory.
    fn attribution(&mut self, function: Op<'_, '_>, argument: Value<'_, '_>, number: usize) -> Result {
        let ty = self.ty(function, argument.r#type())?;
        let layout = match &*ty {
            Ty::MemRef(memref) if memref.space == Space::Shared && memref.open() == 0 => shared_bytes(memref),
            _ => None,
        };
        let Some((bytes, natural)) = layout else {
            let message = format!(
                "workgroup memory {} is no memref of static shape in workgroup memory",
                argument.r#type()
            );
            return Err(self.error(function, message));
        };
        let alignment = attribution_alignment(function, number).unwrap_or(natural);
        let offset = self.shared.add(format!("workgroup{number}"), bytes, alignment);
        let offset = offset.map_err(|message| self.error(function, message))?;
        let base = self.constant(u64::from(offset));
        self.bind(argument, smallvec::smallvec![base]);
        Ok(())
    }

    /// All operations of an operation's only region, which is one block.
    pub fn body(&mut self, op: Op<'_, '_>) -> Result {
        self.region(op, 0)?;
        Ok(())
    }

    /// The operations of a region of one block but for the last, its terminator, which is given.
    pub fn region<'c: 'a, 'a>(&mut self, op: Op<'c, 'a>, index: usize) -> Result<Option<Op<'c, 'a>>> {
        let block = op.region(index).ok().and_then(|region| region.first_block());
        let Some(block) = block else { return Ok(None) };
        let mut members = operations(block);
        let terminator = members.pop();
        for member in members {
            self.operation(member)?;
        }
        if let Some(last) = terminator {
            self.terminator(last)?;
        }
        Ok(terminator)
    }

    fn terminator(&mut self, op: Op<'_, '_>) -> Result {
        match name_of(op).as_str() {
            "gpu.return" if op.operand_count() == 0 => Ok(()),
            // What they pass on is for the operation around them.
            "scf.yield" | "scf.condition" => Ok(()),
            name @ ("cf.br" | "cf.cond_br" | "cf.switch" | "llvm.br" | "llvm.cond_br" | "llvm.switch") => {
                let message = format!("'{name}': the gpu stage has structured control flow (scf), not branches");
                Err(self.error(op, message))
            }
            name => Err(self.unknown(op, name)),
        }
    }

    fn unknown(&self, op: Op<'_, '_>, name: &str) -> DecodeError {
        self.error(op, format!("the executor does not know operation '{name}'"))
    }

    fn operation(&mut self, op: Op<'_, '_>) -> Result {
        self.at(op);
        let name = name_of(op);
        let (dialect, rest) = name.split_once('.').unwrap_or(("", &name));
        let known = match dialect {
            "arith" => self.arith(op, rest)?,
            "math" => self.math(op, rest)?,
            "vector" => self.vector(op, rest)?,
            "scf" => self.scf(op, rest)?,
            "cf" => self.cf(op, rest)?,
            "memref" => self.memref(op, rest)?,
            "gpu" => self.gpu(op, rest)?,
            "nvvm" => self.nvvm(op, rest)?,
            "llvm" => self.llvm(op, rest)?,
            "ub" => self.ub(op, rest)?,
            _ => false,
        };
        if known { Ok(()) } else { Err(self.unknown(op, &name)) }
    }
}

/// The alignment that `llvm.align` gives a workgroup attribution.
fn attribution_alignment(function: Op<'_, '_>, number: usize) -> Option<u64> {
    use melior::ir::attribute::{ArrayAttribute, IntegerAttribute};
    let all = ArrayAttribute::try_from(function.attribute("workgroup_attrib_attrs").ok()?).ok()?;
    let own = melior::ir::attribute::DictionaryAttribute::try_from(all.element(number).ok()?).ok()?;
    (0..own.len())
        .filter_map(|i| own.element(i).ok())
        .find_map(|(name, value)| {
            let named = name.as_string_ref().as_str().ok()? == "llvm.align";
            let value = IntegerAttribute::try_from(value).ok().filter(|_| named)?.value();
            u64::try_from(value).ok().filter(|value| value.is_power_of_two())
        })
}
