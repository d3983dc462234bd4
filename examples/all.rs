//! Every example as a module, for programs that run them all: the tests, on the CPU and on GPUs.

// Programs that run them need neither their `main` nor one module of what they share.
#![allow(dead_code, clippy::duplicate_mod)]

use mytriton::Device;

/// An example that is run by a function of a device, a size and a seed.
pub struct Example {
    /// Its name.
    pub name: &'static str,
    /// Computes and compares with the host; gives a line that says what came out.
    pub run: fn(&Device, usize, u64) -> anyhow::Result<String>,
    /// Sizes that take a moment on any device, the smallest one too.
    pub sizes: &'static [usize],
}

#[path = "activations.rs"]
pub mod activations;
#[path = "cross_entropy.rs"]
pub mod cross_entropy;
#[path = "gamma/main.rs"]
pub mod gamma;
#[path = "grid_3d.rs"]
pub mod grid_3d;
#[path = "histogram.rs"]
pub mod histogram;
#[path = "layer_norm.rs"]
pub mod layer_norm;
#[path = "loop_carried.rs"]
pub mod loop_carried;
#[path = "masked_copy.rs"]
pub mod masked_copy;
#[path = "matrix_add.rs"]
pub mod matrix_add;
#[path = "nested_loops.rs"]
pub mod nested_loops;
/// Its `main` is the example, on the default device.
#[path = "quickstart.rs"]
pub mod quickstart;
#[path = "reductions.rs"]
pub mod reductions;
#[path = "saxpy.rs"]
pub mod saxpy;
#[path = "softmax.rs"]
pub mod softmax;
#[path = "top_k.rs"]
pub mod top_k;
#[path = "transpose.rs"]
pub mod transpose;
#[path = "vector_add.rs"]
pub mod vector_add;

macro_rules! examples {
    ($($name:ident: $sizes:expr;)*) => {
        /// The examples, but for `quickstart`.
        pub const ALL: &[Example] = &[$(Example { name: stringify!($name), run: $name::run, sizes: &$sizes }),*];
    };
}

examples! {
    activations: [1, 1_003];
    gamma: [1, 37];
    grid_3d: [1, 9];
    loop_carried: [1, 1_003];
    masked_copy: [1, 1_003];
    matrix_add: [1, 19, 48];
    nested_loops: [1, 29];
    saxpy: [1, 1_003];
    softmax: [1, 127, 1_003];
    layer_norm: [1, 127, 1_003];
    cross_entropy: [1, 2_003];
    transpose: [1, 67];
    reductions: [1, 1_003];
    histogram: [1, 5_003];
    top_k: [1, 37];
    vector_add: [1, 100_003];
}
