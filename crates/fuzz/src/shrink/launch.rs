//! A simpler launch: a smaller grid, fewer warps, smaller arguments, shorter buffers, zeros in them.

use mytriton_ssa::Const;

use super::Shrinker;
use crate::case::Arg;

impl Shrinker<'_> {
    pub(super) fn launch(&mut self) {
        self.grid();
        self.facts();
        self.numbers();
        for buffer in 0.. {
            // Buffers that nothing uses any more go on the way.
            if buffer >= self.draft.buffers.len() || self.left == 0 {
                return;
            }
            self.offset(buffer);
            self.length(buffer);
            self.content(buffer);
        }
    }

    fn grid(&mut self) {
        for axis in 0..3 {
            for to in [|_| 1, |extent: u32| extent / 2, |extent: u32| extent - 1] {
                while self.draft.grid[axis] > 1 {
                    let mut draft = self.draft.clone();
                    draft.grid[axis] = to(draft.grid[axis]);
                    if !self.attempt(draft) {
                        break;
                    }
                }
            }
        }
        while self.draft.num_warps > 1 {
            let mut draft = self.draft.clone();
            draft.num_warps /= 2;
            if !self.attempt(draft) {
                break;
            }
        }
    }

    fn facts(&mut self) {
        let states = |divisibility: u32| divisibility > 1;
        if self.draft.tree.params.iter().any(|param| states(param.divisibility)) {
            let mut draft = self.draft.clone();
            draft.tree.params.iter_mut().for_each(|param| param.divisibility = 1);
            if self.attempt(draft) {
                return;
            }
        }
        let mut index = 0;
        while index < self.draft.tree.params.len() {
            if states(self.draft.tree.params[index].divisibility) {
                let mut draft = self.draft.clone();
                draft.tree.params[index].divisibility = 1;
                self.attempt(draft);
            }
            index += 1;
        }
    }

    fn numbers(&mut self) {
        let mut index = 0;
        while index < self.draft.args.len() {
            if let Arg::Scalar(value) = self.draft.args[index] {
                for simpler in [0, 1].map(|number| Const::from_int(value.scalar(), number)) {
                    if simpler == value {
                        break;
                    }
                    let mut draft = self.draft.clone();
                    draft.args[index] = Arg::Scalar(simpler);
                    // A fact that was true of the old number need not be of the new one.
                    draft.tree.params[index].divisibility = 1;
                    if self.attempt(draft) {
                        break;
                    }
                }
            }
            index += 1;
        }
    }

    /// Lets the pointers to a buffer lead to its first element.
    fn offset(&mut self, buffer: usize) {
        let mut draft = self.draft.clone();
        let mut front = 0;
        for arg in &mut draft.args {
            if let Arg::Pointer { buffer: b, offset } = arg
                && *b == buffer
            {
                front = *offset;
                *offset = 0;
            }
        }
        let width = draft.buffers[buffer].elem.bytes() as usize;
        let bytes = &mut draft.buffers[buffer].bytes;
        if front > 0 {
            bytes.drain(..(front * width).min(bytes.len()));
            self.attempt(draft);
        }
    }

    /// Cuts a buffer's end off: half of it, then less.
    fn length(&mut self, buffer: usize) {
        let mut cut = self.draft.buffers[buffer].len().div_ceil(2);
        while cut > 0 && self.left > 0 {
            let Some(data) = self.draft.buffers.get(buffer) else {
                return;
            };
            if data.len() <= cut {
                cut /= 2;
                continue;
            }
            let bytes = (data.len() - cut) * data.elem.bytes() as usize;
            let mut draft = self.draft.clone();
            draft.buffers[buffer].bytes.truncate(bytes);
            if !self.attempt(draft) {
                cut /= 2;
            }
        }
    }

    /// Puts zeros into a buffer: everywhere, or piece by piece; or one of its elements everywhere.
    fn content(&mut self, buffer: usize) {
        let Some(data) = self.draft.buffers.get(buffer) else {
            return;
        };
        let (elem, len) = (data.elem, data.len());
        let width = elem.bytes() as usize;
        let elements: Vec<Vec<u8>> = data.bytes.chunks(width).map(<[u8]>::to_vec).collect();
        if self.fill(buffer, 0..len, &vec![0; width]) || elements.windows(2).all(|pair| pair[0] == pair[1]) {
            return;
        }
        let one = Const::from_int(elem, 1).bits().to_le_bytes()[..width].to_vec();
        let mut values = elements;
        values.retain(|value| value.iter().any(|&byte| byte != 0));
        values.dedup();
        for value in [one.clone()].iter().chain(values.iter().take(VALUES)) {
            if self.fill(buffer, 0..len, value) {
                return;
            }
        }
        let mut size = len.div_ceil(2);
        while size > 0 && self.left > 0 {
            for start in (0..len).step_by(size) {
                self.fill(buffer, start..(start + size).min(len), &vec![0; width]);
            }
            size /= 2;
        }
        for index in 0..len {
            let element = self
                .draft
                .buffers
                .get(buffer)
                .map(|data| &data.bytes[index * width..][..width]);
            if element.is_some_and(|element| element.iter().any(|&byte| byte != 0)) {
                self.fill(buffer, index..index + 1, &one);
            }
        }
    }

    /// Tries a value in some elements of a buffer, unless it is there.
    fn fill(&mut self, buffer: usize, elements: std::ops::Range<usize>, value: &[u8]) -> bool {
        let mut draft = self.draft.clone();
        let Some(data) = draft.buffers.get_mut(buffer) else {
            return false;
        };
        let mut changed = false;
        for element in data
            .bytes
            .chunks_mut(value.len())
            .skip(elements.start)
            .take(elements.len())
        {
            changed |= element != value;
            element.copy_from_slice(value);
        }
        changed && self.attempt(draft)
    }
}

/// How many of a buffer's values are tried everywhere in it.
const VALUES: usize = 8;
