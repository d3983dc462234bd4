//! Modules, kernels and blocks of operations.

use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{AttributeLike, BlockRef, Module, OperationRef, RegionLike, Value, ValueLike};
use mytriton_simt::program::{Instr, Param, Program, Space};
use mytriton_tile::emit::argument_of;
use mytriton_tile::name_of;
use mytriton_tile::ops::gpu::{self, GPUFuncOp, GPUModuleOp};
use mytriton_tile::ops::{AnyOp, cf, func, llvm, memref, scf};

use crate::DecodeError;
use crate::attributes;
use crate::decoder::{Decoder, Op, Result, error_at};
use crate::shared::{Global, Globals};
use crate::types::{self, Ty};

/// The attribute that makes a `gpu.func` a kernel.
pub const KERNEL: &str = "gpu.kernel";
/// The attribute that names a symbol.
const SYMBOL: &str = "sym_name";
/// The attribute of a workgroup attribution that aligns it.
const ALIGN: &str = "llvm.align";

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
        if let Some(module) = GPUModuleOp::cast(op) {
            device_module(module, &mut programs)?;
        }
    }
    Ok(programs)
}

fn device_module(module: GPUModuleOp<'_, '_>, programs: &mut Vec<Program>) -> Result {
    let mut globals = Globals::default();
    let mut functions = Vec::new();
    for op in operations(module.body_region()) {
        match AnyOp::cast(op) {
            Some(AnyOp::Gpu(gpu::Op::GPUFunc(function))) => {
                // Code that no kernel calls does not matter; a call of it is an error.
                if op.has_attribute(KERNEL) {
                    functions.push(function);
                }
            }
            Some(AnyOp::Llvm(llvm::Op::LLVMFunc(_)) | AnyOp::Func(func::Op::Func(_))) => {}
            Some(AnyOp::Llvm(llvm::Op::Global(global))) => {
                globals.insert(global.sym_name().to_owned(), llvm_global(global));
            }
            Some(AnyOp::Memref(memref::Op::Global(global))) => {
                globals.insert(global.sym_name().to_owned(), memref_global(global));
            }
            _ => {
                let message = format!("the executor does not know operation '{}' in a gpu.module", name_of(op));
                return Err(error_at(op, "", message));
            }
        }
    }
    for function in functions {
        programs.push(kernel(function, &globals)?);
    }
    Ok(())
}

/// An alignment that is stated, if it is one.
fn power_of_two(alignment: Option<i64>) -> Option<u64> {
    alignment
        .and_then(|alignment| u64::try_from(alignment).ok())
        .filter(|alignment| alignment.is_power_of_two())
}

fn llvm_global(global: llvm::GlobalOp<'_, '_>) -> Global {
    let space = global.addr_space().unwrap_or(0);
    if space != 3 {
        return Global::Unknown(format!("the executor does not know variables in address space {space}"));
    }
    if global.initializer().first_block().is_some() || global.value().is_some() {
        return Global::Unknown("a variable in shared memory has no initial value".into());
    }
    let ty = global.global_type();
    match types::read(ty).map(|known| known.layout()) {
        Ok(Some((bytes, natural))) => {
            let alignment = power_of_two(global.alignment()).unwrap_or(natural);
            match bytes {
                0 => Global::Dynamic { alignment },
                _ => Global::Shared { bytes, alignment },
            }
        }
        Ok(None) => Global::Unknown(format!("the executor does not know variables of type {ty}")),
        Err(message) => Global::Unknown(message),
    }
}

fn memref_global(global: memref::GlobalOp<'_, '_>) -> Global {
    let ty = global.r#type();
    let memref = match types::read(ty) {
        Ok(Ty::MemRef(memref)) if memref.space == Space::Shared => memref,
        Ok(_) => {
            return Global::Unknown(format!(
                "the executor does not know variables of type {ty}: workgroup memory alone"
            ));
        }
        Err(message) => return Global::Unknown(message),
    };
    // A unit says that there is no initial value.
    if global.initial_value().is_some_and(|value| !value.is_unit()) {
        return Global::Unknown("a variable in shared memory has no initial value".into());
    }
    match shared_bytes(&memref) {
        Some((bytes, natural)) => Global::Shared {
            bytes,
            alignment: power_of_two(global.alignment()).unwrap_or(natural),
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

fn kernel(view: GPUFuncOp<'_, '_>, globals: &Globals) -> Result<Program> {
    let function = view.operation();
    let name = attributes::string(function, SYMBOL).unwrap_or_default();
    let mut decoder = Decoder::new(name, globals);
    decoder.at(function);
    let body = view.body().first_block();
    let body = body.ok_or_else(|| decoder.error(function, "a kernel has a body"))?;
    let inputs = FunctionType::try_from(view.function_type()).map_or(0, |ty| ty.input_count());
    let workgroup = attributes::integer(function, "workgroup_attributions").unwrap_or(0);
    let workgroup = usize::try_from(workgroup).unwrap_or(0);
    let mut params = Vec::new();
    for index in 0..body.argument_count() {
        let argument: Value = argument_of(body, index);
        if index < inputs {
            params.push(decoder.parameter(function, argument)?);
        } else if index < inputs + workgroup {
            decoder.attribution(view, argument, index - inputs)?;
        } else {
            let message = "the executor does not know private memory: keep values in registers, or share memory";
            return Err(decoder.error(function, message));
        }
    }
    decoder.body(function)?;
    decoder.emit(Instr::End);
    let block = view.known_block_size().and_then(|sizes| {
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
    fn attribution(&mut self, view: GPUFuncOp<'_, '_>, argument: Value<'_, '_>, number: usize) -> Result {
        let function = view.operation();
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
        let alignment = attribution_alignment(view, number).unwrap_or(natural);
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
        match AnyOp::cast(op) {
            Some(AnyOp::Gpu(gpu::Op::Return(_))) if op.operand_count() == 0 => Ok(()),
            // What they pass on is for the operation around them.
            Some(AnyOp::Scf(scf::Op::Yield(_) | scf::Op::Condition(_))) => Ok(()),
            Some(
                AnyOp::Cf(cf::Op::Branch(_) | cf::Op::CondBranch(_) | cf::Op::Switch(_))
                | AnyOp::Llvm(llvm::Op::Br(_) | llvm::Op::CondBr(_) | llvm::Op::Switch(_)),
            ) => {
                let message = format!(
                    "'{}': the gpu stage has structured control flow (scf), not branches",
                    name_of(op)
                );
                Err(self.error(op, message))
            }
            _ => Err(self.unknown(op)),
        }
    }

    pub(crate) fn unknown(&self, op: Op<'_, '_>) -> DecodeError {
        self.error(op, format!("the executor does not know operation '{}'", name_of(op)))
    }

    fn operation(&mut self, op: Op<'_, '_>) -> Result {
        self.at(op);
        match AnyOp::cast(op) {
            Some(AnyOp::Arith(view)) => self.arith(view),
            Some(AnyOp::Math(view)) => self.math(view),
            Some(AnyOp::Vector(view)) => self.vector(view),
            Some(AnyOp::Scf(view)) => self.scf(view),
            Some(AnyOp::Cf(view)) => self.cf(view),
            Some(AnyOp::Memref(view)) => self.memref(view),
            Some(AnyOp::Gpu(view)) => self.gpu(view),
            Some(AnyOp::Nvvm(view)) => self.nvvm(view),
            Some(AnyOp::Llvm(view)) => self.llvm(view),
            Some(AnyOp::Ub(view)) => self.ub(view),
            Some(AnyOp::Tile(_) | AnyOp::Func(_)) | None => Err(self.unknown(op)),
        }
    }
}

/// The alignment that `llvm.align` gives a workgroup attribution.
fn attribution_alignment(function: GPUFuncOp<'_, '_>, number: usize) -> Option<u64> {
    let all = ArrayAttribute::try_from(function.workgroup_attrib_attrs()?).ok()?;
    let own = DictionaryAttribute::try_from(all.element(number).ok()?).ok()?;
    (0..own.len())
        .filter_map(|i| own.element(i).ok())
        .find_map(|(name, value)| {
            let named = name.as_string_ref().as_str().ok()? == ALIGN;
            let value = IntegerAttribute::try_from(value).ok().filter(|_| named)?.value();
            power_of_two(Some(value))
        })
}
