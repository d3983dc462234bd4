//! Across rows: transposition and sums of columns.

use anyhow::{Result, bail};
use mytriton::Arg;
use mytriton::frontend::ConstexprValue;
use mytriton::prelude::*;
use rayon::prelude::*;

use super::{Candidate, Case, Plan, Step, int, ints};
use crate::inputs::{Number, Source};
use crate::{kernels, reference};

/// `out[j][i] = x[i][j]`.
pub fn transpose<T: Number>(m: usize, n: usize) -> Plan {
    Plan::new::<T>("transpose", &[m, n], 2 * m * n * size_of::<T>(), move |device, seed| {
        let source = Source::new(seed, 0);
        Ok(Box::new(Transpose::<T> {
            m,
            n,
            source,
            x: source.upload(device, m * n)?,
            out: device.zeros(m * n)?,
        }))
    })
}

/// The sum of each column.
pub fn column_sum<T: Number>(m: usize, n: usize) -> Plan {
    let bytes = m * n * size_of::<T>() + n * 4;
    Plan::new::<T>("column sum", &[m, n], bytes, move |device, seed| {
        let source = Source::new(seed, 0);
        Ok(Box::new(ColumnSum::<T> {
            m,
            n,
            source,
            x: source.upload(device, m * n)?,
            partial: device.zeros(MOST_PARTS * n)?,
            out: device.zeros(n)?,
        }))
    })
}

struct Transpose<T> {
    m: usize,
    n: usize,
    source: Source,
    x: Buffer<T>,
    out: Buffer<T>,
}

impl<T: Number> Case for Transpose<T> {
    fn candidates(&self) -> Result<Vec<Candidate>> {
        let (m, n) = (self.m, self.n);
        let shapes = [
            (32, 64, 4),
            (64, 32, 4),
            (64, 64, 4),
            (64, 64, 8),
            (64, 128, 8),
            (128, 64, 8),
            (128, 128, 8),
        ];
        let candidate = |(rows, cols, num_warps): (usize, usize, u32)| {
            let constexprs = [ConstexprValue::DType(T::DTYPE), int(rows).into(), int(cols).into()];
            let grid = Grid((n.div_ceil(cols), m.div_ceil(rows)));
            Ok(Candidate {
                label: format!("tile {rows}x{cols}, {num_warps} warps"),
                num_warps,
                steps: vec![Step::new(
                    kernels::transpose::definition(),
                    &constexprs,
                    ints(&[m, n]),
                    grid,
                )?],
            })
        };
        shapes.into_iter().map(candidate).collect()
    }

    fn pointers(&self, _step: usize) -> Vec<Arg<'_>> {
        vec![Arg::from(&self.x), Arg::from(&self.out)]
    }

    fn poison(&self, device: &Device) -> Result<()> {
        super::poison(device, &self.out)
    }

    fn check(&self, all: bool) -> Result<()> {
        let stride = if all { 1 } else { 1021 };
        // One column of the input each; the copies of device memory are one after another.
        let columns: Vec<usize> = (0..self.n).step_by(stride).chain([self.n - 1]).collect();
        for chunk in columns.chunks(if all { 1024 } else { 1 }) {
            let (first, last) = (chunk[0], chunk[chunk.len() - 1]);
            let found = self.out.slice(first * self.m..(last + 1) * self.m)?.to_vec()?;
            let wrong = found.par_iter().enumerate().find_first(|&(at, found)| {
                let (column, row) = (first + at / self.m, at % self.m);
                *found != self.source.number::<T>(row * self.n + column)
            });
            if let Some((at, found)) = wrong {
                let (column, row) = (first + at / self.m, at % self.m);
                let right = self.source.number::<T>(row * self.n + column);
                bail!("row {column}, column {row} is {found:?}, should be {right:?}");
            }
        }
        Ok(())
    }
}

/// Parts that the rows are divided into at most.
const MOST_PARTS: usize = 128;

struct ColumnSum<T> {
    m: usize,
    n: usize,
    source: Source,
    x: Buffer<T>,
    /// The sums of the parts, a row each.
    partial: Buffer<f32>,
    out: Buffer<f32>,
}

impl<T: Number> Case for ColumnSum<T> {
    fn candidates(&self) -> Result<Vec<Candidate>> {
        let (m, n) = (self.m, self.n);
        let def = kernels::column_sum::definition();
        let shapes = [
            (16, 128, 4, 32),
            (16, 128, 4, 64),
            (16, 256, 8, 64),
            (32, 128, 8, 64),
            (16, 128, 4, 128),
            (8, 256, 4, 128),
        ];
        let candidate = |(rows, cols, num_warps, parts): (usize, usize, u32, usize)| {
            let span = m.div_ceil(parts);
            let values = |dtype: DType, rows: usize, cols: usize| {
                [ConstexprValue::DType(dtype), int(rows).into(), int(cols).into()]
            };
            let grid = Grid((n.div_ceil(cols), parts));
            let first = Step::new(def, &values(T::DTYPE, rows, cols), ints(&[m, n, span]), grid)?;
            let rest = ints(&[parts, n, parts]);
            let second = Step::new(def, &values(DType::F32, 32, 32), rest, Grid((n.div_ceil(32), 1)))?;
            Ok(Candidate {
                label: format!("tile {rows}x{cols}, {parts} parts, {num_warps} warps"),
                num_warps,
                steps: vec![first, second],
            })
        };
        shapes.into_iter().map(candidate).collect()
    }

    fn pointers(&self, step: usize) -> Vec<Arg<'_>> {
        match step {
            0 => vec![Arg::from(&self.x), Arg::from(&self.partial)],
            _ => vec![Arg::from(&self.partial), Arg::from(&self.out)],
        }
    }

    fn poison(&self, device: &Device) -> Result<()> {
        super::poison(device, &self.partial)?;
        super::poison(device, &self.out)
    }

    fn check(&self, all: bool) -> Result<()> {
        let found = self.out.to_vec()?;
        let stride = if all { 1 } else { 127 };
        let columns: Vec<usize> = (0..self.n).step_by(stride).collect();
        columns.into_par_iter().try_for_each(|column| {
            let values = (0..self.m).map(|row| self.source.number::<T>(row * self.n + column).exact());
            match reference::first_wrong([found[column].exact()].into_iter(), &[reference::sum(values)]) {
                Some((_, why)) => bail!("column {column}: {why}"),
                None => Ok(()),
            }
        })
    }
}
