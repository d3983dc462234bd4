//! What the generated code looks like.

use mytriton_codegen_cuda::{CudaError, Options, generate};
use mytriton_ssa::{Builder, Const, Elem, Kernel, Scalar, parse_module};

/// The source of the only kernel of a text, without the typedefs that all have.
fn source(text: &str, file: &str) -> String {
    let module = parse_module(text, file).unwrap();
    let source = generate(&module.kernels[0], &Options::default()).unwrap().source;
    source
        .lines()
        .filter(|line| !line.starts_with("typedef"))
        .flat_map(|line| [line, "\n"])
        .collect()
}

macro_rules! snapshots {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let name = concat!(stringify!($name), ".ssa");
            insta::assert_snapshot!(source(include_str!(concat!("kernels/", stringify!($name), ".ssa")), name));
        })*
    };
}

snapshots! {
    vector_add
    broadcast_add
    row_statistics
    recurrence
    gelu
    grid
    exchange
    argmax
    softmax
    running_sums
    choices
}

#[test]
fn a_tile_in_windows() {
    let text = "kernel @column_sums(%x: ptr<f32>, %y: ptr<f32>) {
        %r = range 0, 256
        %r1 = expand_dims %r, 1 : tile<256xi32> to tile<256x1xi32>
        %r2 = broadcast %r1 : tile<256x1xi32> to tile<256x64xi32>
        %c = range 0, 64
        %c1 = expand_dims %c, 0 : tile<64xi32> to tile<1x64xi32>
        %c2 = broadcast %c1 : tile<1x64xi32> to tile<256x64xi32>
        %width = const 64 : tile<256x64xi32>
        %start = mul %r2, %width : tile<256x64xi32>
        %at = add %start, %c2 : tile<256x64xi32>
        %xs = splat %x : tile<256x64xptr<f32>>
        %px = addptr %xs, %at : tile<256x64xptr<f32>>
        %v = load %px : tile<256x64xptr<f32>>
        %sum = reduce %v axis 0 : tile<256x64xf32> (%a, %b) { %s = add %a, %b : f32 yield %s }
        %ys = splat %y : tile<64xptr<f32>>
        %py = addptr %ys, %c : tile<64xptr<f32>>
        store %py, %sum : tile<64xptr<f32>>
    }";
    let source = source(text, "column_sums.ssa");
    let body = source.split_once("launch_bounds").unwrap().1;
    insta::assert_snapshot!(body);
}

#[test]
fn launch_facts() {
    let module = parse_module(include_str!("kernels/gelu.ssa"), "gelu.ssa").unwrap();
    let options = Options {
        fp_fusion: false,
        places: false,
    };
    let cuda = generate(&module.kernels[0], &options).unwrap();
    assert_eq!(
        (cuda.entry.as_str(), cuda.block_dim, cuda.shared_bytes),
        ("gelu_kernel", 128, 0)
    );
    assert_eq!(cuda.headers, ["cuda_fp16.h"]);
    let elems: Vec<Elem> = cuda.params.iter().map(|param| param.elem).collect();
    let pointer = Elem::Ptr(Scalar::F16);
    assert_eq!(elems, [pointer, pointer, Elem::Scalar(Scalar::I64)]);
    assert!(!cuda.source.contains("gelu.ssa"), "places were not asked for");
    assert!(!cuda.fp_fusion);
}

#[test]
fn places_cannot_break_out_of_comments() {
    let module = parse_module(
        "kernel @k(%x: ptr<i32>, %n: i32) {\nstore %x, %n : ptr<i32>\n}",
        "dir\\a\nb\\",
    )
    .unwrap();
    let source = generate(&module.kernels[0], &Options::default()).unwrap().source;
    assert!(source.contains("// dir/a?b/:2\n"), "{source}");
}

#[test]
fn invalid_kernels_are_refused() {
    let mut kernel = Kernel::new("not a name");
    kernel.add_param("x", Elem::Scalar(Scalar::I32));
    let error = generate(&kernel, &Options::default()).unwrap_err();
    assert!(matches!(error, CudaError::InvalidKernel(_)), "{error}");
    assert!(error.to_string().contains("not a name"), "{error}");
}

#[test]
fn blocks_that_no_thread_can_keep_are_refused() {
    // 2^20 elements on 1024 threads: each carried block takes 8 KiB of a thread.
    let mut b = Builder::new("large");
    let x = b.param("x", Elem::Ptr(Scalar::F64));
    let index = b.range(0, 1 << 20).unwrap();
    let ty = b.ty(x).with_shape(b.ty(index).shape);
    let pointers = b.splat(x, ty).unwrap();
    let pointers = b.addptr(pointers, index).unwrap();
    let values: Vec<_> = (0..70).map(|_| b.load(pointers, None, None).unwrap()).collect();
    let half = b
        .constant_of(Const::from_f64(Scalar::F64, 0.5), b.ty(values[0]))
        .unwrap();
    b.store(pointers, half, None).unwrap();
    for value in values {
        b.store(pointers, value, None).unwrap();
    }
    let error = generate(&b.finish(), &Options::default()).unwrap_err();
    let CudaError::TooLarge { bytes, limit, .. } = error else {
        panic!("{error}")
    };
    assert!(bytes > limit, "{error}");
}
