//! Writes histograms: counters in shared memory, to which every thread adds its elements.

use mytriton_ssa::OpData;

use crate::emit::Emitter;
use crate::moves::Staging;
use crate::staged::{SHARED, nothing, row_major};
use crate::threads::Ownership;

impl Emitter<'_> {
    /// A histogram of a tile of the root: all counters at once, or a window of them at a time.
    pub(crate) fn count(&mut self, op: &OpData, root: usize, staging: &Staging) {
        let kernel = self.kernel;
        let result = op.results[0];
        let ty = kernel.ty(result);
        let bins = ty.shape.elements() as u64;
        let whole = Ownership::whole(root, &self.threads.roots[root].shape);
        let mut targets = Vec::new();
        let mut low = None;
        if let Some(window) = staging.window {
            // The elements are looked at again for each window.
            self.writer.flush();
            for &ownership in self.demands.get(result) {
                let target = self.carry(&[result], None, ownership);
                let start = format!("{} = {};", target.element(), nothing(ty.elem));
                self.writer.statement(ownership.root(), start, None);
                targets.push((ownership, target));
            }
            self.writer.flush();
            let base = self.local("base");
            let place = self
                .place(op.loc)
                .map_or(String::new(), |place| format!("  // {place}"));
            self.writer.open(&format!(
                "for (u32 {base} = 0; {base} < {bins}; {base} += {window}) {{{place}"
            ));
            low = Some((base, window));
        }
        let counts = self.namer.unique("counts");
        let (t, threads, i) = (self.writer.thread(), self.threads.count, self.local("i"));
        let size = staging.window.unwrap_or(bins);
        self.writer.line(&format!("u32* const {counts} = (u32*){SHARED};"));
        self.writer.line(&format!(
            "for (u32 {i} = {t}; {i} < {size}; {i} += {threads}) {counts}[{i}] = 0;"
        ));
        self.writer.line("__syncthreads();  // the counts are zero");

        let value = self.operand(op.operands[0], whole);
        let bin = match &low {
            Some((base, _)) => format!("(u64){value} - {base}"),
            None => format!("(u64){value}"),
        };
        let mut conditions: Vec<String> = self.writer.owner(root).into_iter().collect();
        conditions.extend(op.operands.get(1).map(|&mask| self.operand(mask, whole)));
        conditions.push(format!("{bin} < {size}"));
        let place = self.place(op.loc);
        let add = format!("if ({}) atomicAdd(&{counts}[{bin}], 1u);", conditions.join(" && "));
        self.writer.statement(Some(root), add, place);
        self.writer.flush();
        self.writer.line("__syncthreads();  // the counts are complete");

        let strides = row_major(ty.shape.dims());
        let Some((base, window)) = low else {
            for &ownership in self.demands.get(result) {
                let text = match ownership {
                    Ownership::Uniform => format!("{counts}[0]"),
                    Ownership::Tile { root, projection } => {
                        let index = self.index(root, projection, &strides);
                        match self.writer.owner(root) {
                            Some(owner) => format!("{owner} ? {counts}[{index}] : {}", nothing(ty.elem)),
                            None => format!("{counts}[{index}]"),
                        }
                    }
                };
                self.define(result, ownership, &text, op.loc);
            }
            return;
        };
        for (ownership, target) in targets {
            let index = match ownership {
                Ownership::Tile { root, projection } => self.index(root, projection, &strides),
                Ownership::Uniform => "0".to_owned(),
            };
            let text = format!(
                "if ({index} - {base} < {window} && {index} < {bins}) {} = {counts}[{index} - {base}];",
                target.element()
            );
            self.writer.statement(ownership.root(), text, None);
        }
        self.writer.flush();
        self.writer.line("__syncthreads();  // the counts have been read");
        self.writer.close();
    }
}
