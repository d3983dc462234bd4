//! Functions of floats: PTX approximations within the language's bounds, exact LLVM operations, or the library.
//!
//! | function | `f32` | `f64` |
//! |---|---|---|
//! | exp, exp2 | `ex2.approx` (exp of x * log2 e) | library |
//! | sqrt (`afn`), rsqrt | `sqrt.approx`, `rsqrt.approx` | `sqrt.rn`, 1 / `sqrt.rn` |
//! | division (`arcp`) | `div.full`; of several by one: a product ([`division`]) | `div.rn` |
//! | sqrt, division without flag | `sqrt.rn`, `div.rn` | the same |
//! | others that LLVM has no instruction for | library | library |
//!
//! Integers become `bf16` with one rounding. `f16` and `bf16` compute in `f32` and round once; sums, products, comparisons, fused products, absolute values,
//! minima and maxima stay in their type.
//!
//! What LLVM has an intrinsic for becomes a call of it here, since `convert-gpu-to-nvvm` would make the operations of
//! `math` calls of NVIDIA's own library. Minima and maxima are those of IEEE 754-2019: -0 is less than +0, and a NaN
//! either loses (`minimumnum`) or wins (`minimum`).

use melior::ir::attribute::StringAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{OperationRef, Type, TypeLike, Value, ValueLike};
use mytriton_tile::emit::{CmpI, Emitter, element_type, shape_of, with_element};
use mytriton_tile::ops::arith::FastMathFlags;
use mytriton_tile::ops::{arith, llvm, math};
use mytriton_tile::{fast_math, names};

use crate::lower::conversion::Conversion;
use crate::lower::elementwise::division;
use crate::lower::thread::map;

/// Operations on every float type that are intrinsics of LLVM: name of the operation, name of the intrinsic.
const NATIVE: &[(&str, &str)] = &[
    (math::ABSF, "fabs"),
    (math::FMA, "fma"),
    (arith::MINNUMF, "minimumnum"),
    (arith::MAXNUMF, "maximumnum"),
    (arith::MINIMUMF, "minimum"),
    (arith::MAXIMUMF, "maximum"),
];

/// The same on `f32` and `f64` alone.
const DIRECT: &[(&str, &str)] = &[
    (math::SQRT, "sqrt"),
    (math::FLOOR, "floor"),
    (math::CEIL, "ceil"),
    (math::TRUNC, "trunc"),
    (math::ROUND, "round"),
    (math::ROUNDEVEN, "roundeven"),
];

/// The function of the mathematics library that computes an operation, if one does.
fn library_function(op: OperationRef<'_, '_>, name: &str) -> Option<&'static str> {
    names::library(name, names::function(op).as_ref().map(|function| function.value()))
}

fn find<'t>(table: &[(&str, &'t str)], name: &str) -> Option<&'t str> {
    table.iter().find(|row| row.0 == name).map(|row| row.1)
}

impl<'c: 'a, 'a> Conversion<'c, 'a, '_> {
    /// The operation on floats, if it is one that needs choosing; `ty` is the result's type.
    pub(crate) fn function(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        name: &str,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> Option<Value<'c, 'a>> {
        let element = element_type(operands.first()?.r#type());
        let single = Type::float32(self.context);
        if name == math::ABSI {
            // The least integer is its own negative.
            let zero = emitter.int_like(ty, 0);
            let negative = emitter.binary(arith::SUBI, zero, operands[0]);
            return Some(emitter.binary(arith::MAXSI, operands[0], negative));
        }
        if matches!(name, arith::SITOFP | arith::UITOFP) && element_type(ty).is_bf16() {
            return self.bf16_of_integer(emitter, name, operands[0], ty);
        }
        if let Some(intrinsic) = find(NATIVE, name) {
            return Some(on_vectors(emitter, intrinsic, operands));
        }
        let library = library_function(op, name);
        let chosen = matches!(name, math::RSQRT | arith::DIVF) || find(DIRECT, name).is_some() || library.is_some();
        if !chosen {
            return None;
        }
        let narrow = element.is_f16() || element.is_bf16();
        let wide = if narrow {
            self.widened(emitter, operands, element)
        } else {
            operands.to_vec()
        };
        let wide_type = if narrow { with_element(ty, single) } else { ty };
        let result = self.on_wide(emitter, (op, name), library, &wide, wide_type);
        Some(if narrow {
            emitter.value(arith::TRUNCF, &[result], ty, &[])
        } else {
            result
        })
    }

    fn widened(&self, emitter: Emitter<'c, 'a>, operands: &[Value<'c, 'a>], element: Type<'c>) -> Vec<Value<'c, 'a>> {
        if !(element.is_f16() || element.is_bf16()) {
            return operands.to_vec();
        }
        let single = Type::float32(self.context);
        let widened = |&v: &Value<'c, 'a>| match element_type(v.r#type()) == element {
            true => emitter.value(arith::EXTF, &[v], with_element(v.r#type(), single), &[]),
            // The exponent of `math.fpowi`.
            false => v,
        };
        operands.iter().map(widened).collect()
    }

    /// The same of `f32` or `f64`; `library` is the function of the library that computes it, if one does.
    fn on_wide(
        &mut self,
        emitter: Emitter<'c, 'a>,
        (op, name): (OperationRef<'c, '_>, &str),
        library: Option<&str>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> Value<'c, 'a> {
        let element = element_type(ty);
        let single = element.is_f32();
        let flags = fast_math(op);
        let approximate = |intrinsic: &str| {
            map(emitter, operands, ty, |of| {
                call_intrinsic(emitter, intrinsic, of, element)
            })
        };
        match name {
            math::EXP if single => {
                let factor = emitter.float_like(ty, std::f64::consts::LOG2_E);
                let scaled = emitter.binary(arith::MULF, operands[0], factor);
                map(emitter, &[scaled], ty, |of| call_intrinsic(emitter, EX2, of, element))
            }
            math::EXP2 if single => approximate(EX2),
            math::SQRT if single && flags.contains(FastMathFlags::AFN) => approximate("llvm.nvvm.sqrt.approx.f"),
            math::RSQRT if single => approximate("llvm.nvvm.rsqrt.approx.f"),
            math::RSQRT => {
                let one = emitter.float_like(ty, 1.0);
                let root = on_vectors(emitter, "sqrt", operands);
                emitter.binary(arith::DIVF, one, root)
            }
            arith::DIVF if single && flags.contains(FastMathFlags::ARCP) => match division::Shared::of(operands[1]) {
                Some(divisors) => divisors.divide(emitter, operands[0], ty),
                None => approximate(DIV),
            },
            _ => match (find(DIRECT, name), library) {
                (Some(intrinsic), _) => on_vectors(emitter, intrinsic, operands),
                (None, Some(function)) => self.library(emitter, function, operands, ty),
                (None, None) => emitter.value(name, operands, ty, &[]),
            },
        }
    }

    /// `bf16` of a wide integer, rounded once. LLVM rounds to `f32` before on targets without the instruction. Here the
    /// bits that a float of 24 or 53 bits cannot hold are gathered in the last one that it can (rounding to odd), so
    /// that only the second conversion rounds. None for integers that fit.
    fn bf16_of_integer(
        &self,
        emitter: Emitter<'c, 'a>,
        name: &str,
        x: Value<'c, 'a>,
        ty: Type<'c>,
    ) -> Option<Value<'c, 'a>> {
        let from = x.r#type();
        let (held, wide) = match IntegerType::try_from(element_type(from)).ok()?.width() {
            32 => (24, Type::float32(self.context)),
            64 => (53, Type::float64(self.context)),
            _ => return None,
        };
        let constant = |value: i64| emitter.int_like(from, value);
        let lost = if held == 24 { 8 } else { 11 };
        let limit = 1i64 << held;
        // Both signs at once: -limit <= x <= limit.
        let fits = if name == arith::SITOFP {
            emitter.cmpi(
                CmpI::Ule,
                emitter.binary(arith::ADDI, x, constant(limit)),
                constant(2 * limit),
            )
        } else {
            emitter.cmpi(CmpI::Ule, x, constant(limit))
        };
        let low = emitter.binary(arith::ANDI, x, constant((1 << lost) - 1));
        let high = emitter.binary(arith::ANDI, x, constant(-1 << lost));
        let odd = emitter.binary(arith::ORI, high, constant(1 << lost));
        let exact = emitter.cmpi(CmpI::Eq, low, constant(0));
        let gathered = emitter.select(exact, high, odd);
        let held = emitter.select(fits, x, gathered);
        let held = emitter.value(name, &[held], with_element(ty, wide), &[]);
        Some(emitter.value(arith::TRUNCF, &[held], ty, &[]))
    }

    /// A call of the mathematics library for each element.
    fn library(
        &mut self,
        emitter: Emitter<'c, 'a>,
        function: &str,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
    ) -> Value<'c, 'a> {
        let element = element_type(ty);
        let symbol = format!("__mytriton_{function}_{element}");
        let parameters: Vec<_> = operands.iter().map(|v| element_type(v.r#type())).collect();
        let signature = melior::dialect::llvm::r#type::function(element, &parameters, false);
        self.facts.functions.insert(symbol.clone(), signature);
        map(emitter, operands, ty, |of| {
            let none = melior::ir::attribute::DenseI32ArrayAttribute::new(emitter.context, &[]);
            let segments = melior::ir::attribute::DenseI32ArrayAttribute::new(emitter.context, &[of.len() as i32, 0]);
            let attributes = [
                ("callee", emitter.symbol(&symbol)),
                ("op_bundle_sizes", none.into()),
                ("operandSegmentSizes", segments.into()),
            ];
            emitter.value(llvm::CALL, of, element, &attributes)
        })
    }

    /// Float to integer: truncates, saturates, NaN gives 0 (LLVM language reference, `llvm.fptosi.sat`).
    pub(crate) fn saturated(
        &self,
        emitter: Emitter<'c, 'a>,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
        signed: bool,
    ) -> Value<'c, 'a> {
        let operands = self.widened(emitter, operands, element_type(operands[0].r#type()));
        let (from, to) = (element_type(operands[0].r#type()), element_type(ty));
        let sign = if signed { "s" } else { "u" };
        let intrinsic = format!("llvm.fpto{sign}i.sat.{to}.{from}");
        map(emitter, &operands, ty, |of| call_intrinsic(emitter, &intrinsic, of, to))
    }
}

/// An intrinsic of LLVM that works on vectors as on scalars, its result being of the operands' type.
pub(crate) fn on_vectors<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    name: &str,
    operands: &[Value<'c, 'a>],
) -> Value<'c, 'a> {
    let ty = operands[0].r#type();
    let element = element_type(ty);
    let suffix = shape_of(ty).map_or_else(|| element.to_string(), |shape| format!("v{}{element}", shape[0]));
    call_intrinsic(emitter, &format!("llvm.{name}.{suffix}"), operands, ty)
}

const EX2: &str = "llvm.nvvm.ex2.approx.f32";
pub const DIV: &str = "llvm.nvvm.div.full";

pub(crate) fn call_intrinsic<'c: 'a, 'a>(
    emitter: Emitter<'c, 'a>,
    name: &str,
    operands: &[Value<'c, 'a>],
    ty: Type<'c>,
) -> Value<'c, 'a> {
    let none = melior::ir::attribute::DenseI32ArrayAttribute::new(emitter.context, &[]);
    let count = operands.len() as i32;
    let segments = melior::ir::attribute::DenseI32ArrayAttribute::new(emitter.context, &[count, 0]);
    let attributes = [
        ("intrin", StringAttribute::new(emitter.context, name).into()),
        ("op_bundle_sizes", none.into()),
        ("operandSegmentSizes", segments.into()),
    ];
    emitter.value(llvm::CALL_INTRINSIC, operands, ty, &attributes)
}
