//! The dialect seen from Rust: handles, types, attributes, diagnostics and registered passes.

use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{
        Attribute, Location, Module, OperationRef, Type,
        r#type::{RankedTensorType, TypeId},
    },
    pass::{ExternalPass, Pass, PassManager, create_external},
    utility::parse_pass_pipeline,
};
use mytriton_tile_sys as tile;
use mytriton_tile_sys::{LayoutBases, LayoutIndex, LayoutRef, Severity};
use std::sync::atomic::{AtomicUsize, Ordering};

fn context() -> Context {
    let registry = DialectRegistry::new();
    tile::register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

#[test]
fn every_dialect_of_the_stages_is_registered() {
    let context = context();
    for operation in [
        "tile.load",
        "func.func",
        "arith.addf",
        "math.exp",
        "scf.for",
        "cf.br",
        "gpu.func",
        "vector.broadcast",
        "memref.load",
        "index.add",
        "ub.poison",
        "nvvm.barrier0",
        "llvm.func",
    ] {
        assert!(context.is_registered_operation(operation), "{operation}");
    }
}

#[test]
fn the_dialect_loads_alone() {
    let context = Context::new();
    tile::dialect_handle().load_dialect(&context);
    assert!(context.is_registered_operation("tile.range"));
    assert_eq!(tile::dialect_handle().namespace().as_str(), Ok("tile"));
}

#[test]
fn buffer_types_are_made_and_read() {
    let context = context();
    let location = Location::unknown(&context);
    let f16 = Type::float16(&context);
    let bases = [0, 1, 0, 2, 0, 4, 1, 2, 2, 4];
    let buffer = tile::buffer_type(location, &[4, 8], f16, &bases).unwrap();
    let read = tile::BufferRef::new(buffer).unwrap();
    assert_eq!((read.shape(), read.element()), (&[4, 8][..], f16));
    assert!(read.offset_bases().eq(bases.chunks(2)));
    assert_eq!(read.block_bases().len(), 0);
    assert_eq!(Type::parse(&context, &buffer.to_string()), Some(buffer));
    assert!(tile::BufferRef::new(f16).is_none());

    let refused = |shape: &[i64], bases: &[i32]| {
        let (made, reports) = tile::collect_diagnostics(&context, || tile::buffer_type(location, shape, f16, bases));
        assert!(made.is_none());
        reports[0].message.clone()
    };
    assert!(refused(&[4, 8], &[0, 1, 0]).contains("needs 2 coordinates"));
    assert!(refused(&[4], &[1, 4]).contains("basis offset[1] = [4]: coordinate 0 is outside of 0..4"));
    assert!(refused(&[4], &[-1, 2]).contains("basis offset[0] = [-1] has a negative coordinate"));
}

#[test]
fn pointer_types_are_made_and_read() {
    let context = context();
    let location = Location::unknown(&context);
    let f32 = Type::float32(&context);
    let pointer = tile::ptr_type(location, f32).expect("f32 is a pointee");
    assert_eq!(pointer.to_string(), "!tile.ptr<f32>");
    assert_eq!(tile::ptr_pointee(pointer), Some(f32));
    assert_eq!(tile::ptr_pointee(f32), None);

    let tile_of_pointers = RankedTensorType::new(&[4], pointer, None).into();
    assert_eq!(tile::ptr_pointee(tile_of_pointers), None);
}

#[test]
fn a_bad_pointee_is_reported_not_fatal() {
    let context = context();
    let location = Location::new(&context, "kernel.rs", 3, 7);
    let (pointer, reports) = tile::collect_diagnostics(&context, || tile::ptr_type(location, Type::index(&context)));
    assert!(pointer.is_none());
    assert_eq!(reports.len(), 1);
    assert_eq!(
        reports[0].to_string(),
        "kernel.rs:3:7: pointee must be one of i1, i8, i16, i32, i64, f16, bf16, f32, f64, got 'index'"
    );
}

#[test]
fn layouts_are_made_and_read() {
    let context = context();
    let bases = [&[0, 1, 8, 0][..], &[0, 2, 0, 4, 0, 8, 0, 16, 1, 0], &[2, 0, 4, 0], &[]];
    let attribute = tile::layout_attribute(Location::unknown(&context), LayoutBases { rank: 2, bases })
        .expect("the bases make a layout");
    assert_eq!(
        attribute.to_string(),
        "#tile.layout<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], \
         warp = [[2, 0], [4, 0]]}>"
    );

    let layout = LayoutRef::new(attribute).expect("it is a layout");
    assert_eq!(layout.rank(), 2);
    for (index, flat) in LayoutIndex::ALL.into_iter().zip(bases) {
        assert_eq!(layout.flat_bases(index), flat, "{index}");
        assert_eq!(layout.num_bases(index), flat.len() / 2, "{index}");
    }
    assert_eq!(layout.bases(LayoutIndex::Warp).collect::<Vec<_>>(), [[2, 0], [4, 0]]);
    assert!(LayoutRef::new(Attribute::unit(&context)).is_none());
}

#[test]
fn bad_layouts_are_reported_not_fatal() {
    let context = context();
    let location = Location::unknown(&context);
    let lanes = &[1, 2, 4, 8, 16][..];
    let message = |rank, bases| {
        let make = || tile::layout_attribute(location, LayoutBases { rank, bases });
        let (layout, reports) = tile::collect_diagnostics(&context, make);
        assert!(layout.is_none());
        assert_eq!(reports.len(), 1, "{reports:?}");
        reports[0].message.clone()
    };
    assert_eq!(
        message(1, [&[], &lanes[..4], &[], &[]]),
        "'lane' has 4 bases, expected 5: a warp has 32 threads"
    );
    assert_eq!(
        message(1, [&[-1], lanes, &[], &[]]),
        "basis register[0] = [-1] has a negative coordinate"
    );
    assert_eq!(
        message(2, [&[1], lanes, &[], &[]]),
        "each basis of a layout of rank 2 needs 2 coordinates"
    );
    assert_eq!(message(0, [&[], &[], &[], &[]]), "'lane' has 0 bases, expected 5");
}

#[test]
fn an_encoding_that_does_not_fit_is_reported_not_fatal() {
    let context = context();
    let location = Location::unknown(&context);
    let layout = tile::layout_attribute(
        location,
        LayoutBases {
            rank: 1,
            bases: [&[], &[1, 2, 4, 8, 16], &[], &[]],
        },
    )
    .expect("the bases make a layout");
    let checked = |extent| {
        tile::collect_diagnostics(&context, || {
            RankedTensorType::checked(&[extent], Type::float32(&context), layout, location)
        })
    };
    let (fits, reports) = checked(32);
    assert!(fits.is_some() && reports.is_empty());
    let (fits, reports) = checked(64);
    assert!(fits.is_none());
    assert!(
        reports[0].message.contains("nothing maps to (dim0 = 32)"),
        "{reports:?}"
    );
}

#[test]
fn verification_returns_what_is_wrong_and_where() {
    let context = context();
    let good = Module::parse(&context, "func.func @k() attributes {tile.kernel} { return }").expect("it parses");
    assert_eq!(tile::verify(&context, &good.as_operation()), Ok(()));

    let text = "%0 = \"tile.range\"() <{start = 4 : i32, end = 4 : i32}> : () -> tensor<1xi32>";
    let (module, reports) = tile::collect_diagnostics(&context, || Module::parse(&context, text));
    assert!(module.is_none());
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].severity, Severity::Error);
    assert_eq!(reports[0].place.as_deref(), Some("-:1:6"));
    assert_eq!(
        reports[0].message,
        "'tile.range' op start must be less than end, got 4 and 4"
    );
    assert_eq!(reports[0].notes.len(), 1);
    assert_eq!(reports[0].notes[0].severity, Severity::Note);
}

static RUNS: AtomicUsize = AtomicUsize::new(0);

#[repr(align(8))]
struct PassId;

fn counting_pass() -> Pass {
    static ID: PassId = PassId;
    create_external(
        |_: OperationRef, _: ExternalPass| {
            RUNS.fetch_add(1, Ordering::SeqCst);
        },
        TypeId::create(&ID),
        "counting pass",
        "test-count-runs",
        "counts how often it runs",
        "func.func",
        &[],
    )
}

#[test]
fn a_registered_pass_is_known_to_textual_pipelines() {
    tile::register_upstream_passes();
    tile::register_pass(counting_pass);
    let context = context();
    let mut module = Module::parse(&context, "func.func @a() { return } func.func @b() { return }").expect("it parses");
    let manager = PassManager::new(&context);
    parse_pass_pipeline(
        manager.as_operation_pass_manager(),
        "builtin.module(func.func(test-count-runs,canonicalize,test-count-runs))",
    )
    .expect("the pipeline is known");
    manager.run(&mut module).expect("the passes succeed");
    assert_eq!(RUNS.load(Ordering::SeqCst), 4);
}

#[test]
fn memory_effects_are_those_of_ods() {
    use melior::ir::{RegionLike, block::BlockLike, operation::OperationLike};
    use tile::{Effect, EffectKind, Resource};

    let context = context();
    let text = "
#row = #tile.layout<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>
#shared = #tile.shared<{offset = [[1], [2], [4], [8], [16]]}>
func.func @f(%p: !tile.ptr<f32>, %x: tensor<32xf32, #row>) {
  %0 = tile.load %p : !tile.ptr<f32>
  tile.store %p, %0 : !tile.ptr<f32>
  %b = tile.alloc %x : tensor<32xf32, #row> -> !tile.buffer<32xf32, #shared>
  %y = tile.local_load %b : !tile.buffer<32xf32, #shared> -> tensor<32xf32, #row>
  tile.dealloc %b : !tile.buffer<32xf32, #shared>
  %s = tile.reduce %y along 0 : tensor<32xf32, #row> -> f32 {
  ^bb0(%a: f32, %c: f32):
    %d = arith.addf %a, %c : f32
    tile.yield %d : f32
  }
  gpu.barrier
  return
}";
    let module = Module::parse(&context, text).expect("a module");
    let function = module.body().first_operation().expect("a function");
    let block = function.region(0).unwrap().first_block().expect("a body");
    let effects = |resource, kinds: &[EffectKind]| -> Option<Vec<Effect>> {
        Some(kinds.iter().map(|&kind| Effect { kind, resource }).collect())
    };
    let expected = [
        ("tile.load", effects(Resource::Global, &[EffectKind::Read])),
        ("tile.store", effects(Resource::Global, &[EffectKind::Write])),
        (
            "tile.alloc",
            effects(Resource::Shared, &[EffectKind::Allocate, EffectKind::Write]),
        ),
        ("tile.local_load", effects(Resource::Shared, &[EffectKind::Read])),
        ("tile.dealloc", effects(Resource::Shared, &[EffectKind::Free])),
        ("tile.reduce", Some(Vec::new())),
        ("gpu.barrier", None),
        ("func.return", Some(Vec::new())),
    ];
    let mut next = block.first_operation();
    for (name, effects) in expected {
        let op = next.expect("an operation for each");
        assert_eq!(op.name().as_string_ref().as_str(), Ok(name));
        assert_eq!(tile::memory_effects(op), effects, "{name}");
        next = op.next_in_block();
    }
}
