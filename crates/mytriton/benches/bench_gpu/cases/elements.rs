//! Element by element: copy and sum.

use anyhow::{Result, bail};
use mytriton::Arg;
use mytriton::frontend::ConstexprValue;
use mytriton::prelude::*;
use rayon::prelude::*;

use super::{Candidate, Case, Plan, Step, int, ints};
use crate::inputs::{Number, Source};
use crate::kernels;

/// Elements of a program and warps.
const SHAPES: [(usize, u32); 6] = [(512, 4), (1024, 4), (1024, 8), (2048, 4), (2048, 8), (4096, 8)];

/// `out = x`.
pub fn copy<T: Number>(n: usize) -> Plan {
    let bytes = 2 * n * size_of::<T>();
    Plan::new::<T>("copy", &[n], bytes, move |device, seed| {
        Elements::<T>::make(device, seed, n, 1)
    })
}

/// `out = x + y`.
pub fn add<T: Number>(n: usize) -> Plan {
    let bytes = 3 * n * size_of::<T>();
    Plan::new::<T>("add", &[n], bytes, move |device, seed| {
        Elements::<T>::make(device, seed, n, 2)
    })
}

/// The sum of one or two operands.
struct Elements<T> {
    sources: Vec<Source>,
    operands: Vec<Buffer<T>>,
    out: Buffer<T>,
}

impl<T: Number> Elements<T> {
    fn make(device: &Device, seed: u64, n: usize, operands: u64) -> Result<Box<dyn Case>> {
        let sources: Vec<Source> = (0..operands).map(|operand| Source::new(seed, operand)).collect();
        let operands = sources.iter().map(|source| source.upload(device, n));
        Ok(Box::new(Elements {
            operands: operands.collect::<Result<_, _>>()?,
            sources,
            out: device.zeros::<T>(n)?,
        }))
    }

    /// The right result: rounded once, which `f32` does for the types here.
    fn expected(&self, index: usize) -> T {
        let sum = self
            .sources
            .iter()
            .map(|source| source.number::<T>(index).exact() as f32);
        T::round(sum.reduce(|a, b| a + b).unwrap_or_default())
    }
}

impl<T: Number> Case for Elements<T> {
    fn candidates(&self) -> Result<Vec<Candidate>> {
        let n = self.out.len();
        let candidate = |(block, num_warps): (usize, u32)| {
            let def = match self.operands.len() {
                1 => kernels::copy::definition(),
                _ => kernels::add::definition(),
            };
            let constexprs = [ConstexprValue::DType(T::DTYPE), int(block).into()];
            Ok(Candidate {
                label: format!("block {block}, {num_warps} warps"),
                num_warps,
                steps: vec![Step::new(def, &constexprs, ints(&[n]), Grid(n.div_ceil(block)))?],
            })
        };
        SHAPES.into_iter().map(candidate).collect()
    }

    fn pointers(&self, _step: usize) -> Vec<Arg<'_>> {
        self.operands.iter().chain([&self.out]).map(Arg::from).collect()
    }

    fn poison(&self, device: &Device) -> Result<()> {
        super::poison(device, &self.out)
    }

    fn check(&self, all: bool) -> Result<()> {
        let n = self.out.len();
        let part = if all { n } else { n.min(1 << 20) };
        // The end is where masks matter.
        for start in if all { vec![0] } else { vec![0, n - part] } {
            let found = self.out.slice(start..start + part)?.to_vec()?;
            let wrong = found
                .par_iter()
                .enumerate()
                .find_first(|&(i, found)| *found != self.expected(start + i));
            if let Some((i, found)) = wrong {
                let index = start + i;
                bail!("element {index} is {found:?}, should be {:?}", self.expected(index));
            }
        }
        Ok(())
    }
}
