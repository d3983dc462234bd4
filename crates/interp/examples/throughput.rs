//! Prints how fast the interpreter is: elements per second of a vector add of 2^22 elements, and element operations
//! per second of a kernel with a loop of 100 trips. Run it with `--release`.

use std::time::{Duration, Instant};

use mytriton_interp::{Argument, Memory, Options, Prepared};
use mytriton_ssa::{Const, Scalar, parse_module};

const KERNELS: &str = "
kernel @add(%x: ptr<f32>, %y: ptr<f32>, %out: ptr<f32>, %n: i32) {
  %pid = program_id x
  %size = const 1024 : i32
  %start = mul %pid, %size : i32
  %starts = splat %start : tile<1024xi32>
  %range = range 0, 1024
  %at = add %starts, %range : tile<1024xi32>
  %ns = splat %n : tile<1024xi32>
  %mask = cmp lt %at, %ns : tile<1024xi32>
  %xs = splat %x : tile<1024xptr<f32>>
  %xp = addptr %xs, %at : tile<1024xptr<f32>>
  %a = load %xp, %mask : tile<1024xptr<f32>>
  %ys = splat %y : tile<1024xptr<f32>>
  %yp = addptr %ys, %at : tile<1024xptr<f32>>
  %b = load %yp, %mask : tile<1024xptr<f32>>
  %sum = add %a, %b : tile<1024xf32>
  %outs = splat %out : tile<1024xptr<f32>>
  %op = addptr %outs, %at : tile<1024xptr<f32>>
  store %op, %sum, %mask : tile<1024xptr<f32>>
}

kernel @iterate(%x: ptr<f32>, %y: ptr<f32>, %out: ptr<f32>, %n: i32) {
  %pid = program_id x
  %size = const 1024 : i32
  %start = mul %pid, %size : i32
  %starts = splat %start : tile<1024xi32>
  %range = range 0, 1024
  %at = add %starts, %range : tile<1024xi32>
  %xs = splat %x : tile<1024xptr<f32>>
  %xp = addptr %xs, %at : tile<1024xptr<f32>>
  %v = load %xp : tile<1024xptr<f32>>
  %zero = const 0 : i32
  %one = const 1 : i32
  %trips = const 100 : i32
  %half = const 0.5 : tile<1024xf32>
  %end, %count = for %i = %zero to %trips step %one : i32 carry (%u = %v : tile<1024xf32>, %c = %zero : i32) {
    %is = u_to_f %i : i32 to f32
    %added = splat %is : tile<1024xf32>
    %scaled = mul %u, %half : tile<1024xf32>
    %next = add %scaled, %added : tile<1024xf32>
    %d = add %c, %one : i32
    yield %next, %d
  }
  %outs = splat %out : tile<1024xptr<f32>>
  %op = addptr %outs, %at : tile<1024xptr<f32>>
  store %op, %end : tile<1024xptr<f32>>
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: u64 = 1 << 22;
    let mut memory = Memory::new();
    let bytes: Vec<u8> = (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let start = Instant::now();
    let x = memory.add_buffer("x", Scalar::F32, &bytes)?;
    println!("copy in of {n} f32: {:.1?}", start.elapsed());
    let y = memory.add_buffer("y", Scalar::F32, &bytes)?;
    let out = memory.add_zeros("out", Scalar::F32, n)?;
    let mut args: Vec<Argument> = [x, y, out].map(Argument::buffer).into();
    args.push(Argument::Scalar(Const::i32(n as i32)));
    let options = Options::default();
    let programs = (n / 1024) as u32;

    println!("{} threads", rayon::current_num_threads());
    let module = parse_module(KERNELS, "throughput.ssa")?;
    for (kernel, work) in module.kernels.into_iter().zip([n, n * 100 * 3]) {
        let name = kernel.name.clone();
        let kernel = Prepared::new(kernel)?;
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            kernel.run([programs, 1, 1], &args, &memory, &options)?;
            best = best.min(start.elapsed());
        }
        let rate = work as f64 / best.as_secs_f64() / 1e6;
        let unit = if name == "add" {
            "elements"
        } else {
            "element operations"
        };
        println!("{name}: {best:.1?}, {rate:.0} million {unit} per second");
        let start = Instant::now();
        for _ in 0..1000 {
            kernel.run([1, 1, 1], &args, &memory, &options)?;
        }
        println!("{name}: launch of one program {:.1?}", start.elapsed() / 1000);
    }
    Ok(())
}
