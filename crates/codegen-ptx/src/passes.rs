//! Which of LLVM's passes run.
//!
//! A kernel is straight code on vectors as wide as a thread's share of a tile; some have loops. Its vectors are taken apart
//! before ([`crate::scalars`]): PTX has none but pairs of 16-bit numbers, which [`PAIRS`] makes again, and instruction
//! selection would do so more slowly, with masks packed bit by bit into integers. The passes are those of `default<O3>`
//! that do something for such code. What is left out is for recursion, exceptions, coroutines, structures in memory and
//! vector registers; it took half of the time.

use inkwell::module::Module;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum};
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue};

use crate::pipeline::PTX_KERNEL;
use crate::target::OptLevel;

/// Two operations on 16-bit numbers to one on a pair of them.
const PAIRS: &str = "slp-vectorizer,vector-combine,";

/// For kernels without loops, calls and pointers (addresses are integers), in two parts between which [`PAIRS`] go.
const STRAIGHT: [&str; 2] = [
    "function<eager-inv>(early-cse<memssa>,instcombine<max-iterations=1;no-verify-fixpoint>,reassociate,\
     simplifycfg<switch-range-to-icmp;hoist-common-insts;sink-common-insts;speculate-unpredictables>,",
    "infer-alignment,early-cse<>,bdce,instcombine<max-iterations=1;no-verify-fixpoint>,adce),globaldce",
];

/// For all others, likewise. The first passes of a function run within the inliner's, which takes functions of the
/// mathematics library in; attributes say which pointers are only read.
const GENERAL: [&str; 2] = [
    "function(early-cse<>),cgscc(inline,function<eager-inv;no-rerun>(\
     sroa<modify-cfg>,early-cse<memssa>,simplifycfg<switch-range-to-icmp>,\
     instcombine<max-iterations=1;no-verify-fixpoint>,reassociate,\
     loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,\
     loop-rotate<header-duplication;no-prepare-for-lto>,licm<allowspeculation>),\
     loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),\
     sroa<modify-cfg>,gvn<>,correlated-propagation,bdce,instcombine<max-iterations=1;no-verify-fixpoint>,adce,\
     simplifycfg<switch-range-to-icmp;hoist-common-insts;sink-common-insts>),function-attrs),function<eager-inv>(",
    "infer-alignment,loop-unroll<O3>,\
     instcombine<max-iterations=1;no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),\
     simplifycfg<switch-range-to-icmp;hoist-common-insts;speculate-unpredictables>),globaldce",
];

/// The pipeline for a module whose vectors are not taken apart yet, as text of the new pass manager.
pub(crate) fn pipeline(module: &Module<'_>, level: OptLevel) -> String {
    match level {
        OptLevel::O0 => "default<O0>".to_owned(),
        OptLevel::O1 => "default<O1>".to_owned(),
        OptLevel::O2 => "default<O2>".to_owned(),
        OptLevel::O3 => {
            let pairs = computes_in_16_bits(module) && !converts_wide_unsigned(module);
            let pairs = if pairs { PAIRS } else { "" };
            let [before, after] = if is_straight(module) { STRAIGHT } else { GENERAL };
            [before, pairs, after].concat()
        }
    }
}

/// Are all functions kernels without loops and pointers?
fn is_straight(module: &Module<'_>) -> bool {
    let mut bodies = module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0);
    bodies.all(|function| {
        let is_kernel = function.get_call_conventions() == PTX_KERNEL;
        let pointers = function.get_param_iter().any(|parameter| parameter.is_pointer_value());
        is_kernel && !pointers && !branches_back(function)
    })
}

/// Is there a branch to its own block or one before? Every loop has one.
fn branches_back(function: FunctionValue<'_>) -> bool {
    let blocks = function.get_basic_blocks();
    let mut before = Vec::with_capacity(blocks.len());
    blocks.into_iter().any(|block| {
        before.push(block);
        let operands = block.get_terminator().map(|end| end.get_operands());
        let mut targets = operands
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|operand| operand.block());
        targets.any(|target| before.contains(&target))
    })
}

fn instructions<'ll>(module: &Module<'ll>) -> impl Iterator<Item = InstructionValue<'ll>> {
    let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
    blocks.flat_map(|block| block.get_instructions())
}

/// Are there operations on vectors of 16-bit numbers, other than to and from them?
fn computes_in_16_bits(module: &Module<'_>) -> bool {
    instructions(module).any(|instruction| {
        use InstructionOpcode::{Add, And, Call, FAdd, FDiv, FMul, FNeg, FSub, Mul, Or, Shl, Sub, Xor};
        let computes = matches!(
            instruction.get_opcode(),
            Add | And | Call | FAdd | FDiv | FMul | FNeg | FSub | Mul | Or | Shl | Sub | Xor
        );
        computes && matches!(instruction.get_type(), AnyTypeEnum::VectorType(ty) if is_16_bits(ty.get_element_type()))
    })
}

/// Are there unsigned integers of more than 16 bits that become floats? LLVM 22's `slp-vectorizer` narrows what it makes
/// pairs of to the bits that a signed number needs: of `uitofp (sext i8 %x to i64)` it makes one of `sext i8 %x to i16`.
fn converts_wide_unsigned(module: &Module<'_>) -> bool {
    instructions(module).any(|instruction| {
        let operand = || instruction.get_operand(0)?.value();
        instruction.get_opcode() == InstructionOpcode::UIToFP
            && match operand() {
                Some(BasicValueEnum::IntValue(int)) => int.get_type().get_bit_width() > 16,
                Some(BasicValueEnum::VectorValue(vector)) => {
                    matches!(vector.get_type().get_element_type(), BasicTypeEnum::IntType(int) if int.get_bit_width() > 16)
                }
                _ => false,
            }
    })
}

fn is_16_bits(element: BasicTypeEnum<'_>) -> bool {
    match element {
        BasicTypeEnum::FloatType(float) => float.get_bit_width() == 16,
        BasicTypeEnum::IntType(int) => int.get_bit_width() == 16,
        _ => false,
    }
}
