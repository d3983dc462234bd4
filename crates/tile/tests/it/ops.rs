//! The generated bindings of the dialect's operations: what the builders make verifies, and the accessors read it back.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Location, Module, Region, Type, Value, ValueLike};
use mytriton_tile::emit::{Emitter, argument_of};
use mytriton_tile::ops::{self, AddPtrOp, AnyOp, Axis, LoadOp, StoreOp, TileOp, arith, gpu};

use super::context;

/// Runs `test` in a function of pointers, a mask and values, and gives the text of the module, which must verify.
fn in_function(test: impl for<'c, 'a> Fn(Emitter<'c, 'a>, [Value<'c, 'a>; 3])) -> String {
    let (text, verifies) = function(test);
    assert!(verifies, "{text}");
    text
}

fn function(test: impl for<'c, 'a> Fn(Emitter<'c, 'a>, [Value<'c, 'a>; 3])) -> (String, bool) {
    let context = context();
    let location = Location::unknown(&context);
    let module = Module::new(location);
    let top = Emitter::new(&context, module.body(), location);
    let types = ["tensor<64x!tile.ptr<f32>>", "tensor<64xi1>", "tensor<64xf32>"].map(|ty| parse(&context, ty));
    let (region, block) = top.region(&types);
    let emitter = top.inside(block);
    test(emitter, [0, 1, 2].map(|index| argument_of(block, index)));
    emitter.op("func.return", &[], &[], &[]);
    let ty = top.type_attribute(FunctionType::new(&context, &types, &[]).into());
    let attributes = [("sym_name", top.string_attribute("f")), ("function_type", ty)];
    top.op_with_regions("func.func", &[], &[], &attributes, vec![region]);
    (module.as_operation().to_string(), module.as_operation().verify())
}

fn parse<'c>(context: &'c Context, text: &str) -> Type<'c> {
    Type::parse(context, text).unwrap_or_else(|| panic!("type {text}"))
}

#[test]
fn optional_operands_of_a_segmented_operation() {
    let text = in_function(|emitter, [pointers, mask, values]| {
        let ty = values.r#type();
        for (given_mask, given_other) in [(None, None), (Some(mask), None), (Some(mask), Some(values))] {
            let load = emitter.tile_load(pointers, given_mask, given_other, ty);
            assert_eq!(load.pointer(), pointers);
            assert_eq!(load.mask(), given_mask);
            assert_eq!(load.other(), given_other);
            assert_eq!(load.result().r#type(), ty);
        }
    });
    let lines: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.contains(ops::LOAD))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    %0 = tile.load %arg0 : tensor<64x!tile.ptr<f32>>
    %1 = tile.load %arg0, %arg1 : tensor<64x!tile.ptr<f32>>
    %2 = tile.load %arg0, %arg1, %arg2 : tensor<64x!tile.ptr<f32>>
    ");
}

#[test]
fn an_operand_behind_an_absent_one() {
    let (text, verifies) = function(|emitter, [pointers, _, values]| {
        let load = emitter.tile_load(pointers, None, Some(values), values.r#type());
        assert_eq!((load.mask(), load.other()), (None, Some(values)));
    });
    // The bindings can say it, the dialect's verifier does not let it pass.
    assert!(!verifies, "{text}");
}

#[test]
fn an_optional_last_operand_without_segments() {
    in_function(|emitter, [pointers, mask, values]| {
        for given in [None, Some(mask)] {
            let store = emitter.tile_store(pointers, values, given);
            assert_eq!(
                (store.pointer(), store.value(), store.mask()),
                (pointers, values, given)
            );
        }
    });
}

#[test]
fn integer_and_enum_attributes() {
    let text = in_function(|emitter, _| {
        let parse = |text| parse(emitter.context, text);
        let range = emitter.tile_range(-3, 61, parse("tensor<64xi32>"));
        assert_eq!((range.start(), range.end()), (-3, 61));
        let column = emitter.tile_expand_dims(range.result(), 1, parse("tensor<64x1xi32>"));
        assert_eq!((column.source(), column.axis()), (range.result(), 1));
        for (axis, printed) in [(Axis::X, "x"), (Axis::Y, "y"), (Axis::Z, "z")] {
            let id = emitter.tile_program_id(axis);
            assert_eq!(id.axis(), axis);
            let attribute = axis.attribute(emitter.context);
            assert_eq!(attribute.to_string(), format!("#tile<axis {printed}>"));
            assert_eq!(Axis::of(attribute), Some(axis));
        }
        assert_eq!(Axis::of(emitter.unit()), None);
    });
    assert!(text.contains("tile.range -3, 61 : tensor<64xi32>"), "{text}");
}

#[test]
fn cast_is_by_name() {
    in_function(|emitter, [pointers, _, values]| {
        let load = emitter.tile_load(pointers, None, None, values.r#type());
        assert_eq!(LoadOp::cast(load.operation()), Some(load));
        assert_eq!(StoreOp::cast(load.operation()), None);
        assert_eq!(AddPtrOp::cast(load.operation()), None);
        assert_eq!(TileOp::cast(load.operation()), Some(TileOp::Load(load)));
        let other = emitter.op("arith.addf", &[values, values], &[values.r#type()], &[]);
        assert_eq!(LoadOp::cast(other), None);
        assert_eq!(TileOp::cast(other), None);
    });
}

#[test]
fn upstream_operations_are_made_and_read() {
    let text = in_function(|emitter, [_, mask, values]| {
        let index = emitter.gpu_thread_id(gpu::Dimension::Y);
        assert_eq!(index.dimension(), gpu::Dimension::Y);
        let number = emitter.arith_index_cast(index.result(), emitter.int(32, 0).r#type());
        let flags = arith::IntegerOverflowFlags::NSW | arith::IntegerOverflowFlags::NUW;
        let sum = emitter.arith_addi(number.result(), number.result());
        assert_eq!(sum.overflow_flags(), Some(arith::IntegerOverflowFlags::NONE));
        let sum = sum.with_overflow_flags(flags);
        assert_eq!(sum.overflow_flags(), Some(flags));
        assert_eq!(
            (sum.lhs(), sum.result().r#type()),
            (number.result(), number.result().r#type())
        );
        let less = emitter.arith_cmpi(
            sum.result(),
            number.result(),
            arith::CmpIPredicate::Ult,
            emitter.int(1, 0).r#type(),
        );
        assert_eq!(less.predicate(), arith::CmpIPredicate::Ult);
        let fast = emitter.math_exp(values).with_fastmath(arith::FastMathFlags::AFN);
        assert!(
            fast.fastmath()
                .is_some_and(|flags| flags.contains(arith::FastMathFlags::AFN))
        );
        let chosen = emitter.arith_select(mask, fast.result(), values, values.r#type());
        assert_eq!(chosen.condition(), mask);
        let AnyOp::Arith(arith::Op::Select(found)) = AnyOp::cast(chosen.operation()).expect("it has a view") else {
            panic!("{:?}", AnyOp::cast(chosen.operation()));
        };
        assert_eq!(found, chosen);
    });
    for line in [
        "gpu.thread_id  y",
        "arith.addi %0, %0 overflow<nsw, nuw> : i32",
        "arith.cmpi ult, ",
        "math.exp %arg2 fastmath<afn> : tensor<64xf32>",
    ] {
        assert!(text.contains(line), "'{line}' in\n{text}");
    }
}

#[test]
fn control_flow_has_blocks_and_carried_values() {
    in_function(|emitter, [_, _, values]| {
        let bound = emitter.int(32, 4);
        let (region, block) = emitter.region(&[bound.r#type(), values.r#type()]);
        let body = emitter.inside(block);
        body.scf_yield(&[argument_of(block, 1)]);
        let made = emitter.scf_for(bound, bound, bound, &[values], &[values.r#type()], region);
        assert_eq!(made.region(), block);
        assert_eq!(made.init_args().collect::<Vec<_>>(), [values]);
        assert_eq!(made.results().count(), 1);
        assert!(!made.unsigned_cmp());
        assert!(made.with_unsigned_cmp(true).unsigned_cmp());
        let (then, inside) = emitter.region(&[]);
        let condition = emitter.int(1, 1);
        emitter.inside(inside).scf_yield(&[]);
        let branch = emitter.scf_if(condition, &[], then, Region::new());
        assert_eq!(branch.else_region(), None);
    });
}
