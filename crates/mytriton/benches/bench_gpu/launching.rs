//! What a launch costs the host: ours, and `cuLaunchKernel` with nothing around it.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use mytriton::frontend::{ScalarValue, Specialization};
use mytriton::prelude::*;
use mytriton::runtime::baseline::LaunchFloor;
use mytriton::runtime::{DeviceBuffer, Params};
use mytriton::{Arg, LaunchOptions, Program};

use crate::kernels::add;
use crate::peers::Peers;
use crate::report::{Case, Entry, Role, Unit};
use crate::settings::Settings;

/// Launches between synchronisations: as many as the driver queues without waiting.
const BATCH: u32 = 500;
/// Elements: one program's.
const N: i32 = 1024;

const TYPED: &str = "typed launch";
const PREPARED: &str = "prepared kernel";
const ALONE: &str = "function alone";
/// With as many arguments as the addition has.
const FLOOR: &str = "cuLaunchKernel";

/// Milliseconds of a launch, one number for each batch.
type Times = BTreeMap<String, Vec<f64>>;

/// Measures ours and the peers' in turn: a case for each of our ways.
pub fn measure(device: &Device, settings: &Settings, mut peers: Option<&mut Peers>) -> Result<Vec<Case>> {
    let mut subject = Subject::new(device)?;
    let (mut ours, mut theirs): (Vec<Times>, Vec<Times>) = (Vec::new(), Vec::new());
    let mut problems = Vec::new();
    // Fills caches.
    subject.round(2)?;
    for _ in 0..settings.rounds {
        ours.push(subject.round(settings.batches)?);
        match peers.as_mut().map(|peers| peers.launch()) {
            Some(Ok(times)) => theirs.push(times),
            Some(Err(error)) => problems.push(format!("peers: {error:#}")),
            None => {}
        }
    }
    let entry = |rounds: &[Times], name: &str, who: &str, role| {
        let times: Vec<Vec<f64>> = rounds.iter().filter_map(|times| times.get(name).cloned()).collect();
        Entry::from_times(who, role, Unit::Microseconds, None, &times)
    };
    let names: Vec<String> = theirs
        .first()
        .map(|times| times.keys().cloned().collect())
        .unwrap_or_default();
    let case = |way: &str| Case {
        bench: "launch".to_owned(),
        size: format!("{way}, 4 arguments"),
        unit: Unit::Microseconds,
        bytes: None,
        entries: (entry(&ours, way, "mytriton", Role::Ours).into_iter())
            .chain(names.iter().filter_map(|name| entry(&theirs, name, name, Role::Peer)))
            .chain(entry(&ours, FLOOR, FLOOR, Role::Yardstick))
            .collect(),
        problems: if way == TYPED { problems.clone() } else { Vec::new() },
        wrong: false,
    };
    Ok([TYPED, PREPARED, ALONE].map(case).into())
}

/// What is launched.
struct Subject<'a> {
    device: &'a Device,
    x: Buffer<f32>,
    y: Buffer<f32>,
    out: Buffer<f32>,
    program: Program,
    plain: DeviceBuffer,
    floor: LaunchFloor,
}

impl<'a> Subject<'a> {
    /// Makes it and checks results.
    fn new(device: &'a Device) -> Result<Subject<'a>> {
        let cuda = device.as_cuda().context("the device is no GPU")?;
        let facts = (0..4).fold(Specialization::NONE, Specialization::with_divisible_by_16);
        let kernel = (add::definition().build)(&[DType::F32.into(), N.into()], &facts)?;
        let mut subject = Subject {
            device,
            x: device.upload(&vec![1.5f32; N as usize])?,
            y: device.upload(&vec![2.25f32; N as usize])?,
            out: device.zeros::<f32>(N as usize)?,
            program: device.load(&kernel, LaunchOptions::default())?,
            plain: DeviceBuffer::zeros(cuda, 3 * 4 * N as u64)?,
            floor: LaunchFloor::new(cuda, 4)?,
        };
        subject.prepared()?;
        subject.check(PREPARED)?;
        subject.out.copy_from(&[0.0; N as usize])?;
        subject.typed()?;
        subject.check(TYPED)?;
        Ok(subject)
    }

    fn check(&self, how: &str) -> Result<()> {
        match self.out.to_vec()?.iter().find(|&&v| v != 3.75) {
            Some(wrong) => bail!("the {how} gives {wrong}, should be 3.75"),
            None => Ok(()),
        }
    }

    fn typed(&mut self) -> Result<()> {
        Ok(add::launch(self.device, 1, &self.x, &self.y, &mut self.out, N, N)?)
    }

    fn prepared(&mut self) -> Result<()> {
        let n = ScalarValue::new(N);
        let args = [
            Arg::from(&self.x),
            Arg::from(&self.y),
            Arg::from(&self.out),
            Arg::from(n),
        ];
        Ok(self.program.launch(1, &args)?)
    }

    fn alone(&mut self) -> Result<()> {
        let function = self.program.function().context("the program is on no GPU")?;
        let stream = self.device.stream().context("the device is no GPU")?;
        let mut params = Params::new();
        let addresses = [0, 1, 2].map(|i| self.plain.address() + i * 4 * N as u64);
        if !addresses.iter().chain([&(N as u64)]).all(|&value| params.push(value)) {
            return Err(anyhow!("too many arguments"));
        }
        Ok(function.launch(stream, [1, 1, 1], &mut params)?)
    }

    /// So many batches of each way, by turns, so that what drifts does so for all.
    fn round(&mut self, batches: usize) -> Result<Times> {
        type Way<'a> = fn(&mut Subject<'a>) -> Result<()>;
        let ways: [(&str, Way<'a>); 3] = [(TYPED, Self::typed), (PREPARED, Self::prepared), (ALONE, Self::alone)];
        let mut times = Times::new();
        let mut note = |name: &str, milliseconds: f64| {
            times
                .entry(name.to_owned())
                .or_default()
                .push(milliseconds / f64::from(BATCH));
        };
        for _ in 0..batches {
            for (name, way) in ways {
                let start = Instant::now();
                for _ in 0..BATCH {
                    way(self)?;
                }
                note(name, start.elapsed().as_secs_f64() * 1e3);
                self.device.synchronize()?;
            }
            let stream = self.device.stream().context("the device is no GPU")?;
            note(FLOOR, self.floor.launch(stream, BATCH)?.as_secs_f64() * 1e3);
            self.device.synchronize()?;
        }
        Ok(times)
    }
}
