//! The text of a function's body, in which statements on tiles of several rounds gather in loops.

use std::fmt::Write;

use crate::threads::Root;

/// Rounds up to which a loop over them is unrolled, so that arrays are registers.
const UNROLLED: u32 = 16;

/// A loop over the rounds of a root that is not written yet.
#[derive(Default)]
struct Pending {
    /// Declarations of arrays, which come before it.
    arrays: Vec<String>,
    statements: Vec<Statement>,
    /// Which coordinates it uses.
    coordinates: Vec<bool>,
    owner: bool,
}

struct Statement {
    text: String,
    place: Option<String>,
}

/// Writes statements in order, those of roots with several rounds a segment at a time.
pub(crate) struct Writer<'a> {
    roots: &'a [Root],
    threads: u32,
    text: String,
    indent: usize,
    pending: Vec<Pending>,
    /// Of each root with one round: which coordinates and ownership tests the function uses.
    used: Vec<(Vec<bool>, bool)>,
    /// Is the thread's number used?
    thread: bool,
    last_place: Option<String>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(roots: &'a [Root], threads: u32) -> Writer<'a> {
        let unused = |root: &Root| vec![false; root.shape.len()];
        let pending = |root: &Root| Pending {
            coordinates: unused(root),
            ..Pending::default()
        };
        Writer {
            roots,
            threads,
            text: String::new(),
            indent: 1,
            pending: roots.iter().map(pending).collect(),
            used: roots.iter().map(|root| (unused(root), false)).collect(),
            thread: false,
            last_place: None,
        }
    }

    /// The names that it uses for itself.
    pub(crate) fn own_names(roots: &[Root]) -> Vec<String> {
        let mut names = vec!["t".to_owned(), "s".to_owned()];
        for (index, root) in roots.iter().enumerate() {
            let suffix = suffix(roots, index);
            names.extend(["e", "own"].map(|name| format!("{name}{suffix}")));
            names.extend((0..root.shape.len()).map(|dim| format!("i{dim}{suffix}")));
        }
        names
    }

    /// Does a thread own several elements of this root?
    pub(crate) fn has_rounds(&self, root: Option<usize>) -> bool {
        root.is_some_and(|root| self.roots[root].slots > 1)
    }

    /// How many rounds a root takes; one without a root.
    pub(crate) fn rounds(&self, root: Option<usize>) -> u32 {
        root.map_or(1, |root| self.roots[root].slots)
    }

    /// The number of the thread in its block.
    pub(crate) fn thread(&mut self) -> &'static str {
        self.thread = true;
        "t"
    }

    /// The test that the thread owns an element of the root (in the round); none if it always does.
    pub(crate) fn owner(&mut self, root: usize) -> Option<String> {
        if !self.roots[root].tail {
            return None;
        }
        self.used[root].1 = true;
        self.pending[root].owner = true;
        Some(format!("own{}", suffix(self.roots, root)))
    }

    /// A coordinate of the thread's element of the root (in the round).
    pub(crate) fn coordinate(&mut self, root: usize, dim: usize) -> String {
        let several = self.roots[root].slots > 1;
        self.thread |= !several;
        let linear = self.linear(root);
        if coordinate_expression(&self.roots[root].shape, dim, &linear) == linear {
            return linear;
        }
        self.used[root].0[dim] = true;
        self.pending[root].coordinates[dim] = true;
        format!("i{dim}{}", suffix(self.roots, root))
    }

    /// The row-major index of the thread's element of the root (in the round).
    pub(crate) fn index(&mut self, root: usize) -> String {
        self.thread |= self.roots[root].slots == 1;
        self.linear(root)
    }

    fn linear(&self, root: usize) -> String {
        if self.roots[root].slots > 1 {
            format!("e{}", suffix(self.roots, root))
        } else {
            "t".to_owned()
        }
    }

    /// A statement of a thread, or of each of its elements of a root.
    pub(crate) fn statement(&mut self, root: Option<usize>, text: String, place: Option<String>) {
        match root {
            Some(root) if self.roots[root].slots > 1 => {
                self.pending[root].statements.push(Statement { text, place });
            }
            _ => {
                let comment = comment(&mut self.last_place, place);
                self.line(&format!("{text}{comment}"));
            }
        }
    }

    /// Declares an array with an entry for each round before the loop that is being gathered.
    pub(crate) fn array(&mut self, root: usize, declaration: String) {
        self.pending[root].arrays.push(declaration);
    }

    /// One line as it is.
    pub(crate) fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.text.push_str("  ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Writes a line that opens a scope.
    pub(crate) fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    /// Ends a scope.
    pub(crate) fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    /// Replaces the end of a scope by the beginning of its alternative.
    pub(crate) fn open_else(&mut self) -> usize {
        self.indent -= 1;
        self.line("} else {");
        self.indent += 1;
        self.text.len()
    }

    /// Ends an alternative, and takes it back if nothing stands in it.
    pub(crate) fn close_else(&mut self, start: usize) {
        if self.text.len() == start {
            let head = "} else {\n".len() + 2 * (self.indent - 1);
            self.text.truncate(start - head);
        }
        self.close();
    }

    /// Writes the gathered loops: whatever follows comes after them.
    pub(crate) fn flush(&mut self) {
        for root in 0..self.roots.len() {
            let empty = Pending {
                coordinates: vec![false; self.roots[root].shape.len()],
                ..Pending::default()
            };
            let pending = std::mem::replace(&mut self.pending[root], empty);
            if !pending.statements.is_empty() {
                self.rounds_loop(root, pending);
            }
        }
    }

    fn rounds_loop(&mut self, root: usize, pending: Pending) {
        let roots = self.roots;
        let Root { shape, slots, .. } = &roots[root];
        let (name, threads) = (suffix(roots, root), self.threads);
        for array in &pending.arrays {
            self.line(array);
        }
        self.line(if *slots <= UNROLLED {
            "#pragma unroll"
        } else {
            "#pragma unroll 1"
        });
        self.open(&format!("for (u32 s = 0; s < {slots}; ++s) {{"));
        let linear = self.linear(root);
        let mentions = |name: &str| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            pending
                .statements
                .iter()
                .any(|s| s.text.split(|c| !is_name(c)).any(|word| word == name))
        };
        if pending.owner || pending.coordinates.contains(&true) || mentions(&linear) {
            self.thread = true;
            self.line(&format!("const u32 {linear} = t + s * {threads};"));
        }
        if pending.owner {
            self.line(&format!("const bool own{name} = {linear} < {};", size(shape)));
        }
        self.coordinates(shape, &pending.coordinates, &linear, &name);
        let mut last = None;
        for statement in pending.statements {
            let comment = comment(&mut last, statement.place);
            self.line(&format!("{}{comment}", statement.text));
        }
        self.close();
    }

    fn coordinates(&mut self, shape: &[u32], used: &[bool], linear: &str, suffix: &str) {
        for (dim, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            let value = coordinate_expression(shape, dim, linear);
            self.line(&format!("const u32 i{dim}{suffix} = {value};"));
        }
    }

    /// The whole body.
    pub(crate) fn finish(mut self) -> String {
        self.flush();
        let roots = self.roots;
        let body = std::mem::take(&mut self.text);
        let used = std::mem::take(&mut self.used);
        self.indent = 1;
        let mut head = self;
        for (index, (root, (coordinates, owner))) in roots.iter().zip(used).enumerate() {
            if root.slots > 1 {
                continue;
            }
            let suffix = suffix(roots, index);
            head.coordinates(&root.shape, &coordinates, "t", &suffix);
            if owner {
                head.line(&format!("const bool own{suffix} = t < {};", size(&root.shape)));
            }
        }
        let rest = std::mem::take(&mut head.text);
        if head.thread || !rest.is_empty() {
            head.line("const u32 t = threadIdx.x;");
        }
        format!("{}{rest}{body}", head.text)
    }
}

fn suffix(roots: &[Root], root: usize) -> String {
    if roots.len() > 1 {
        format!("_{root}")
    } else {
        String::new()
    }
}

fn size(shape: &[u32]) -> u64 {
    shape.iter().map(|&extent| u64::from(extent)).product()
}

/// A coordinate from the row-major linear index.
fn coordinate_expression(shape: &[u32], dim: usize, linear: &str) -> String {
    let stride = size(&shape[dim + 1..]);
    let mut text = linear.to_owned();
    if stride > 1 {
        let _ = write!(text, " / {stride}");
    }
    if size(&shape[..dim]) > 1 {
        let _ = write!(text, " % {}", shape[dim]);
    }
    text
}

/// The comment with a place, unless the last one was the same.
fn comment(last: &mut Option<String>, place: Option<String>) -> String {
    match place {
        Some(place) if last.as_ref() != Some(&place) => {
            let text = format!("  // {place}");
            *last = Some(place);
            text
        }
        _ => String::new(),
    }
}
