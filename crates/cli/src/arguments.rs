//! The kernel's arguments on the command line: `[NAME=]VALUE`.

use std::path::PathBuf;

use mytriton::abi::{ParamInfo, ParamKind};
use mytriton_ssa::{Const, Scalar};

use crate::error::Error;
use crate::generate::Generator;
use crate::literal;
use crate::npy;

/// An argument as it was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The parameter's name, if it was said.
    name: Option<String>,
    value: Value,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Generated(Generator),
    /// A number or a file: the parameter decides.
    Text(String),
}

/// What a parameter gets.
#[derive(Debug)]
pub enum Bound<'a> {
    /// A number.
    Scalar(Const),
    /// The array of a file, for a pointer to such elements.
    File(PathBuf, Scalar),
    /// A new array, for a pointer to such elements.
    Generated(&'a Generator, Scalar),
}

impl Given {
    /// Reads `[NAME=]VALUE`.
    pub fn parse(text: &str) -> Result<Given, String> {
        let named = text.split_once('=').filter(|(name, _)| is_name(name));
        let (name, value) = named.map_or((None, text), |(name, value)| (Some(name.to_owned()), value));
        let value = match Generator::parse(value) {
            Some(generator) => Value::Generated(generator?),
            None if value.is_empty() => return Err("the value is missing".to_owned()),
            None => Value::Text(value.to_owned()),
        };
        Ok(Given { name, value })
    }
}

/// Can this be the name of a parameter?
fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A kernel's name and parameters, for messages.
pub fn signature(kernel: &str, params: &[ParamInfo]) -> String {
    let params: Vec<_> = params
        .iter()
        .map(|param| format!("{}: {}", param.name, param.kind))
        .collect();
    format!("the kernel is {kernel}({})", params.join(", "))
}

/// Gives each parameter its argument: those with a name go to it, the others in order to what is left.
pub fn bind<'a>(kernel: &str, params: &[ParamInfo], given: &'a [Given]) -> Result<Vec<Bound<'a>>, Error> {
    bind_open(kernel, params, &[], given)
}

/// The same for a kernel of which some parameters, those that are true in `open`, are numbers of 64 bits or pointers to
/// anything: the argument decides.
pub fn bind_open<'a>(
    kernel: &str,
    params: &[ParamInfo],
    open: &[bool],
    given: &'a [Given],
) -> Result<Vec<Bound<'a>>, Error> {
    let fail = |message: String| Error::new(message).help(signature(kernel, params));
    let mut slots: Vec<Option<&Value>> = vec![None; params.len()];
    for argument in given {
        let Some(name) = &argument.name else { continue };
        let Some(at) = params.iter().position(|param| param.name == *name) else {
            return Err(fail(format!("kernel '{kernel}' has no parameter '{name}'")));
        };
        if slots[at].replace(&argument.value).is_some() {
            return Err(fail(format!("parameter '{name}' is given twice")));
        }
    }
    let mut unnamed = given
        .iter()
        .filter(|argument| argument.name.is_none())
        .map(|argument| &argument.value);
    for slot in slots.iter_mut().filter(|slot| slot.is_none()) {
        *slot = unnamed.next();
    }
    let missing: Vec<&str> = params
        .iter()
        .zip(&slots)
        .filter(|(_, slot)| slot.is_none())
        .map(|(param, _)| param.name.as_str())
        .collect();
    if !missing.is_empty() || unnamed.next().is_some() {
        let missing = if missing.is_empty() {
            String::new()
        } else {
            format!("; missing: {}", missing.join(", "))
        };
        let (takes, found) = (params.len(), given.len());
        return Err(fail(format!(
            "kernel '{kernel}' takes {takes} argument(s), {found} given{missing}"
        )));
    }
    let is_open = open.iter().copied().chain(std::iter::repeat(false));
    let given = params.iter().zip(is_open).zip(slots.into_iter().flatten());
    let bound = given.map(|((param, open), value)| {
        let bound = match open.then(|| elements(value)).transpose() {
            Ok(Some(Some(scalar))) => bind_one(&pointer(param, scalar), value),
            Ok(_) => bind_one(param, value),
            Err(reason) => Err(reason),
        };
        bound.map_err(|reason| fail(format!("argument '{}': {reason}", param.name)))
    });
    bound.collect()
}

/// The parameter as a pointer to such elements.
fn pointer(param: &ParamInfo, scalar: Scalar) -> ParamInfo {
    ParamInfo {
        kind: ParamKind::Pointer(scalar.into()),
        ..param.clone()
    }
}

/// The type of the elements of an array; none of a number.
fn elements(value: &Value) -> Result<Option<Scalar>, String> {
    match value {
        Value::Generated(generator) => match generator.scalar {
            Some(scalar) => Ok(Some(scalar)),
            None => {
                Err("nothing says what the array's elements are: give their type, such as zeros:f32:1000".to_owned())
            }
        },
        Value::Text(text) if text.ends_with(".npy") => {
            let scalar = npy::element_type(std::path::Path::new(text));
            scalar.map(Some).map_err(|e| format!("{text} {e}"))
        }
        Value::Text(_) => Ok(None),
    }
}

fn bind_one<'a>(param: &ParamInfo, value: &'a Value) -> Result<Bound<'a>, String> {
    match (param.kind, value) {
        (ParamKind::Scalar(dtype), Value::Text(text)) if text.ends_with(".npy") => {
            Err(format!("the parameter is one {dtype}, not an array such as {text}"))
        }
        (ParamKind::Scalar(dtype), Value::Text(text)) => literal::parse(text, dtype.into()).map(Bound::Scalar),
        (ParamKind::Scalar(dtype), Value::Generated(_)) => Err(format!("the parameter is one {dtype}, not an array")),
        (ParamKind::Pointer(dtype), Value::Generated(generator)) => match generator.scalar {
            Some(scalar) if scalar != Scalar::from(dtype) => {
                Err(format!("the parameter is ptr<{dtype}>, the array of {scalar}"))
            }
            _ => Ok(Bound::Generated(generator, dtype.into())),
        },
        (ParamKind::Pointer(dtype), Value::Text(text)) => {
            // A number for a pointer is a more likely mistake than a file of that name that is not there.
            if !text.ends_with(".npy") && !std::path::Path::new(text).exists() {
                return Err(format!(
                    "the parameter is ptr<{dtype}>, so FILE.npy, zeros:SHAPE or random:SHAPE is needed, not '{text}'"
                ));
            }
            Ok(Bound::File(PathBuf::from(text), dtype.into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use mytriton::abi::DType;

    use super::*;

    fn params() -> Vec<ParamInfo> {
        let param = |name: &str, kind| ParamInfo {
            name: name.to_owned(),
            kind,
            divisibility: 1,
        };
        vec![
            param("x", ParamKind::Pointer(DType::F32)),
            param("n", ParamKind::Scalar(DType::I32)),
            param("out", ParamKind::Pointer(DType::F32)),
        ]
    }

    fn bound(given: &[&str]) -> Result<String, String> {
        let given = given.iter().map(|text| Given::parse(text).unwrap()).collect::<Vec<_>>();
        match bind("k", &params(), &given) {
            Ok(bound) => Ok(bound
                .iter()
                .map(|bound| match bound {
                    Bound::Scalar(value) => format!("{value:?}"),
                    Bound::File(path, scalar) => format!("{} of {scalar}", path.display()),
                    Bound::Generated(generator, scalar) => format!("{:?} of {scalar}", generator.shape),
                })
                .collect::<Vec<_>>()
                .join("; ")),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn arguments_go_to_their_parameters() {
        let expected = Ok("a.npy of f32; 3 : i32; [7] of f32".to_owned());
        assert_eq!(bound(&["a.npy", "3", "zeros:7"]), expected);
        assert_eq!(bound(&["out=zeros:f32:7", "a.npy", "n=3"]), expected);
        assert_eq!(bound(&["n=0x3", "a.npy", "zeros:7"]), expected);
        // The part before the sign is no name.
        assert_eq!(
            bound(&["./n=1.npy", "3", "zeros:7"]),
            Ok("./n=1.npy of f32; 3 : i32; [7] of f32".to_owned())
        );
    }

    #[test]
    fn arguments_that_do_not_fit() {
        let says = |given: &[&str]| bound(given).unwrap_err();
        insta::assert_snapshot!(says(&["a.npy", "3"]), @"kernel 'k' takes 3 argument(s), 2 given; missing: out");
        insta::assert_snapshot!(says(&["a.npy", "3", "b.npy", "4"]), @"kernel 'k' takes 3 argument(s), 4 given");
        insta::assert_snapshot!(says(&["a.npy", "m=3"]), @"kernel 'k' has no parameter 'm'");
        insta::assert_snapshot!(says(&["n=1", "n=3"]), @"parameter 'n' is given twice");
        insta::assert_snapshot!(
            says(&["3", "3", "b.npy"]),
            @"argument 'x': the parameter is ptr<f32>, so FILE.npy, zeros:SHAPE or random:SHAPE is needed, not '3'"
        );
        insta::assert_snapshot!(says(&["a.npy", "b.npy", "c.npy"]), @"argument 'n': the parameter is one i32, not an array such as b.npy");
        insta::assert_snapshot!(says(&["a.npy", "zeros:1", "c.npy"]), @"argument 'n': the parameter is one i32, not an array");
        insta::assert_snapshot!(says(&["a.npy", "0.5", "c.npy"]), @"argument 'n': '0.5' is no i32: a whole number is needed");
        insta::assert_snapshot!(says(&["zeros:f64:4", "1", "c.npy"]), @"argument 'x': the parameter is ptr<f32>, the array of f64");
        assert_eq!(Given::parse("n="), Err("the value is missing".to_owned()));
    }
}
