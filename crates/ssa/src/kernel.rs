//! A kernel's body: values, operations and regions in arenas, named by ids.

use smallvec::SmallVec;

use crate::loc::Loc;
use crate::op::OpKind;
use crate::types::{Elem, Type};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(u32);

        impl $name {
            /// The index into the arena.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// Names a value of one kernel.
    ValueId
}
id! {
    /// Names an operation of one kernel.
    OpId
}
id! {
    /// Names a region of one kernel.
    RegionId
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// A parameter of the kernel, by number.
    Param(usize),
    /// A result of an operation.
    Result {
        /// The operation.
        op: OpId,
        /// Which of its results.
        index: usize,
    },
    /// An argument of a region (a loop's index or a carried value).
    Arg {
        /// The region.
        region: RegionId,
        /// Which of its arguments.
        index: usize,
    },
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct ValueData {
    /// The value's type.
    pub ty: Type,
    /// Where it comes from.
    pub def: ValueDef,
    /// The name in the user's source, if it had one: for printing alone, not unique.
    pub name: Option<String>,
}

/// One operation.
#[derive(Clone, Debug)]
pub struct OpData {
    /// What it does.
    pub kind: OpKind,
    /// What it takes, in the order that the [`OpKind`] variant says.
    pub operands: SmallVec<[ValueId; 3]>,
    /// What it gives.
    pub results: SmallVec<[ValueId; 1]>,
    /// The regions that it holds.
    pub regions: SmallVec<[RegionId; 2]>,
    /// Where in the user's source it stands.
    pub loc: Loc,
}

/// A sequence of operations with arguments; the last one of every region but a kernel's body is a terminator.
#[derive(Clone, Debug, Default)]
pub struct RegionData {
    /// The values that the holder of the region passes in.
    pub args: Vec<ValueId>,
    /// The operations, in order.
    pub ops: Vec<OpId>,
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its value in the body; a scalar: a number or a pointer.
    pub value: ValueId,
    /// A fact that compilation may rely on: an integer is a multiple of this, a pointer's address is, in bytes.
    /// A power of two; 1 says nothing.
    pub divisibility: u32,
}

/// One kernel: its parameters and body. Operations that a transformation has taken out of their region stay in the
/// arena and mean nothing; what counts is what can be reached from the body.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The kernel's name: a letter or underscore, then letters, digits and underscores.
    pub name: String,
    /// The source files that places name.
    pub files: Vec<String>,
    /// Where the kernel stands.
    pub loc: Loc,
    params: Vec<Param>,
    values: Vec<ValueData>,
    ops: Vec<OpData>,
    regions: Vec<RegionData>,
    body: RegionId,
}

impl Kernel {
    /// A kernel without parameters or operations.
    pub fn new(name: impl Into<String>) -> Kernel {
        Kernel {
            name: name.into(),
            files: Vec::new(),
            loc: Loc::UNKNOWN,
            params: Vec::new(),
            values: Vec::new(),
            ops: Vec::new(),
            regions: vec![RegionData::default()],
            body: RegionId(0),
        }
    }

    /// Adds a parameter and gives its value.
    pub fn add_param(&mut self, name: impl Into<String>, elem: Elem) -> ValueId {
        let name = name.into();
        let ty = Type {
            elem,
            shape: crate::types::Shape::SCALAR,
        };
        let value = self.new_value(ty, ValueDef::Param(self.params.len()), Some(name.clone()));
        self.params.push(Param {
            name,
            value,
            divisibility: 1,
        });
        value
    }

    /// The parameters.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The parameters, to set facts or names.
    pub fn params_mut(&mut self) -> &mut [Param] {
        &mut self.params
    }

    /// The region of the whole body. It has no arguments (parameters stand beside it) and no terminator.
    pub fn body(&self) -> RegionId {
        self.body
    }

    /// What is known of a value.
    pub fn value(&self, id: ValueId) -> &ValueData {
        &self.values[id.index()]
    }

    /// The type of a value.
    pub fn ty(&self, id: ValueId) -> Type {
        self.values[id.index()].ty
    }

    /// An operation.
    pub fn op(&self, id: OpId) -> &OpData {
        &self.ops[id.index()]
    }

    /// An operation, to change.
    pub fn op_mut(&mut self, id: OpId) -> &mut OpData {
        &mut self.ops[id.index()]
    }

    /// A region.
    pub fn region(&self, id: RegionId) -> &RegionData {
        &self.regions[id.index()]
    }

    /// A region, to change.
    pub fn region_mut(&mut self, id: RegionId) -> &mut RegionData {
        &mut self.regions[id.index()]
    }

    /// The size of the value arena: every value's index is below it.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// The size of the operation arena: every operation's index is below it.
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// The size of the region arena: every region's index is below it.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// The operation that gives a value, unless it is a parameter or region argument.
    pub fn defining_op(&self, id: ValueId) -> Option<&OpData> {
        match self.value(id).def {
            ValueDef::Result { op, .. } => Some(self.op(op)),
            _ => None,
        }
    }

    /// The constant that a value is (of a tile: in every element), if its operation is a constant.
    pub fn as_const(&self, id: ValueId) -> Option<crate::constant::Const> {
        match self.defining_op(id)?.kind {
            OpKind::Const(c) => Some(c),
            _ => None,
        }
    }

    /// Sets the name that printing tries to use for a value.
    pub fn set_name(&mut self, id: ValueId, name: impl Into<String>) {
        self.values[id.index()].name = Some(name.into());
    }

    /// The index of a file for [`Loc`], adding it if it is new.
    pub fn file_index(&mut self, file: &str) -> u32 {
        let index = self.files.iter().position(|f| f == file).unwrap_or_else(|| {
            self.files.push(file.to_owned());
            self.files.len() - 1
        });
        index as u32
    }

    /// A place as `file:line:column`, or none when it is unknown.
    pub fn describe_loc(&self, loc: Loc) -> Option<String> {
        let file = self.files.get(loc.file as usize)?;
        match (loc.is_known(), loc.col) {
            (false, _) => None,
            (true, 0) => Some(format!("{file}:{}", loc.line)),
            (true, col) => Some(format!("{file}:{}:{col}", loc.line)),
        }
    }

    fn new_value(&mut self, ty: Type, def: ValueDef, name: Option<String>) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        self.values.push(ValueData { ty, def, name });
        id
    }

    /// A new region that no operation holds yet, with arguments of the given types.
    pub fn new_region(&mut self, args: impl IntoIterator<Item = Type>) -> RegionId {
        let region = RegionId(self.regions.len() as u32);
        self.regions.push(RegionData::default());
        for (index, ty) in args.into_iter().enumerate() {
            let value = self.new_value(ty, ValueDef::Arg { region, index }, None);
            self.regions[region.index()].args.push(value);
        }
        region
    }

    /// Adds one more argument to a region and gives its value.
    pub fn add_region_arg(&mut self, region: RegionId, ty: Type) -> ValueId {
        let index = self.regions[region.index()].args.len();
        let value = self.new_value(ty, ValueDef::Arg { region, index }, None);
        self.regions[region.index()].args.push(value);
        value
    }

    /// A new operation with results of the given types, not yet part of any region. Nothing is checked here: the
    /// [`Builder`](crate::Builder) checks as it goes, the verifier afterwards.
    pub fn new_op(
        &mut self,
        kind: OpKind,
        operands: impl IntoIterator<Item = ValueId>,
        result_types: impl IntoIterator<Item = Type>,
        regions: impl IntoIterator<Item = RegionId>,
        loc: Loc,
    ) -> OpId {
        let op = OpId(self.ops.len() as u32);
        let results = result_types
            .into_iter()
            .enumerate()
            .map(|(index, ty)| self.new_value(ty, ValueDef::Result { op, index }, None))
            .collect();
        let (operands, regions) = (operands.into_iter().collect(), regions.into_iter().collect());
        self.ops.push(OpData {
            kind,
            operands,
            results,
            regions,
            loc,
        });
        op
    }

    /// Every operation that can be reached from the body, in program order, the holder of a region before its content.
    pub fn ops_in_order(&self) -> Vec<OpId> {
        fn walk(kernel: &Kernel, region: RegionId, out: &mut Vec<OpId>) {
            for &op in &kernel.region(region).ops {
                out.push(op);
                for &inner in &kernel.op(op).regions {
                    walk(kernel, inner, out);
                }
            }
        }
        let mut out = Vec::new();
        walk(self, self.body, &mut out);
        out
    }
}

/// Several kernels of one text file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The kernels, with distinct names.
    pub kernels: Vec<Kernel>,
}
