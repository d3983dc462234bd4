//! Making a kernel again with other layouts: what the passes that choose layouts share.
//!
//! A [`Plan`] says for each operation in which layouts it is made, once or more often. [`rebuild`] makes it so in a new
//! body. `tile.convert_layout` of the old body is looked through; where an operand is wanted in a layout in which nothing
//! makes it, it is converted, once, right behind its definition, where every use can reach it. What the plan leaves out is
//! not made, but operations without tiles always are.

use std::cell::RefCell;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockRef, OperationRef, Region, RegionLike, Type, TypeLike, Value, ValueLike};
use mytriton_layout::DistributedLayout;
use mytriton_tile::defining_operation;
use mytriton_tile::emit::{Emitter, argument_of, element_type, result_of, shape_of};
use mytriton_tile::layout::tensor_type;
use mytriton_tile::ops::{ConvertLayoutOp, TileOp, arith};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ir::{
    PassResult, blocks_of, constant_as, copy_of_combiner, error_at, key, layout_at, name_of, op_key, ops_of,
};

/// A layout by its number in [`Layouts`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LayoutId(u32);

/// The layouts that a pass deals with, each once.
#[derive(Default, Debug)]
pub struct Layouts {
    all: Vec<DistributedLayout>,
    ids: FxHashMap<DistributedLayout, LayoutId>,
}

impl Layouts {
    /// The number of a layout.
    pub fn id(&mut self, layout: &DistributedLayout) -> LayoutId {
        if let Some(&id) = self.ids.get(layout) {
            return id;
        }
        let id = LayoutId(self.all.len() as u32);
        self.all.push(layout.clone());
        self.ids.insert(layout.clone(), id);
        id
    }

    /// The layout of a number that [`id`](Self::id) gave.
    pub fn get(&self, id: LayoutId) -> &DistributedLayout {
        &self.all[id.0 as usize]
    }
}

/// One variant of an operation: the layouts of its operands and results; `None` for non-tiles.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Variant {
    /// Of each operand.
    pub operands: SmallVec<[Option<LayoutId>; 3]>,
    /// Of each result.
    pub results: SmallVec<[Option<LayoutId>; 1]>,
}

impl Variant {
    /// The same layout for every tile of an operation.
    pub fn in_one(op: OperationRef<'_, '_>, layout: LayoutId) -> Variant {
        let of = |ty: Type| ty.is_ranked_tensor().then_some(layout);
        Variant {
            operands: op.operands().map(|value| of(value.r#type())).collect(),
            results: op.results().map(|result| of(result.r#type())).collect(),
        }
    }
}

/// The layouts in which a kernel is to be made.
#[derive(Default, Debug)]
pub struct Plan {
    /// The layouts by number.
    pub layouts: Layouts,
    made: FxHashMap<usize, SmallVec<[Variant; 1]>>,
    arguments: FxHashMap<usize, LayoutId>,
    /// The layouts of types seen so far.
    types: FxHashMap<usize, LayoutId>,
}

impl Plan {
    /// A kernel of the `layout` stage as it is.
    ///
    /// # Errors
    /// A tile without a layout.
    pub fn of<'c: 'a, 'a>(kernel: OperationRef<'c, 'a>) -> PassResult<'c, Plan> {
        let mut plan = Plan::default();
        for block in blocks_of(kernel) {
            plan.read(kernel, block)?;
        }
        Ok(plan)
    }

    fn read<'c: 'a, 'a>(&mut self, parent: OperationRef<'c, 'a>, block: BlockRef<'c, 'a>) -> PassResult<'c> {
        for argument in (0..block.argument_count()).map(|index| argument_of(block, index)) {
            if let Some(layout) = self.current(parent, argument.r#type())? {
                self.argument(argument, layout);
            }
        }
        for op in ops_of(block) {
            if !has_tiles(op) && !has_bodies(op) || ConvertLayoutOp::cast(op).is_some() {
                continue;
            }
            let mut made = Variant::default();
            for value in op.operands() {
                made.operands.push(self.current(op, value.r#type())?);
            }
            for result in op.results() {
                made.results.push(self.current(op, result.r#type())?);
            }
            self.add_variant(op, made);
            if has_bodies(op) {
                for inner in blocks_of(op) {
                    self.read(op, inner)?;
                }
            }
        }
        Ok(())
    }

    /// The number of the layout that a type has now.
    ///
    /// # Errors
    /// A tile without a layout.
    pub fn current<'c>(&mut self, op: OperationRef<'c, '_>, ty: Type<'c>) -> PassResult<'c, Option<LayoutId>> {
        if let Some(&known) = self.types.get(&(ty.to_raw().ptr as usize)) {
            return Ok(Some(known));
        }
        let layout = layout_at(op, ty)?.map(|layout| self.layouts.id(&layout));
        if let Some(layout) = layout {
            self.types.insert(ty.to_raw().ptr as usize, layout);
        }
        Ok(layout)
    }

    /// Adds a variant of an operation.
    pub fn add_variant(&mut self, op: OperationRef<'_, '_>, made: Variant) {
        self.made.entry(op_key(op)).or_default().push(made);
    }

    /// Makes an operation in this variant alone.
    pub fn set_variant(&mut self, op: OperationRef<'_, '_>, made: Variant) {
        self.made.insert(op_key(op), SmallVec::from_elem(made, 1));
    }

    /// Sets the layout of a block's argument.
    pub fn argument(&mut self, argument: Value<'_, '_>, layout: LayoutId) {
        self.arguments.insert(key(argument), layout);
    }

    fn variants(&self, op: OperationRef<'_, '_>) -> &[Variant] {
        self.made.get(&op_key(op)).map_or(&[], |made| &made[..])
    }
}

/// The value behind conversions of layouts: values are equal modulo layout.
pub fn origin<'c: 'a, 'a>(mut value: Value<'c, 'a>) -> Value<'c, 'a> {
    while let Some(convert) = defining_operation(value).and_then(ConvertLayoutOp::cast) {
        value = convert.source();
    }
    value
}

/// Does it have blocks that belong to the kernel's control flow? A reduction's do not.
pub fn has_bodies(op: OperationRef<'_, '_>) -> bool {
    TileOp::cast(op).is_none() && op.region_count() > 0
}

fn has_tiles(op: OperationRef<'_, '_>) -> bool {
    op.operands().any(|value| value.r#type().is_ranked_tensor())
        || op.results().any(|result| result.r#type().is_ranked_tensor())
}

/// Puts a body made by the plan in the place of a kernel's.
///
/// # Errors
/// An operand that the plan makes nowhere.
pub fn rebuild<'c: 'a, 'a>(context: &'c Context, kernel: OperationRef<'c, 'a>, plan: &Plan) -> PassResult<'c> {
    let Some(body) = blocks_of(kernel).first().copied() else {
        return Ok(());
    };
    let arguments: Vec<_> = (0..body.argument_count())
        .map(|index| argument_of(body, index))
        .map(|argument| (argument.r#type(), argument.location()))
        .collect();
    let region = Region::new();
    let block = region.append_block(melior::ir::Block::new(&arguments));
    let mut rebuild = Rebuild {
        plan,
        wanted: FxHashMap::default(),
        scalars: FxHashMap::default(),
        tiles: FxHashMap::default(),
        types: RefCell::default(),
    };
    rebuild.collect(body);
    for index in 0..body.argument_count() {
        let new = argument_of(block, index);
        rebuild.scalars.insert(key(argument_of(body, index)), new);
    }
    rebuild.block(Emitter::new(context, block, kernel.location()), body)?;
    crate::ir::replace_op(kernel, region);
    Ok(())
}

/// A value in each layout in which there is one.
type InLayouts<'c, 'a> = SmallVec<[(LayoutId, Value<'c, 'a>); 2]>;

struct Rebuild<'c, 'a, 'p> {
    plan: &'p Plan,
    /// The layouts in which a value is used, in the order of uses.
    wanted: FxHashMap<usize, SmallVec<[LayoutId; 2]>>,
    scalars: FxHashMap<usize, Value<'c, 'a>>,
    tiles: FxHashMap<usize, InLayouts<'c, 'a>>,
    /// The types that old ones have in a layout: attributes are dear to make.
    types: RefCell<FxHashMap<(usize, LayoutId), Type<'c>>>,
}

impl<'c: 'a, 'a> Rebuild<'c, 'a, '_> {
    fn collect(&mut self, block: BlockRef<'c, '_>) {
        for op in ops_of(block) {
            for made in self.plan.variants(op) {
                for (value, layout) in op.operands().zip(&made.operands) {
                    let wanted = self.wanted.entry(key(origin(value))).or_default();
                    if let Some(layout) = layout
                        && !wanted.contains(layout)
                    {
                        wanted.push(*layout);
                    }
                }
            }
            if has_bodies(op) {
                for inner in blocks_of(op) {
                    self.collect(inner);
                }
            }
        }
    }

    fn typed(&self, emitter: Emitter<'c, 'a>, ty: Type<'c>, layout: Option<LayoutId>) -> Type<'c> {
        let (Some(id), Some(shape)) = (layout, shape_of(ty)) else {
            return ty;
        };
        let make = || tensor_type(emitter.location, &shape, element_type(ty), self.plan.layouts.get(id));
        let place = (ty.to_raw().ptr as usize, id);
        *self.types.borrow_mut().entry(place).or_insert_with(make)
    }

    /// The new value for an old one, in the layout if it is a tile.
    fn get(
        &self,
        op: OperationRef<'c, '_>,
        old: Value<'c, '_>,
        layout: Option<LayoutId>,
    ) -> PassResult<'c, Value<'c, 'a>> {
        let found = match layout {
            None => self.scalars.get(&key(old)).copied(),
            Some(layout) => {
                let made = self.tiles.get(&key(origin(old)));
                made.and_then(|made| made.iter().find(|(id, _)| *id == layout).map(|(_, value)| *value))
            }
        };
        found.ok_or_else(|| {
            let name = name_of(op);
            error_at(
                op,
                format!("an operand of '{name}' comes from an operation without layouts"),
            )
        })
    }

    /// Records what a value is made as, and converts it to every other layout in which it is wanted.
    fn define(&mut self, emitter: Emitter<'c, 'a>, old: Value<'c, '_>, mut made: InLayouts<'c, 'a>) {
        let Some(&(_, first)) = made.first() else { return };
        for &layout in self.wanted.get(&key(old)).into_iter().flatten() {
            if made.iter().all(|(id, _)| *id != layout) {
                let ty = self.typed(emitter, old.r#type(), Some(layout));
                made.push((layout, emitter.tile_convert_layout(first, ty).result()));
            }
        }
        self.tiles.insert(key(old), made);
    }

    fn block(&mut self, emitter: Emitter<'c, 'a>, old: BlockRef<'c, '_>) -> PassResult<'c> {
        for op in ops_of(old) {
            self.op(emitter.at(op.location()), op)?;
        }
        Ok(())
    }

    fn op(&mut self, emitter: Emitter<'c, 'a>, op: OperationRef<'c, '_>) -> PassResult<'c> {
        if ConvertLayoutOp::cast(op).is_some() {
            return Ok(());
        }
        let plain = Variant {
            operands: SmallVec::from_elem(None, op.operand_count()),
            results: SmallVec::from_elem(None, op.result_count()),
        };
        let plan = self.plan;
        let variants = match plan.variants(op) {
            [] if has_tiles(op) => return Ok(()),
            [] => std::slice::from_ref(&plain),
            variants => variants,
        };
        let mut results: Vec<InLayouts<'c, 'a>> = vec![SmallVec::new(); op.result_count()];
        for made in variants {
            let new = self.make(emitter, op, made)?;
            for (index, (result, layout)) in op.results().zip(&made.results).enumerate() {
                match layout {
                    Some(layout) => results[index].push((*layout, result_of(new, index))),
                    None => {
                        self.scalars.insert(key(result.into()), result_of(new, index));
                    }
                }
            }
        }
        for (result, made) in op.results().zip(results) {
            self.define(emitter, result.into(), made);
        }
        Ok(())
    }

    fn make(
        &mut self,
        emitter: Emitter<'c, 'a>,
        op: OperationRef<'c, '_>,
        made: &Variant,
    ) -> PassResult<'c, OperationRef<'c, 'a>> {
        let mut operands = Vec::new();
        for (value, layout) in op.operands().zip(&made.operands) {
            operands.push(self.get(op, value, *layout)?);
        }
        let mut types = Vec::new();
        for (result, layout) in op.results().zip(&made.results) {
            types.push(self.typed(emitter, result.r#type(), *layout));
        }
        if arith::ConstantOp::cast(op).is_some()
            && let [ty] = types[..]
        {
            let value = emitter.constant(constant_as(op, ty)?, ty);
            return defining_operation(value).ok_or_else(|| error_at(op, "a constant has its operation"));
        }
        let mut regions = Vec::new();
        if has_bodies(op) {
            for region in op.regions() {
                regions.push(match region.first_block() {
                    Some(block) => self.body(emitter, block)?,
                    None => Region::new(),
                });
            }
        } else {
            regions.extend(blocks_of(op).into_iter().map(|block| copy_of_combiner(emitter, block)));
        }
        Ok(emitter.like(op, &operands, &types, regions))
    }

    fn body(&mut self, emitter: Emitter<'c, 'a>, old: BlockRef<'c, '_>) -> PassResult<'c, Region<'c>> {
        let arguments: Vec<Value> = (0..old.argument_count()).map(|i| argument_of(old, i)).collect();
        let layouts: Vec<Option<LayoutId>> = arguments
            .iter()
            .map(|&argument| self.plan.arguments.get(&key(argument)).copied())
            .collect();
        let types: Vec<Type> = arguments
            .iter()
            .zip(&layouts)
            .map(|(argument, &layout)| self.typed(emitter, argument.r#type(), layout))
            .collect();
        let (region, block) = emitter.region(&types);
        let inside = emitter.inside(block);
        for (index, (argument, layout)) in arguments.into_iter().zip(layouts).enumerate() {
            let new = argument_of(block, index);
            match layout {
                Some(layout) => self.define(inside, argument, SmallVec::from_elem((layout, new), 1)),
                None => {
                    self.scalars.insert(key(argument), new);
                }
            }
        }
        self.block(inside, old)?;
        Ok(region)
    }
}
