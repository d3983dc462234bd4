//! Fitting arguments to parameters, and saying why where they do not.

use mytriton_abi::{self as abi, ParamInfo, ParamKind as AbiKind};
use mytriton_frontend::{ConstexprValue, DType, DTypeRef, KernelDef, ParamKind};

use crate::arg::{Arg, Value};
use crate::error::{ArgumentProblem, Error};
use crate::options::{CPU, SIMT};

/// The run-time parameters of a kernel that `#[kernel]` defines: pointer or number, and the type. A type parameter
/// without a value has none.
#[inline]
pub(crate) fn parameters<'a>(
    def: &'static KernelDef,
    constexprs: &'a [ConstexprValue],
) -> impl Iterator<Item = (bool, Option<DType>)> + use<'a> {
    def.params.iter().filter_map(move |param| {
        let (is_pointer, dtype) = match param.kind {
            ParamKind::Ptr(dtype) => (true, dtype),
            ParamKind::Scalar(dtype) => (false, dtype),
            ParamKind::Constexpr(_) => return None,
        };
        let dtype = match dtype {
            DTypeRef::Is(dtype) => Some(dtype),
            DTypeRef::Generic(i) => match constexprs.get(i) {
                Some(&ConstexprValue::DType(dtype)) => Some(dtype),
                _ => None,
            },
        };
        Some((is_pointer, dtype))
    })
}

/// Why arguments do not fit a kernel that `#[kernel]` defines, `index` being the first that does not.
#[cold]
pub(crate) fn mismatch(
    def: &'static KernelDef,
    constexprs: &[ConstexprValue],
    args: &[Arg<'_>],
    index: usize,
    place: usize,
) -> Error {
    let names: Vec<&str> = def.runtime_params().map(|p| p.name).collect();
    let param = parameters(def, constexprs).nth(index);
    match (param, args.get(index)) {
        (Some((is_pointer, dtype)), Some(arg)) if names.len() == args.len() => {
            let name = dtype.map_or("a type that was not given", DType::name);
            Error::Argument {
                kernel: def.name.to_owned(),
                index,
                name: names[index].to_owned(),
                problem: problem(
                    type_text(is_pointer, name),
                    arg,
                    place,
                    |found| Some(found) == dtype,
                    is_pointer,
                ),
            }
        }
        _ => count(def.name, &names, args.len()),
    }
}

fn count(kernel: &str, names: &[&str], found: usize) -> Error {
    Error::ArgumentCount {
        kernel: kernel.to_owned(),
        expected: names.len(),
        names: names.join(", "),
        found,
    }
}

fn type_text(is_pointer: bool, name: &str) -> String {
    if is_pointer {
        format!("Ptr<{name}>")
    } else {
        name.to_owned()
    }
}

/// Says what is wrong with an argument of which something is.
fn problem(
    expected: String,
    arg: &Arg<'_>,
    launch: usize,
    fits: impl Fn(DType) -> bool,
    is_pointer: bool,
) -> ArgumentProblem {
    match arg.value {
        Value::Ptr { dtype, place, .. } if is_pointer && fits(dtype) => ArgumentProblem::Device {
            buffer: place_name(place, launch),
            launch: place_name(launch, launch),
        },
        Value::Ptr { dtype, .. } => ArgumentProblem::Type {
            expected,
            found: format!("a buffer of {dtype}"),
        },
        Value::Scalar(value) => ArgumentProblem::Type {
            expected,
            found: format!("a number of type {}", value.dtype),
        },
    }
}

/// How messages name a place, seen from that of the launch.
pub(crate) fn place_name(place: usize, launch: usize) -> &'static str {
    match place {
        CPU => "the CPU device",
        SIMT => "the SIMT device",
        other if other == launch || launch == CPU || launch == SIMT => "a GPU",
        _ => "another GPU",
    }
}

/// Checks arguments against signless parameters and the facts that these state.
pub(crate) fn check(kernel: &str, params: &[ParamInfo], args: &[Arg<'_>], place: usize) -> Result<(), Error> {
    if params.len() != args.len() {
        let names: Vec<&str> = params.iter().map(|p| p.name.as_str()).collect();
        return Err(count(kernel, &names, args.len()));
    }
    for (index, (param, arg)) in params.iter().zip(args).enumerate() {
        let (is_pointer, wanted) = match param.kind {
            AbiKind::Pointer(dtype) => (true, dtype),
            AbiKind::Scalar(dtype) => (false, dtype),
        };
        let fits = |dtype: DType| abi::DType::from(dtype.scalar()) == wanted;
        let multiple = |bits: u64| bits.is_multiple_of(u64::from(param.divisibility));
        let divisibility = |value: String| ArgumentProblem::Divisibility {
            value,
            divisibility: param.divisibility,
        };
        let problem = match arg.value {
            Value::Ptr {
                address,
                dtype,
                place: at,
            } if is_pointer && fits(dtype) && at == place => {
                if multiple(address) {
                    continue;
                }
                divisibility(format!("address {address:#x}"))
            }
            Value::Scalar(value) if !is_pointer && fits(value.dtype) => {
                if multiple(value.bits) {
                    continue;
                }
                divisibility(number_text(value.dtype, value.bits))
            }
            _ => problem(type_text(is_pointer, wanted.name()), arg, place, fits, is_pointer),
        };
        return Err(Error::Argument {
            kernel: kernel.to_owned(),
            index,
            name: param.name.clone(),
            problem,
        });
    }
    Ok(())
}

/// An integer as its type writes it.
fn number_text(dtype: DType, bits: u64) -> String {
    let unused = 64 - dtype.bits();
    if dtype.is_unsigned() {
        bits.to_string()
    } else {
        (((bits << unused) as i64) >> unused).to_string()
    }
}
