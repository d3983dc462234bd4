//! Wrong input on a machine with a GPU: each is an error that says what is wrong, and leaves everything usable.

use mytriton::abi::{Code, CompiledKernel};
use mytriton::{Arg, Buffer, Device, Error, Grid, LaunchOptions, Program, kernel};
use mytriton_runtime::Error as RuntimeError;
use mytriton_ssa::{Kernel, parse_module};

use crate::check::{Check, function, result};

type Tested = Result<(), String>;

#[kernel]
fn double(x: Ptr<f32>, n: i32, #[constexpr] BLOCK: i32) {
    let at = program_id(0) * BLOCK + range(0, BLOCK);
    let mask = at < n;
    let v = load(x + at).mask(mask);
    store(x + at, v + v).mask(mask);
}

/// Stores far away from every buffer.
#[kernel]
fn stray(x: Ptr<f32>, far: i64) {
    store(x + far, 1.0);
}

/// All of them; the last ones leave no usable context behind.
pub fn checks() -> Vec<Check> {
    let check = |name, run: fn() -> Tested| function(name, move || result(run()));
    vec![
        check("out_of_memory", out_of_memory),
        check("buffer_of_the_cpu", buffer_of_the_cpu),
        check("buffer_of_the_gpu", buffer_of_the_gpu),
        check("device_that_is_not_there", device_that_is_not_there),
        check("unknown_target", unknown_target),
        check("refused_ptx", refused_ptx),
        check("ptx_too_new", ptx_too_new),
        check("missing_entry", missing_entry),
        check("grids", grids),
        check("arguments", arguments),
        check("divisibility", divisibility),
        check("stray_store", stray_store),
    ]
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn device() -> Result<Device, String> {
    Device::cuda(0).map_err(text)
}

/// The device still does what it should.
fn works(device: &Device) -> Tested {
    let x = device.upload(&[1.0f32, 2.5, -3.0]).map_err(text)?;
    double::launch(device, 1, &x, 3, 128).map_err(|e| format!("afterwards: {e}"))?;
    let found = x.to_vec().map_err(|e| format!("afterwards: {e}"))?;
    if found == [2.0, 5.0, -6.0] {
        Ok(())
    } else {
        Err(format!("afterwards a launch gives {found:?}"))
    }
}

/// There must be an error, of the right kind, whose text has all the parts.
fn expect<T>(found: Result<T, Error>, kind: impl Fn(&Error) -> bool, parts: &[&str]) -> Tested {
    let Err(error) = found else {
        return Err("it is accepted".to_owned());
    };
    let message = error.to_string();
    if !kind(&error) {
        return Err(format!("an error of another kind: {error:?}"));
    }
    match parts.iter().find(|part| !message.contains(*part)) {
        Some(part) => Err(format!("the message does not say '{part}': {message}")),
        None => Ok(()),
    }
}

fn ssa() -> Result<Kernel, String> {
    let text = "kernel @twice(%x: ptr<i32> {divisibility = 16}, %n: i32) {
        %pid = program_id x
        %p = addptr %x, %pid : ptr<i32>
        %v = load %p : ptr<i32>
        %w = add %v, %n : i32
        store %p, %w : ptr<i32>
    }";
    let module = parse_module(text, "twice.ssa").map_err(|e| e.to_string())?;
    module.kernels.into_iter().next().ok_or_else(|| "no kernel".to_owned())
}

fn loaded(device: &Device) -> Result<(Program, Buffer<i32>), String> {
    let program = device.load(&ssa()?, LaunchOptions::default()).map_err(text)?;
    Ok((program, device.upload(&[7; 64]).map_err(text)?))
}

fn out_of_memory() -> Tested {
    let device = device()?;
    let info = device.memory().map_err(text)?.ok_or("the GPU has no memory")?;
    for bytes in [info.total + (1 << 30), 1 << 50] {
        let found = device.zeros::<i8>(bytes as usize);
        let kind = |e: &Error| matches!(e, Error::Runtime(RuntimeError::OutOfMemory { .. }));
        expect(
            found,
            kind,
            &[&bytes.to_string(), &device.name(), &info.total.to_string()],
        )?;
    }
    works(&device)
}

fn buffer_of_the_cpu() -> Tested {
    let device = device()?;
    let x = Device::cpu().upload(&[1.0f32]).map_err(text)?;
    let found = double::launch(&device, 1, &x, 1, 128);
    expect(
        found,
        |e| matches!(e, Error::Argument { .. }),
        &["`x`", "on the CPU device"],
    )?;
    works(&device)
}

fn buffer_of_the_gpu() -> Tested {
    let device = device()?;
    let x = device.upload(&[1.0f32]).map_err(text)?;
    let found = double::launch(Device::cpu(), 1, &x, 1, 128);
    expect(found, |e| matches!(e, Error::Argument { .. }), &["`x`", "GPU"])?;
    works(&device)
}

fn device_that_is_not_there() -> Tested {
    let found = Device::cuda(4711);
    expect(
        found,
        |e| matches!(e, Error::Runtime(RuntimeError::NoDevice { .. })),
        &["4711"],
    )
}

fn unknown_target() -> Tested {
    let found = mytriton::compile(&ssa()?, "sm_42", LaunchOptions::default());
    expect(found, |e| matches!(e, Error::Target { .. }), &["sm_42", "sm_90a"])
}

/// A kernel compiled for the GPU, with other code.
fn with_code(device: &Device, change: impl Fn(String) -> String) -> Result<CompiledKernel, String> {
    let target = device.as_cuda().ok_or("no GPU")?.target().map_err(text)?;
    let mut compiled = mytriton::compile(&ssa()?, target, LaunchOptions::default()).map_err(text)?;
    let ptx = String::from_utf8_lossy(compiled.code.as_bytes()).into_owned();
    compiled.code = Code::Ptx(change(ptx));
    Ok(compiled)
}

fn refused_ptx() -> Tested {
    let device = device()?;
    let broken = with_code(&device, |ptx| ptx.replacen("ret;", "no.such.instruction;", 1))?;
    let kind = |e: &Error| matches!(e, Error::Runtime(RuntimeError::Load { .. }));
    expect(
        device.load_compiled(&broken),
        kind,
        &["'twice'", "Not a name of any known instruction"],
    )?;
    works(&device)
}

fn ptx_too_new() -> Tested {
    let device = device()?;
    let from = |ptx: String| {
        let lines = ptx.lines().map(|line| {
            if line.starts_with(".version") {
                ".version 99.0"
            } else {
                line
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let newer = with_code(&device, from)?;
    let kind = |e: &Error| matches!(e, Error::Runtime(RuntimeError::PtxTooNew { .. }));
    expect(
        device.load_compiled(&newer),
        kind,
        &["'twice'", "99.0", "update the driver"],
    )?;
    works(&device)
}

fn missing_entry() -> Tested {
    let device = device()?;
    let mut renamed = with_code(&device, |ptx| ptx)?;
    renamed.name = "other".to_owned();
    let kind = |e: &Error| matches!(e, Error::Runtime(RuntimeError::Load { .. }));
    expect(
        device.load_compiled(&renamed),
        kind,
        &["'other'", "no entry of that name"],
    )?;
    works(&device)
}

fn grids() -> Tested {
    let device = device()?;
    let x = device.upload(&[1.0f32; 4]).map_err(text)?;
    for (grid, part) in [
        (Grid(1i64 << 31), "along x"),
        (Grid((1, 65_536)), "along y"),
        (Grid((1, 1, 65_536)), "along z"),
        (Grid(-1), "-1"),
    ] {
        let found = double::launch(&device, grid, &x, 4, 128);
        expect(found, |e| matches!(e, Error::Grid { .. }), &["'double'", part])?;
    }
    for grid in [Grid(0), Grid((3, 0)), Grid((3, 3, 0))] {
        double::launch(&device, grid, &x, 4, 128).map_err(text)?;
    }
    let found = x.to_vec().map_err(text)?;
    if found != [1.0; 4] {
        return Err(format!("a grid without programs has changed memory: {found:?}"));
    }
    works(&device)
}

fn arguments() -> Tested {
    let device = device()?;
    let (program, x) = loaded(&device)?;
    let floats = device.upload(&[1.0f32]).map_err(text)?;
    let number = Arg::from(mytriton::frontend::ScalarValue::new(1i32));
    let count = |e: &Error| matches!(e, Error::ArgumentCount { .. });
    expect(program.launch(1, &[Arg::from(&x)]), count, &["'twice'", "2"])?;
    let argument = |e: &Error| matches!(e, Error::Argument { .. });
    expect(
        program.launch(1, &[Arg::from(&floats), number]),
        argument,
        &["`x`", "f32"],
    )?;
    let number = Arg::from(mytriton::frontend::ScalarValue::new(1.0f32));
    expect(program.launch(1, &[Arg::from(&x), number]), argument, &["`n`", "f32"])?;
    works(&device)
}

fn divisibility() -> Tested {
    let device = device()?;
    let (program, x) = loaded(&device)?;
    let part = x.slice(1..).map_err(text)?;
    let number = Arg::from(mytriton::frontend::ScalarValue::new(1i32));
    let argument = |e: &Error| matches!(e, Error::Argument { .. });
    expect(
        program.launch(1, &[Arg::from(part), number]),
        argument,
        &["`x`", "multiple of 16"],
    )?;
    works(&device)
}

/// The context is lost after it, so it comes last.
fn stray_store() -> Tested {
    let device = device()?;
    let x = device.upload(&[1.0f32]).map_err(text)?;
    stray::launch(&device, 1, &x, 1i64 << 45).map_err(text)?;
    let kind = |e: &Error| matches!(e, Error::Runtime(RuntimeError::Kernel { .. }));
    expect(device.synchronize(), kind, &["memory", "Device::cpu()"])
}
