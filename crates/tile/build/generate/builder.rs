//! The method of `Emitter` that appends an operation.
//!
//! Its parameters are the operands, the attributes that must be there, the types of the results that do not follow, and
//! the regions. Other attributes are set afterwards, by the view's `with_...`.

use std::fmt::Write;

use super::attribute::{make, make_type};
use super::{VALUE, constant_name, identifier, says};
use crate::model::{Arity, Attribute, Op, OpResult, RegionKind};

pub fn builder(op: &Op) -> String {
    let (name, class) = (&op.name, &op.class);
    let parameters = parameters(op);
    let allow = if parameters.len() > 6 {
        "    #[allow(clippy::too_many_arguments)]\n"
    } else {
        ""
    };
    let mut list = String::new();
    for (name, ty) in &parameters {
        writeln!(list, "        {name}: {ty},").expect("a string grows");
    }
    let (append, regions) = match op.regions.is_empty() {
        true => ("op", String::new()),
        false => ("op_with_regions", format!("            {},\n", region_list(op))),
    };
    format!(
        "
impl<'c: 'a, 'a> Emitter<'c, 'a> {{
    /// Appends a [`{name}`]({class}){says}.
{allow}    pub fn {method}(
        &self,
{list}    ) -> {class}<'c, 'a> {{
        {class}(self.{append}(
            {constant},
            {operands},
            {results},
            {attributes},
{regions}        ))
    }}
}}
",
        says = says(op),
        method = name.replace('.', "_"),
        constant = constant_name(op),
        operands = slice(op.operands.iter().map(|o| (identifier(&o.name), o.arity)).collect()),
        results = slice(op.results.iter().map(|r| (result_type(op, r), r.arity)).collect()),
        attributes = attribute_list(op),
    )
}

/// Names and types of the parameters.
fn parameters(op: &Op) -> Vec<(String, String)> {
    let mut parameters = Vec::new();
    let many = |arity, ty: &str| match arity {
        Arity::One => ty.to_owned(),
        Arity::Optional => format!("Option<{ty}>"),
        Arity::Variadic => format!("&[{ty}]"),
    };
    for operand in &op.operands {
        parameters.push((identifier(&operand.name), many(operand.arity, VALUE)));
    }
    for attribute in required(op) {
        parameters.push((identifier(&attribute.name), make_type(&attribute.kind)));
    }
    for result in op.results.iter().filter(|result| !follows(op, result)) {
        parameters.push((identifier(&result.name), many(result.arity, "Type<'c>")));
    }
    for region in &op.regions {
        let ty = match region.kind {
            RegionKind::Block | RegionKind::OptionalBlock | RegionKind::Any => "Region<'c>",
            RegionKind::Blocks => "Vec<Region<'c>>",
        };
        parameters.push((identifier(&region.name), ty.to_owned()));
    }
    parameters
}

fn required(op: &Op) -> impl Iterator<Item = &Attribute> {
    op.attributes.iter().filter(|attribute| !attribute.optional)
}

/// Does the type of a result follow from the rest?
fn follows(op: &Op, result: &OpResult) -> bool {
    result.arity == Arity::One && (op.same_type || result.ty.is_some())
}

/// The expression of a result's type, or types.
fn result_type(op: &Op, result: &OpResult) -> String {
    match (follows(op, result), result.ty) {
        (true, Some(ty)) => ty.to_owned(),
        (true, None) => {
            let first = op.operands.first().map(|operand| identifier(&operand.name));
            format!("{}.r#type()", first.unwrap_or_default())
        }
        (false, _) => identifier(&result.name),
    }
}

/// The expression of a slice of values or types: an array, where their number is known.
fn slice(parts: Vec<(String, Arity)>) -> String {
    if parts.iter().all(|(_, arity)| *arity == Arity::One) {
        let parts: Vec<_> = parts.into_iter().map(|(part, _)| part).collect();
        return format!("&[{}]", parts.join(", "));
    }
    if let [(part, Arity::Variadic)] = &parts[..] {
        return part.clone();
    }
    let mut chain = String::new();
    for (part, arity) in parts {
        let part = match arity {
            Arity::One => format!("[{part}]"),
            Arity::Optional => part,
            Arity::Variadic => format!("{part}.iter().copied()"),
        };
        chain = match (chain.is_empty(), arity) {
            (true, Arity::Variadic) => part,
            (true, _) => format!("{part}.into_iter()"),
            (false, _) => format!("{chain}.chain({part})"),
        };
    }
    format!("&{chain}.collect::<Vec<_>>()")
}

fn region_list(op: &Op) -> String {
    let one = |region: &crate::model::Region| region.kind != RegionKind::Blocks;
    let names: Vec<_> = op.regions.iter().map(|region| identifier(&region.name)).collect();
    if op.regions.iter().all(one) {
        return format!("vec![{}]", names.join(", "));
    }
    // The regions of variable number are the last ones.
    let (last, rest) = names.split_last().expect("there are regions");
    format!("[{}].into_iter().chain({last}).collect()", rest.join(", "))
}

fn attribute_list(op: &Op) -> String {
    let mut pairs: Vec<String> = required(op)
        .map(|attribute| {
            let value = make(&attribute.kind, "self.context", &identifier(&attribute.name));
            format!("({:?}, {value})", attribute.name)
        })
        .collect();
    if op.segmented {
        let sizes = op.operands.iter().map(|operand| {
            let name = identifier(&operand.name);
            match operand.arity {
                Arity::One => "1".to_owned(),
                Arity::Optional => format!("usize::from({name}.is_some())"),
                Arity::Variadic => format!("{name}.len()"),
            }
        });
        let sizes = sizes.collect::<Vec<_>>().join(", ");
        pairs.push(format!("(SEGMENT_SIZES, segment_sizes(self.context, &[{sizes}]))"));
    }
    format!("&[{}]", pairs.join(", "))
}
