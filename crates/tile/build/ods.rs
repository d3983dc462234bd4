//! Operations as ODS defines them, read from TableGen's records (MLIR, "Operation Definition Specification").

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use tblgen::{Record, RecordKeeper, TableGenParser, init::DagInit};

use crate::model::{
    Arity, Attribute, AttributeKind, Dialect, Enum, EnumStorage, Op, OpResult, Operand, Region, RegionKind,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What to read of a dialect.
pub struct Wanted {
    pub dialect: &'static str,
    pub ops: Ops,
    /// The `EnumAttr`s to read besides those that the operations have.
    pub enums: &'static [&'static str],
}

/// Which operations of a dialect to read.
pub enum Ops {
    All,
    /// Those of these names, which are in alphabetical order.
    Named(&'static [&'static str]),
}

/// The wanted operations among those that `definitions` and what they include define, by name, and the enums of their
/// attributes, each with the dialect whose namespace it is in.
///
/// An operation with something that the bindings have no form for is an error, rather than a binding that lacks it; so
/// is a name that no operation has.
pub fn read(definitions: &[&str], wanted: &[Wanted], includes: &[&Path]) -> Result<Vec<Dialect>> {
    let text: String = definitions.iter().map(|file| format!("include \"{file}\"\n")).collect();
    let mut parser = TableGenParser::new().add_source(&text)?;
    for include in includes {
        let include = include
            .to_str()
            .ok_or_else(|| format!("{}: the path is not UTF-8", include.display()))?;
        parser = parser.add_include_directory(include);
    }
    let records = parser
        .parse()
        .map_err(|error| format!("{}: {error}; TableGen's own message is above", definitions.join(", ")))?;
    let mut enums = BTreeMap::new();
    let mut read = Vec::new();
    for wanted in wanted {
        let dialect = wanted.dialect;
        let ops = ops(&records, wanted, &mut enums).map_err(|error| format!("dialect '{dialect}': {error}"))?;
        read.push(Dialect {
            name: dialect.to_owned(),
            ops,
            enums: Vec::new(),
        });
    }
    for ((namespace, name), found) in enums {
        let home = read.iter_mut().find(|dialect| dialect.name == namespace);
        let home = home.ok_or_else(|| format!("enum '{name}' is of dialect '{namespace}', which has no bindings"))?;
        home.enums.push(found);
    }
    Ok(read)
}

/// Enums by the dialect that their C++ namespace is named after, and their own name.
type Enums = BTreeMap<(String, String), Enum>;

fn ops(records: &RecordKeeper<'_>, wanted: &Wanted, enums: &mut Enums) -> Result<Vec<Op>> {
    let dialect = wanted.dialect;
    for name in wanted.enums {
        kind(records.def(name)?, enums).map_err(|error| format!("'{name}': {error}"))?;
    }
    let mut found = BTreeMap::new();
    for record in records.all_derived_definitions("Op") {
        if record.def_value("opDialect")?.str_value("name")? == dialect {
            found.insert(record.str_value("opName")?, record);
        }
    }
    let names: Vec<&str> = match wanted.ops {
        Ops::All => found.keys().copied().collect(),
        Ops::Named(names) => names.to_vec(),
    };
    if !names.is_sorted() {
        return Err("the names are not in alphabetical order; see crates/tile/build/dialects.rs".into());
    }
    let mut ops = Vec::new();
    for name in names {
        let read = match found.get(name) {
            Some(&record) => op(record, dialect, enums),
            None => Err("ODS defines no such operation".into()),
        };
        ops.push(read.map_err(|error| format!("'{name}': {error}"))?);
    }
    Ok(ops)
}

fn op(record: Record<'_>, dialect: &str, enums: &mut Enums) -> Result<Op> {
    let definition = record.name()?;
    let class = definition
        .split_once('_')
        .map_or(definition, |(_, class)| class)
        .to_owned();
    let traits = record.list_of_defs_value("traits")?;
    let has_trait = |name: &str| traits.iter().any(|t| t.name() == Ok(name));
    let mut regions = Vec::new();
    for (name, constraint) in arguments(record.dag_value("regions")?)? {
        let kind = region(constraint).map_err(|error| format!("region '{name}': {error}"))?;
        regions.push(Region { name, kind });
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
            attributes.push(attribute(name, summary, constraint, enums)?);
        } else if constraint.subclass_of("Property") {
            // MLIR turns a property into an attribute and back where it is asked for by name.
            attributes.push(Attribute {
                name,
                summary,
                kind: AttributeKind::Any,
                optional: true,
            });
        } else {
            return Err(format!("argument '{name}' is neither an operand, an attribute nor a property").into());
        }
    }
    let segmented = has_trait("AttrSizedOperandSegments");
    if !segmented && operands.iter().filter(|o| o.arity != Arity::One).count() > 1 {
        return Err("several operands of variable number need the trait AttrSizedOperandSegments".into());
    }
    let results = results(record)?;
    if !has_trait("SameVariadicResultSize") && results.iter().filter(|r| r.arity != Arity::One).count() > 1 {
        return Err("several results of variable number need the trait SameVariadicResultSize".into());
    }
    Ok(Op {
        name: format!("{dialect}.{}", record.str_value("opName")?),
        class,
        summary: record.str_value("summary")?.to_owned(),
        operands,
        attributes,
        segmented,
        results,
        same_type: has_trait("SameOperandsAndResultType"),
        regions,
        branches: record.dag_value("successors")?.num_args() > 0,
    })
}

fn results(record: Record<'_>) -> Result<Vec<OpResult>> {
    let mut results = Vec::new();
    let dag = record.dag_value("results")?;
    // What is the only one has many names in ODS, or none.
    let only = (dag.num_args() == 1).then_some("result");
    for (name, constraint) in named(dag, only)? {
        let name = match (only, arity(constraint)) {
            (None, _) => name,
            (Some(_), Arity::Variadic) => "results".to_owned(),
            (Some(only), Arity::One | Arity::Optional) => only.to_owned(),
        };
        let ty = match constraint.name() {
            Ok("I1") => Some("IntegerType::new(self.context, 1).into()"),
            Ok("I32") => Some("IntegerType::new(self.context, 32).into()"),
            Ok("I64") => Some("IntegerType::new(self.context, 64).into()"),
            Ok("Index") => Some("Type::index(self.context)"),
            _ => None,
        };
        results.push(OpResult {
            name,
            summary: summary(constraint)?,
            arity: arity(constraint),
            ty,
        });
    }
    Ok(results)
}

fn region(constraint: Record<'_>) -> Result<RegionKind> {
    let variadic = constraint.subclass_of("VariadicRegion");
    match (constraint.str_value("summary")?, variadic) {
        ("region with 1 blocks", true) => Ok(RegionKind::Blocks),
        ("region with 1 blocks", false) => Ok(RegionKind::Block),
        ("region with at most 1 blocks", false) => Ok(RegionKind::OptionalBlock),
        ("any region", false) => Ok(RegionKind::Any),
        (other, _) => Err(format!("'{other}' is not generated yet").into()),
    }
}

/// Names and constraints of `(ins ...)` and `(outs ...)`.
fn arguments(dag: DagInit<'_>) -> Result<Vec<(String, Record<'_>)>> {
    named(dag, None)
}

/// The same, with a name for what has none.
fn named<'a>(dag: DagInit<'a>, default: Option<&str>) -> Result<Vec<(String, Record<'a>)>> {
    let mut arguments = Vec::new();
    for (index, (name, constraint)) in dag.args().enumerate() {
        let name = name
            .filter(|name| !name.is_empty())
            .or(default)
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
    } else if constraint.subclass_of("Variadic") || constraint.subclass_of("VariadicOfVariadic") {
        Arity::Variadic
    } else {
        Arity::One
    }
}

fn attribute(name: String, summary: String, constraint: Record<'_>, enums: &mut Enums) -> Result<Attribute> {
    let mut optional = false;
    let mut base = constraint;
    loop {
        // An attribute with a default may be left out too.
        optional |= base.bit_value("isOptional")? || !base.is_value_unset("defaultValue");
        // OptionalAttr and the like wrap the attribute whose kind it is.
        match base.optional_def_value("baseAttr") {
            Some(inner) => base = inner,
            None => break,
        }
    }
    let kind = kind(base, enums).map_err(|error| format!("attribute '{name}': {error}"))?;
    Ok(Attribute {
        name,
        summary,
        optional,
        kind,
    })
}

fn kind(base: Record<'_>, enums: &mut Enums) -> Result<AttributeKind> {
    if base.subclass_of("EnumAttr") {
        let storage = EnumStorage::Dialect(base.str_value("attrName")?.to_owned());
        return enum_kind(base.def_value("enum")?, storage, enums);
    }
    if base.subclass_of("EnumInfo") {
        return enum_kind(base, EnumStorage::Integer(base.int_value("bitwidth")?), enums);
    }
    if base.subclass_of("TypeAttrBase") {
        return Ok(AttributeKind::Type);
    }
    Ok(match base.name()? {
        "I16Attr" => AttributeKind::I16,
        "I32Attr" => AttributeKind::I32,
        "I64Attr" => AttributeKind::I64,
        "IndexAttr" => AttributeKind::Index,
        "BoolAttr" | "I1Attr" => AttributeKind::Bool,
        "UnitAttr" => AttributeKind::Unit,
        "StrAttr" | "SymbolNameAttr" | "Builtin_StringAttr" => AttributeKind::Str,
        "FlatSymbolRefAttr" => AttributeKind::Symbol,
        "DenseI32ArrayAttr" => AttributeKind::I32s,
        "DenseI64ArrayAttr" => AttributeKind::I64s,
        "I32ArrayAttr" | "I64ArrayAttr" => AttributeKind::Integers,
        _ => AttributeKind::Any,
    })
}

/// The kind of attributes that hold an enum, which is read if it is the first time.
fn enum_kind(info: Record<'_>, storage: EnumStorage, enums: &mut Enums) -> Result<AttributeKind> {
    let name = info.str_value("className")?.to_owned();
    let namespace = info.str_value("cppNamespace")?;
    let dialect = namespace.rsplit("::").next().unwrap_or(namespace).to_ascii_lowercase();
    let (mut cases, mut next) = (Vec::new(), 0);
    for case in info.list_of_defs_value("enumerants")? {
        // mlir-tblgen leaves out a negative number, so that C++ counts on from the case before.
        let number = case
            .int_value("value")
            .map(|number| if number < 0 { next } else { number })?;
        next = number + 1;
        cases.push((case.str_value("symbol")?.to_owned(), number));
    }
    let path = format!("{dialect}::{name}");
    enums.entry((dialect, name.clone())).or_insert(Enum {
        name,
        summary: summary(info)?,
        flags: info.subclass_of("BitEnumBase"),
        storage,
        cases,
    });
    Ok(AttributeKind::Enum(path))
}

fn summary(constraint: Record<'_>) -> Result<String> {
    Ok(constraint.str_value("summary")?.to_owned())
}
