//! Arguments of named constructors: by position, by name, checked.

use super::TextError;
use super::read::{Argument, Call, Kind, Node};
use std::ops::Range;

/// The arguments of one call, one place per parameter.
pub(super) struct Arguments<'a> {
    call: &'a Call,
    parameters: &'static [&'static str],
    values: Vec<Option<&'a Node>>,
}

impl<'a> Arguments<'a> {
    /// Assigns arguments to parameters.
    pub fn new(call: &'a Call, parameters: &'static [&'static str]) -> Result<Self, TextError> {
        let mut values = vec![None; parameters.len()];
        let help = || format!("{} takes {}", call.name, parameters.join(", "));
        for (position, Argument { name, value }) in call.arguments.iter().enumerate() {
            let (at, span) = match name {
                Some((name, span)) => (parameters.iter().position(|known| known == name), span),
                None => (Some(position).filter(|&at| at < parameters.len()), &value.span),
            };
            let Some(at) = at else {
                let message = match name {
                    Some((name, _)) => format!("{} has no parameter {name}", call.name),
                    None => format!("one argument too many for {}", call.name),
                };
                return Err(TextError::new(span.clone(), message).help(help()));
            };
            if values[at].replace(value).is_some() {
                let message = format!("{} is given twice", parameters[at]);
                return Err(TextError::new(span.clone(), message).help(help()));
            }
        }
        Ok(Arguments {
            call,
            parameters,
            values,
        })
    }

    fn find(&self, parameter: &str) -> Option<&'a Node> {
        let at = self.parameters.iter().position(|known| *known == parameter)?;
        self.values[at]
    }

    fn missing(&self, parameter: &str) -> TextError {
        let message = format!("{} needs {parameter}", self.call.name);
        TextError::new(self.call.place.clone(), message).help(format!(
            "{} takes {}",
            self.call.name,
            self.parameters.join(", ")
        ))
    }

    /// Where an argument stands.
    pub fn span(&self, parameter: &str) -> Option<Range<usize>> {
        self.find(parameter).map(|node| node.span.clone())
    }

    /// A list of exactly `len` numbers.
    pub fn list(&self, parameter: &str, len: usize, default: Option<Vec<u32>>) -> Result<Vec<u32>, TextError> {
        let Some(node) = self.find(parameter) else {
            return default.ok_or_else(|| self.missing(parameter));
        };
        match &node.kind {
            Kind::List(numbers) if numbers.len() == len => Ok(numbers.clone()),
            Kind::List(numbers) => {
                let message = format!("{parameter} has {} numbers, here it needs {len}", numbers.len());
                Err(TextError::new(node.span.clone(), message))
            }
            _ => Err(TextError::new(
                node.span.clone(),
                format!("{parameter} is a list, as [1, 4]"),
            )),
        }
    }

    /// A pair of numbers.
    pub fn pair(&self, parameter: &str, default: Option<[u32; 2]>) -> Result<[u32; 2], TextError> {
        let list = self.list(parameter, 2, default.map(|pair| pair.to_vec()))?;
        Ok([list[0], list[1]])
    }

    /// A number.
    pub fn number(&self, parameter: &str, default: Option<u32>) -> Result<u32, TextError> {
        match self.find(parameter) {
            Some(node) => number(node, parameter, ""),
            None => default.ok_or_else(|| self.missing(parameter)),
        }
    }

    /// A number with a unit.
    pub fn with_unit(&self, parameter: &str, unit: &str) -> Result<u32, TextError> {
        let node = self.find(parameter).ok_or_else(|| self.missing(parameter))?;
        number(node, parameter, unit)
    }

    /// A layout that has to be built by the caller.
    pub fn layout(&self, parameter: &str) -> Result<&'a Node, TextError> {
        let node = self.find(parameter).ok_or_else(|| self.missing(parameter))?;
        match node.kind {
            Kind::Linear(_) | Kind::Call(_) => Ok(node),
            _ => Err(TextError::new(node.span.clone(), format!("{parameter} is a layout"))),
        }
    }
}

fn number(node: &Node, parameter: &str, unit: &str) -> Result<u32, TextError> {
    let digits = match &node.kind {
        Kind::Word(word) => word.strip_suffix(unit),
        _ => None,
    };
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| {
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" followed by {unit}")
        };
        TextError::new(
            node.span.clone(),
            format!("{parameter} is a number of at most 32 bits{unit}"),
        )
    })
}
