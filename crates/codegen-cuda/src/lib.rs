//! CUDA C++ from typed SSA.
//!
//! A second way from a kernel to the GPU, for checking the first: it shares no lowering with the MLIR path, and its
//! output is meant to be read. Each operation becomes one line, named and placed as in the user's source; NVRTC or
//! nvcc does the rest.
//!
//! ```
//! use mytriton_codegen_cuda::{Options, generate};
//!
//! let module = mytriton_ssa::parse_module(
//!     "kernel @double(%x: ptr<f32>, %y: ptr<f32>) {
//!        %i = range 0, 128
//!        %xs = splat %x : tile<128xptr<f32>>
//!        %px = addptr %xs, %i : tile<128xptr<f32>>
//!        %v = load %px : tile<128xptr<f32>>
//!        %w = add %v, %v : tile<128xf32>
//!        %ys = splat %y : tile<128xptr<f32>>
//!        %py = addptr %ys, %i : tile<128xptr<f32>>
//!        store %py, %w : tile<128xptr<f32>>
//!     }",
//!     "double.ssa",
//! )?;
//! let cuda = generate(&module.kernels[0], &Options::default())?;
//! assert_eq!((cuda.entry.as_str(), cuda.block_dim), ("double_kernel", 128));
//! assert!(cuda.source.contains("const f32 w = v + v;"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a program becomes threads
//!
//! 1. Its stores determine the *kernel layout*: the tiles that it writes and how many threads there are
//!    (`threads.rs`). If possible each thread holds one element; larger tiles are shared out cooperatively, thread t
//!    taking the elements t, t + T, t + 2T, ...
//! 2. Going backwards from the stores, every value gets the *tile layouts* that its uses ask for (`demand.rs`). Where
//!    elements only get other coordinates a value is computed where it is needed, and nothing goes through shared
//!    memory. What broadcasts is held by every thread that needs it; scalars are held by all.
//! 3. Reductions, scans, reshapes, splits and gathers move elements (`moves.rs`, `staged.rs`): the threads share out their
//!    operands' tile, write it to shared memory, combine it there by a tree along the axis with a barrier after each level,
//!    and read the results in whatever layout is asked for; a histogram counts there (`counts.rs`). Tiles take turns in that memory, and lines of a tile where
//!    it is larger; those of one line have to fit 48 KiB.
//! 4. Barriers keep the memory accesses of a program in order across its threads (`barriers.rs`).
//! 5. Operations on tiles of several rounds are gathered in loops over the rounds (`segments.rs`, `writer.rs`).
//!
//! Memory that other programs write at the same time may read differently in different threads of a program.
//!
//! # Numbers
//!
//! Results are those that the language defines, on every target: total shifts and division, saturating conversions
//! that round once, `min` and `max` that order zeros. `f16` and `bf16` sums and products are single operations that
//! compilers do not contract; division and functions of them go through `f32`. Whether `x * y + z` of `f32` and `f64`
//! may become one fused operation is the compiler's flag `--fmad` ([`CudaSource::fp_fusion`]); no other flag may change what
//! a kernel means.

mod barriers;
mod control;
mod counts;
mod ctypes;
mod demand;
mod emit;
mod error;
mod expr;
mod helpers;
mod moves;
mod names;
mod segments;
mod staged;
mod threads;
mod windows;
mod writer;

use std::fmt::Write;

use mytriton_ssa::{BinaryOp, Elem, Kernel, OpKind, Scalar, verify};
use rustc_hash::{FxHashMap, FxHashSet};

pub use error::{CudaError, SharedTile};

use crate::emit::{Emitter, Variable, comment_text};
use crate::threads::{Ownership, Threads};

/// Local memory that a thread may have: 512 KiB (CUDA C++ Programming Guide, technical specifications), less some
/// for what the compiler needs.
const MAX_ARRAY_BYTES: u64 = (512 - 16) * 1024;

/// What to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// May the compiler contract `x * y + z` to a fused operation? Default: yes.
    pub fp_fusion: bool,
    /// Name the places of the user's source in comments? Default: yes.
    pub places: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fp_fusion: true,
            places: true,
        }
    }
}

/// A parameter of the generated function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CudaParam {
    /// The kernel's name for it.
    pub name: String,
    /// A number of this type, passed by value (`i1` as one byte, 0 or 1), or a pointer.
    pub elem: Elem,
}

/// A kernel as CUDA C++, and what has to be known to compile and launch it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CudaSource {
    /// The whole source, without dependencies beyond [`headers`](Self::headers).
    pub source: String,
    /// The name of the `extern "C" __global__` function.
    pub entry: String,
    /// Threads of a block along x, from 1 to 1024; y and z have 1. The grid is that of the programs.
    pub block_dim: u32,
    /// Dynamic shared memory to ask for in the launch, in bytes.
    pub shared_bytes: u32,
    /// The parameters, in order.
    pub params: Vec<CudaParam>,
    /// Headers of the CUDA toolkit that it includes; when there are any NVRTC needs their directory.
    pub headers: Vec<&'static str>,
    /// May the compiler contract `x * y + z`?
    pub fp_fusion: bool,
}

/// Writes a kernel as CUDA C++.
///
/// # Errors
/// [`CudaError::InvalidKernel`] when the kernel breaks a rule of the verifier, [`CudaError::TooLarge`] when its tiles
/// do not fit the memory of the threads, [`CudaError::SharedMemory`] when the elements that a reduction
/// or scan combines do not fit the shared memory of a block.
pub fn generate(kernel: &Kernel, options: &Options) -> Result<CudaSource, CudaError> {
    verify(kernel)?;
    let threads = Threads::of(kernel);
    let demands = demand::Demands::of(kernel, &threads);
    let shared_bytes = moves::shared_bytes(kernel, &demands)?;
    let barriers = barriers::barriers(kernel, &demands);
    let segments = segments::Segments::of(kernel, &barriers, &demands);

    let mut namer = names::Namer::default();
    let entry = names::entry(&kernel.name);
    namer.reserve(&entry);
    for name in writer::Writer::own_names(&threads.roots) {
        namer.reserve(&name);
    }
    let mut variables = FxHashMap::default();
    let mut params = Vec::new();
    let mut signature = Vec::new();
    for param in kernel.params() {
        let (name, elem) = (namer.unique(&param.name), kernel.ty(param.value).elem);
        signature.push(format!("{} {name}", ctypes::element_type(elem)));
        variables.insert((param.value, Ownership::Uniform), Variable { name, array: false });
        params.push(CudaParam {
            name: param.name.clone(),
            elem,
        });
    }
    let body = Emitter {
        kernel,
        threads: &threads,
        demands: &demands,
        segments: &segments,
        barriers: &barriers,
        places: options.places,
        namer: &mut namer,
        variables,
        writer: writer::Writer::new(&threads.roots, threads.count),
        helpers: FxHashSet::default(),
        array_bytes: 0,
        combiners: Vec::new(),
        locals: FxHashMap::default(),
    }
    .run();
    if body.array_bytes > MAX_ARRAY_BYTES {
        return Err(CudaError::TooLarge {
            kernel: kernel.name.clone(),
            bytes: body.array_bytes,
            limit: MAX_ARRAY_BYTES,
        });
    }

    let halves = halves(kernel);
    let headers: Vec<&'static str> = halves.iter().map(|(header, _)| *header).collect();
    let mut source = title(kernel, &threads, options);
    for header in &headers {
        let _ = writeln!(source, "#include <{header}>");
    }
    if compares_unsigned_constants(kernel) {
        source += "#pragma nv_diag_suppress 186  // Comparing an unsigned number with zero is no mistake here.\n";
    }
    source += "\n// Integers are kept unsigned: they wrap. Operations on signed numbers cast.\n";
    source += ctypes::TYPEDEFS;
    source.extend(halves.iter().map(|(_, typedef)| *typedef));
    source.push('\n');
    for helper in helper_texts(&body.helpers) {
        source.push_str(helper);
    }
    source += &staged::combiner_texts(&body.combiners);
    if !body.helpers.is_empty() || !body.combiners.is_empty() {
        source.push('\n');
    }
    let (count, signature) = (threads.count, signature.join(", "));
    let _ = writeln!(
        source,
        "extern \"C\" __global__ void __launch_bounds__({count}) {entry}({signature}) {{"
    );
    if shared_bytes > 0 {
        let _ = writeln!(
            source,
            "  __shared__ __align__(16) u8 {}[{shared_bytes}];",
            staged::SHARED
        );
    }
    source += &body.text;
    source += "}\n";
    Ok(CudaSource {
        source,
        entry,
        block_dim: threads.count,
        shared_bytes: 0,
        params,
        headers,
        fp_fusion: options.fp_fusion,
    })
}

/// The comment at the top: what the source is, and who owns what.
fn title(kernel: &Kernel, threads: &Threads, options: &Options) -> String {
    let place = kernel.describe_loc(kernel.loc).filter(|_| options.places);
    let place = place.map_or(String::new(), |place| format!(" at {}", comment_text(&place)));
    let mut text = format!(
        "// Kernel '{}'{place}: {} thread(s) for each program.\n",
        kernel.name, threads.count
    );
    for root in &threads.roots {
        let shape = root.shape.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        let _ = match root.slots {
            1 => writeln!(text, "// Tile {shape}: one element for each thread."),
            n => writeln!(
                text,
                "// Tile {shape}: thread t owns elements t + {} s, in {n} rounds s.",
                threads.count
            ),
        };
    }
    text
}

/// Is there a comparison that NVRTC may find pointless?
fn compares_unsigned_constants(kernel: &Kernel) -> bool {
    kernel.ops_in_order().into_iter().any(|id| {
        let op = kernel.op(id);
        let compares = match op.kind {
            OpKind::Cmp(pred) => pred.is_unsigned(),
            // They are written as comparisons.
            OpKind::Binary(binary) => binary == BinaryOp::MinU || binary == BinaryOp::MaxU,
            OpKind::Const(_) | OpKind::ProgramId(_) | OpKind::NumPrograms(_) | OpKind::Range { .. } => false,
            OpKind::Splat | OpKind::ExpandDims { .. } | OpKind::Broadcast | OpKind::Reshape => false,
            OpKind::Transpose { .. } | OpKind::Join | OpKind::Split => false,
            // Their indices are compared with extents that are no operands.
            OpKind::Gather { .. } | OpKind::Histogram => false,
            OpKind::Reduce { .. } | OpKind::Scan { .. } => false,
            OpKind::Unary(_) | OpKind::Fma | OpKind::Select | OpKind::Cast(_) => false,
            OpKind::AddPtr | OpKind::Load | OpKind::Store => false,
            OpKind::For | OpKind::If | OpKind::While | OpKind::Yield | OpKind::Condition => false,
        };
        compares && op.operands.iter().any(|&operand| kernel.as_const(operand).is_some())
    })
}

/// Headers and typedefs of the 16-bit floats that a kernel uses.
fn halves(kernel: &Kernel) -> Vec<(&'static str, &'static str)> {
    let mut found = FxHashSet::default();
    let mut note = |value| {
        let (Elem::Scalar(scalar) | Elem::Ptr(scalar)) = kernel.ty(value).elem;
        found.insert(scalar);
    };
    kernel.params().iter().for_each(|param| note(param.value));
    for op in kernel.ops_in_order() {
        kernel.op(op).results.iter().for_each(|&value| note(value));
    }
    let used = Scalar::ALL.into_iter().filter(|scalar| found.contains(scalar));
    used.filter_map(ctypes::header).collect()
}

/// The texts of helpers and of those that they call, in an order in which they can stand.
fn helper_texts(used: &FxHashSet<&'static str>) -> Vec<&'static str> {
    let needed = |name: &str| {
        used.contains(name)
            || helpers::HELPERS
                .iter()
                .any(|h| h.needs.contains(&name) && (used.contains(h.name) || h.needs.iter().any(|n| used.contains(n))))
    };
    helpers::HELPERS
        .iter()
        .filter(|h| needed(h.name))
        .map(|h| h.text)
        .collect()
}
