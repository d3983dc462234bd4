//! Row by row: normalisations, sums, cross-entropy.

use anyhow::{Context, Result, bail};
use mytriton::Arg;
use mytriton::frontend::{ConstexprValue, ScalarValue};
use mytriton::prelude::*;
use rayon::prelude::*;

use super::{Candidate, Case, Plan, Step, int, ints, row_shapes};
use crate::inputs::{Number, Source};
use crate::kernels;
use crate::reference::{self, Expected};

const EPS: f32 = 1e-5;
/// Rows compared when not all are.
const SAMPLE: usize = 24;
/// Elements compared at most when all rows that can be in seconds are.
const THOROUGH: usize = 1 << 25;

/// Operations with a result for each element, or one for each row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Softmax,
    Layernorm,
    Rmsnorm,
    RowSum,
    CrossEntropy,
}

/// Softmax, layer normalisation or the one by the root mean square, of `m` rows.
pub fn normal<T: Number>(kind: Kind, m: usize, n: usize) -> Plan {
    let (name, weights) = match kind {
        Kind::Softmax => ("softmax", 0),
        Kind::Layernorm => ("layernorm", 2),
        _ => ("rmsnorm", 1),
    };
    let bytes = (2 * m * n + weights * n) * size_of::<T>();
    Plan::new::<T>(name, &[m, n], bytes, move |device, seed| {
        let out = device.zeros::<T>(m * n)?;
        Ok(Box::new(Rows::<T, T>::make(device, seed, kind, (m, n), out)?))
    })
}

/// The loss of each of `m` rows of logits.
pub fn cross_entropy<T: Number>(m: usize, n: usize) -> Plan {
    let bytes = m * n * size_of::<T>() + m * (4 + 4);
    Plan::new::<T>("cross-entropy", &[m, n], bytes, move |device, seed| {
        let out = device.zeros::<f32>(m)?;
        Ok(Box::new(Rows::<T, f32>::make(
            device,
            seed,
            Kind::CrossEntropy,
            (m, n),
            out,
        )?))
    })
}

/// The sum of each of `m` rows.
pub fn row_sum<T: Number>(m: usize, n: usize) -> Plan {
    let bytes = m * n * size_of::<T>() + m * 4;
    Plan::new::<T>("row sum", &[m, n], bytes, move |device, seed| {
        let out = device.zeros::<f32>(m)?;
        Ok(Box::new(Rows::<T, f32>::make(device, seed, Kind::RowSum, (m, n), out)?))
    })
}

/// A matrix of `T`, what else an operation takes, and its results of type `U`.
struct Rows<T, U> {
    kind: Kind,
    m: usize,
    n: usize,
    source: Source,
    x: Buffer<T>,
    /// `weight` and `bias`, as many as there are.
    weights: Vec<(Vec<f64>, Buffer<T>)>,
    /// A column for each row.
    targets: Option<(Vec<i32>, Buffer<i32>)>,
    out: Buffer<U>,
}

impl<T: Number, U: Number> Rows<T, U> {
    fn make(device: &Device, seed: u64, kind: Kind, (m, n): (usize, usize), out: Buffer<U>) -> Result<Rows<T, U>> {
        let source = Source::new(seed, 0);
        let count = match kind {
            Kind::Layernorm => 2,
            Kind::Rmsnorm => 1,
            _ => 0,
        };
        let weights = (1..=count).map(|operand| {
            let values: Vec<T> = (0..n).map(|i| Source::new(seed, operand).number(i)).collect();
            Ok((values.iter().map(|v| v.exact()).collect(), device.upload(&values)?))
        });
        let targets = (kind == Kind::CrossEntropy).then(|| {
            let columns: Vec<i32> = (0..m).map(|row| int(Source::new(seed, 3).index(row, n))).collect();
            let there = device.upload(&columns)?;
            Ok::<_, Error>((columns, there))
        });
        Ok(Rows {
            kind,
            m,
            n,
            source,
            x: source.upload(device, m * n)?,
            weights: weights.collect::<Result<_>>()?,
            targets: targets.transpose()?,
            out,
        })
    }

    /// Results of one row.
    fn width(&self) -> usize {
        self.out.len() / self.m
    }

    fn expected(&self, row: usize) -> Result<Vec<Expected>> {
        let values = (row * self.n..(row + 1) * self.n).map(|i| self.source.number::<T>(i).exact());
        let weight = |index: usize| self.weights.get(index).map_or(&[] as &[f64], |w| &w.0);
        let values: Vec<f64> = values.collect();
        Ok(match self.kind {
            Kind::Softmax => reference::softmax(&values, U::ROUNDING),
            Kind::Layernorm => reference::layernorm(&values, weight(0), weight(1), EPS.into(), U::ROUNDING),
            Kind::Rmsnorm => reference::rmsnorm(&values, weight(0), EPS.into(), U::ROUNDING),
            Kind::RowSum => vec![reference::sum(values.iter().copied())],
            Kind::CrossEntropy => {
                let (columns, _) = self.targets.as_ref().context("there are no targets")?;
                vec![reference::cross_entropy(&values, columns[row] as usize)]
            }
        })
    }

    fn check_row(&self, row: usize, found: &[U]) -> Result<()> {
        match reference::first_wrong(found.iter().map(|v| v.exact()), &self.expected(row)?) {
            Some((column, why)) => bail!("row {row}, column {column}: {why}"),
            None => Ok(()),
        }
    }
}

impl<T: Number, U: Number> Case for Rows<T, U> {
    fn candidates(&self) -> Result<Vec<Candidate>> {
        let (m, n) = (self.m, self.n);
        let dtype = ConstexprValue::DType(T::DTYPE);
        let mut candidates = Vec::new();
        if self.kind == Kind::CrossEntropy {
            // Groups of neighbours, 16 bytes of bf16 each.
            for (groups, num_warps) in [(256, 8), (512, 4), (512, 8), (1024, 8), (1024, 16), (2048, 16)] {
                let constexprs = [dtype, int(groups).into(), 8.into()];
                let step = Step::new(kernels::cross_entropy::definition(), &constexprs, ints(&[n]), Grid(m))?;
                candidates.push(Candidate {
                    label: format!("block {groups}x8, {num_warps} warps"),
                    num_warps,
                    steps: vec![step],
                });
            }
            return Ok(candidates);
        }
        let def = match self.kind {
            Kind::Softmax => kernels::softmax::definition(),
            Kind::Layernorm => kernels::layernorm::definition(),
            Kind::Rmsnorm => kernels::rmsnorm::definition(),
            Kind::RowSum | Kind::CrossEntropy => kernels::row_sum::definition(),
        };
        // Weights, where there are any, are loaded late or early.
        let weighted = !self.weights.is_empty();
        let ways: &[(&str, Option<bool>)] = match weighted {
            true => &[("", Some(false)), (", weights early", Some(true))],
            false => &[("", None)],
        };
        let mut scalars = ints(&[m, n]);
        scalars.extend(weighted.then(|| ScalarValue::new(EPS)));
        for (rows, num_warps) in row_shapes(n, &[8, 16, 32, 64]) {
            for &(how, early) in ways {
                let mut constexprs = vec![dtype, int(rows).into(), int(n.next_power_of_two()).into()];
                constexprs.extend(early.map(ConstexprValue::from));
                candidates.push(Candidate {
                    label: format!("rows {rows}, {num_warps} warps{how}"),
                    num_warps,
                    steps: vec![Step::new(def, &constexprs, scalars.clone(), Grid(m.div_ceil(rows)))?],
                });
            }
        }
        Ok(candidates)
    }

    fn pointers(&self, _step: usize) -> Vec<Arg<'_>> {
        let mut pointers = vec![Arg::from(&self.x)];
        pointers.extend(self.weights.iter().map(|(_, there)| Arg::from(there)));
        pointers.extend(self.targets.iter().map(|(_, there)| Arg::from(there)));
        pointers.push(Arg::from(&self.out));
        pointers
    }

    fn poison(&self, device: &Device) -> Result<()> {
        super::poison(device, &self.out)
    }

    fn check(&self, all: bool) -> Result<()> {
        let width = self.width();
        if !all {
            // Spread, the first and the last one among them.
            let row = |i: usize| i * (self.m - 1) / (SAMPLE - 1);
            return (0..SAMPLE).try_for_each(|i| {
                let found = self.out.slice(row(i) * width..(row(i) + 1) * width)?.to_vec()?;
                self.check_row(row(i), &found)
            });
        }
        let found = self.out.to_vec()?;
        if let Some(index) = found.par_iter().position_first(|v| v.exact().is_nan()) {
            bail!("element {index} is NaN or was never written");
        }
        let stride = (self.m * self.n).div_ceil(THOROUGH);
        let rows: Vec<usize> = (0..self.m).step_by(stride).collect();
        rows.into_par_iter()
            .try_for_each(|row| self.check_row(row, &found[row * width..(row + 1) * width]))
    }
}
