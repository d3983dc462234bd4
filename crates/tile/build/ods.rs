//! Operations as ODS defines them, read from TableGen's records (MLIR, "Operation Definition Specification").

use std::error::Error;
use std::path::Path;

use tblgen::{Record, TableGenParser, init::DagInit};

use crate::model::{Arity, Attribute, AttributeKind, Named, Op, Operand};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The operations of `dialect` that `definitions` and what it includes define, by name.
///
/// An operation with something that the bindings have no form for is an error, rather than a binding that lacks it.
pub fn read(definitions: &str, dialect: &str, includes: &[&Path]) -> Result<Vec<Op>> {
    let mut parser = TableGenParser::new().add_source_file(definitions);
    for include in includes {
        let include = include
            .to_str()
            .ok_or_else(|| format!("{}: the path is not UTF-8", include.display()))?;
        parser = parser.add_include_directory(include);
    }
    let records = parser
        .parse()
        .map_err(|error| format!("{definitions}: {error}; TableGen's own message is above"))?;
    let mut ops = Vec::new();
    for record in records.all_derived_definitions("Op") {
        if record.def_value("opDialect")?.str_value("name")? == dialect {
            let op = op(record, dialect).map_err(|error| format!("{}: {error}", record.name().unwrap_or_default()))?;
            ops.push(op);
        }
    }
    ops.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(ops)
}

fn op(record: Record<'_>, dialect: &str) -> Result<Op> {
    let definition = record.name()?;
    let class = definition
        .split_once('_')
        .map_or(definition, |(_, class)| class)
        .to_owned();
    if record.dag_value("successors")?.num_args() > 0 {
        return Err("successors are not generated yet; see crates/tile/build/generate.rs".into());
    }
    let mut regions = Vec::new();
    for (name, constraint) in arguments(record.dag_value("regions")?)? {
        if constraint.str_value("summary")? != "region with 1 blocks" {
            return Err(
                format!("region '{name}': regions of one block (SizedRegion<1>) alone are generated yet").into(),
            );
        }
        regions.push(name);
    }
    let (mut operands, mut attributes) = (Vec::new(), Vec::new());
    for (name, constraint) in arguments(record.dag_value("arguments")?)? {
        let summary = summary(constraint)?;
        if constraint.subclass_of("TypeConstraint") {
            operands.push(Operand {
                name,
                summary,
                arity: arity(constraint),
            });
        } else if constraint.subclass_of("Attr") {
            // An attribute with a default may be left out too.
            let optional = constraint.bit_value("isOptional")? || !constraint.is_value_unset("defaultValue");
            attributes.push(Attribute {
                name,
                summary,
                kind: kind(constraint)?,
                optional,
            });
        } else {
            return Err(format!("argument '{name}' is neither an operand nor an attribute").into());
        }
    }
    let segmented = record
        .list_of_defs_value("traits")?
        .iter()
        .any(|t| t.name() == Ok("AttrSizedOperandSegments"));
    if !segmented && operands.iter().filter(|o| o.arity != Arity::One).count() > 1 {
        return Err("several operands of variable number need the trait AttrSizedOperandSegments".into());
    }
    let (mut results, mut many_results) = (Vec::new(), false);
    for (name, constraint) in arguments(record.dag_value("results")?)? {
        if arity(constraint) == Arity::Optional {
            return Err(format!("result '{name}': optional results are not generated yet").into());
        }
        many_results |= arity(constraint) == Arity::Variadic;
        results.push(Named {
            name,
            summary: summary(constraint)?,
        });
    }
    if many_results && results.len() > 1 {
        return Err("results of variable number beside others are not generated yet".into());
    }
    let name = format!("{dialect}.{}", record.str_value("opName")?);
    Ok(Op {
        name,
        class,
        summary: record.str_value("summary")?.to_owned(),
        operands,
        attributes,
        segmented,
        results,
        many_results,
        regions,
    })
}

/// Names and constraints of `(ins ...)` and `(outs ...)`.
fn arguments(dag: DagInit<'_>) -> Result<Vec<(String, Record<'_>)>> {
    let mut arguments = Vec::new();
    for (index, (name, constraint)) in dag.args().enumerate() {
        let name = name
            .filter(|name| !name.is_empty())
            .ok_or_else(|| format!("number {index} has no name"))?;
        let mut constraint = Record::try_from(constraint).map_err(|_| format!("'{name}' is no constraint"))?;
        // `Arg` and `Res` say something about an operand or result besides.
        if constraint.subclass_of("OpVariable") {
            constraint = constraint.def_value("constraint")?;
        }
        arguments.push((name.to_owned(), constraint));
    }
    Ok(arguments)
}

fn arity(constraint: Record<'_>) -> Arity {
    if constraint.subclass_of("Optional") {
        Arity::Optional
    } else if constraint.subclass_of("Variadic") {
        Arity::Variadic
    } else {
        Arity::One
    }
}

fn kind(constraint: Record<'_>) -> Result<AttributeKind> {
    // OptionalAttr and the like wrap the attribute whose kind it is.
    let base = constraint.optional_def_value("baseAttr").unwrap_or(constraint);
    Ok(match base.name()? {
        "I32Attr" => AttributeKind::I32,
        "I64Attr" => AttributeKind::I64,
        _ => AttributeKind::Any,
    })
}

fn summary(constraint: Record<'_>) -> Result<String> {
    Ok(constraint.str_value("summary")?.to_owned())
}
