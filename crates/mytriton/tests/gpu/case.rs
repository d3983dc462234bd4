//! What the suite is made of: kernels with launches whose inputs are random, and what to compare afterwards.

use std::fmt::Write;
use std::ops::Range;

use mytriton_ssa::{Const, Kernel, Scalar};

use crate::compare::Rule;
use crate::values::{Domain, Random, bits_at, bytes_of, element, loaded, random_for};

/// Elements behind every buffer's own that nothing may change.
pub const GUARD: usize = 64;

/// Makes the launches of a case; the random numbers are the case's own.
pub type Launches = Box<dyn Fn(&mut Random) -> Vec<Launch>>;

/// What machine code may use local memory for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalMemory {
    /// Nothing: the rule.
    Nothing,
    /// A table of a function of the mathematics library.
    Table,
    /// Registers that do not suffice: a random kernel may need any number of them.
    Spills,
}

/// A kernel and how to run it.
pub struct Case {
    /// Its name within the group.
    pub name: String,
    /// The kernel, as its front end made it.
    pub kernel: Kernel,
    /// The same in the `layout` stage, if layouts are not the compiler's choice: what goes on to PTX.
    pub layouts: Option<String>,
    /// Warps of a program.
    pub warps: u32,
    /// May `x * y + z` be rounded once?
    pub fusion: bool,
    /// What its machine code may use local memory for.
    pub local_memory: LocalMemory,
    /// Does its code take the tools long? Without a GPU they check it for the newest target alone.
    pub long: bool,
    /// Its launches.
    pub launches: Launches,
}

impl Case {
    /// A case with the defaults: 4 warps, no fusion.
    pub fn new(
        name: impl Into<String>,
        kernel: Kernel,
        launches: impl Fn(&mut Random) -> Vec<Launch> + 'static,
    ) -> Case {
        Case {
            name: name.into(),
            kernel,
            layouts: None,
            warps: 4,
            fusion: false,
            local_memory: LocalMemory::Nothing,
            long: false,
            launches: Box::new(launches),
        }
    }

    /// The same with so many warps.
    pub fn warps(mut self, warps: u32) -> Case {
        self.warps = warps;
        self
    }

    /// The same with layouts given by a module.
    pub fn layouts(mut self, module: String) -> Case {
        self.layouts = Some(module);
        self
    }

    /// The launches for a seed.
    pub fn launches(&self, seed: u64) -> Vec<Launch> {
        (self.launches)(&mut random_for(seed, &self.name))
    }
}

/// One launch.
pub struct Launch {
    /// What sets it apart, for messages.
    pub what: String,
    /// Programs along x, y and z.
    pub grid: [u32; 3],
    /// The arguments.
    pub args: Vec<Arg>,
    /// The outputs. Every other byte of every buffer must stay as the oracle has it.
    pub outputs: Vec<Output>,
}

/// An argument.
#[derive(Clone)]
pub enum Arg {
    /// A pointer into a buffer of its own.
    Buffer(Data),
    /// A number.
    Scalar(Const),
}

/// A buffer's content before the launch.
#[derive(Clone)]
pub struct Data {
    /// The type of its elements.
    pub scalar: Scalar,
    /// The elements, guard included.
    pub bytes: Vec<u8>,
    /// How many elements the pointer passed skips.
    pub skip: usize,
}

/// Elements that a launch computes.
pub struct Output {
    /// Which argument's buffer.
    pub arg: usize,
    /// What they are, for messages.
    pub what: String,
    /// Which elements of the buffer.
    pub range: Range<usize>,
    /// How they are compared.
    pub rule: Rule,
    /// What they should be, where the case knows by itself; else empty.
    pub expected: Vec<Const>,
}

/// What is put into memory before a launch, and the arguments: addresses, and bits of numbers.
pub struct Input<'a> {
    /// The buffers' contents.
    pub buffers: Vec<&'a [u8]>,
    /// The arguments.
    pub args: Vec<InputArg>,
}

/// An argument of a launch.
pub enum InputArg {
    /// So many bytes into a buffer.
    Pointer(usize, u64),
    /// A number.
    Bits(u64),
}

impl Data {
    /// Random elements; the pointer skips the first `skip`.
    pub fn random(random: &mut Random, scalar: Scalar, len: usize, domain: Domain, skip: usize) -> Data {
        let total = skip + len + GUARD;
        let bits: Vec<u64> = (0..total).map(|_| element(random, scalar, domain)).collect();
        Data {
            scalar,
            bytes: bytes_of(scalar, bits),
            skip,
        }
    }

    /// Given elements, then a guard.
    pub fn of(random: &mut Random, scalar: Scalar, values: impl IntoIterator<Item = Const>) -> Data {
        let mut bytes = bytes_of(scalar, values.into_iter().map(Const::bits));
        let guard: Vec<u64> = (0..GUARD).map(|_| element(random, scalar, Domain::Any)).collect();
        bytes.extend(bytes_of(scalar, guard));
        Data { scalar, bytes, skip: 0 }
    }

    /// The value of the element that the pointer's element `index` is.
    pub fn get(&self, index: usize) -> Const {
        loaded(self.scalar, bits_at(self.scalar, &self.bytes, self.skip + index))
    }
}

impl From<Data> for Arg {
    fn from(data: Data) -> Arg {
        Arg::Buffer(data)
    }
}

impl From<i32> for Arg {
    fn from(value: i32) -> Arg {
        Arg::Scalar(Const::i32(value))
    }
}

impl From<Const> for Arg {
    fn from(value: Const) -> Arg {
        Arg::Scalar(value)
    }
}

impl Launch {
    /// A launch without outputs yet.
    pub fn new(what: impl Into<String>, grid: [u32; 3], args: impl IntoIterator<Item = Arg>) -> Launch {
        Launch {
            what: what.into(),
            grid,
            args: args.into_iter().collect(),
            outputs: Vec::new(),
        }
    }

    /// With an exact output: the first elements that the pointer leads to, with what they should be.
    pub fn exact(self, arg: usize, expected: Vec<Const>) -> Launch {
        let len = expected.len();
        self.output(arg, "result", 0..len, Rule::EXACT, expected)
    }

    /// With an output: elements from the pointer on.
    pub fn output(
        mut self,
        arg: usize,
        what: impl Into<String>,
        range: Range<usize>,
        rule: Rule,
        expected: Vec<Const>,
    ) -> Launch {
        let skip = match &self.args[arg] {
            Arg::Buffer(data) => data.skip,
            Arg::Scalar(_) => 0,
        };
        self.outputs.push(Output {
            arg,
            what: what.into(),
            range: range.start + skip..range.end + skip,
            rule,
            expected,
        });
        self
    }

    /// What the launch is given; its buffers are those of [`Launch::buffers`].
    pub fn input(&self) -> Input<'_> {
        let mut buffers = Vec::new();
        let args = self.args.iter().map(|arg| match arg {
            Arg::Buffer(data) => {
                buffers.push(&data.bytes[..]);
                InputArg::Pointer(buffers.len() - 1, data.skip as u64 * u64::from(data.scalar.bytes()))
            }
            Arg::Scalar(value) => InputArg::Bits(value.bits()),
        });
        let args = args.collect();
        Input { buffers, args }
    }

    /// The buffers' contents, in the order of the arguments.
    pub fn buffers(&self) -> impl Iterator<Item = (usize, &Data)> {
        self.args.iter().enumerate().filter_map(|(index, arg)| match arg {
            Arg::Buffer(data) => Some((index, data)),
            Arg::Scalar(_) => None,
        })
    }

    /// Compares the buffers after a run with the oracle's, both in the order of [`Launch::buffers`]. Says where they
    /// first differ, and how often.
    pub fn compare(&self, got: &[Vec<u8>], oracle: &[Vec<u8>]) -> Result<(), String> {
        for ((arg, data), (got, oracle)) in self.buffers().zip(got.iter().zip(oracle)) {
            let scalar = data.scalar;
            let mut wrong = 0;
            let mut first = None;
            for index in 0..data.bytes.len() / scalar.bytes() as usize {
                let (found, wanted) = (bits_at(scalar, got, index), bits_at(scalar, oracle, index));
                if found == wanted {
                    continue;
                }
                let output = self.outputs.iter().find(|o| o.arg == arg && o.range.contains(&index));
                // A boolean is stored as 0 or 1: another true byte is a mistake.
                let agree = output.filter(|_| scalar != Scalar::I1).is_some_and(|output| {
                    let other = match output.rule {
                        Rule::Either(further) => Some(loaded(scalar, bits_at(scalar, oracle, index + further))),
                        _ => None,
                    };
                    output
                        .rule
                        .accepts(loaded(scalar, found), loaded(scalar, wanted), other)
                });
                if !agree {
                    wrong += 1;
                    first.get_or_insert((index, found, wanted, output));
                }
            }
            if let Some((index, found, wanted, output)) = first {
                return Err(self.mismatch(arg, scalar, index, [found, wanted], output, wrong));
            }
        }
        Ok(())
    }

    fn mismatch(
        &self,
        arg: usize,
        scalar: Scalar,
        index: usize,
        [found, wanted]: [u64; 2],
        output: Option<&Output>,
        wrong: usize,
    ) -> String {
        let digits = scalar.bytes() as usize * 2;
        let show = |bits| format!("{} (0x{bits:0digits$X})", loaded(scalar, bits));
        let mut text = format!("{}: argument {arg}, element {index} ", self.what);
        match output {
            Some(output) => {
                let at = index - output.range.start;
                let _ = write!(text, "({} {at}, {:?}): ", output.what, output.rule);
            }
            None => text += "(which is no output): ",
        }
        let _ = write!(text, "{}, should be {}", show(found), show(wanted));
        let _ = write!(text, "; {wrong} element(s) of the buffer differ");
        if let Some(output) = output {
            let at = index - output.range.start;
            let inputs: Vec<String> = self
                .buffers()
                .filter(|(_, data)| (data.skip + at + 1) * data.scalar.bytes() as usize <= data.bytes.len())
                .map(|(i, data)| format!("argument {i}[{at}] = {:?}", data.get(at)))
                .collect();
            let _ = write!(text, "; before: {}", inputs.join(", "));
        }
        text
    }

    /// Compares the oracle itself with what the case knows the outputs to be.
    pub fn check_expected(&self, oracle: &[Vec<u8>]) -> Result<(), String> {
        for output in self.outputs.iter().filter(|o| !o.expected.is_empty()) {
            let position = self.buffers().position(|(arg, _)| arg == output.arg);
            let Some((bytes, Arg::Buffer(data))) = position.map(|p| (&oracle[p], &self.args[output.arg])) else {
                return Err(format!("{}: output {} is no buffer", self.what, output.what));
            };
            if output.expected.len() != output.range.len() {
                return Err(format!(
                    "{}: {} has another length than is expected",
                    self.what, output.what
                ));
            }
            for (at, (index, expected)) in output.range.clone().zip(&output.expected).enumerate() {
                let found = Const::from_bits(
                    if data.scalar == Scalar::I1 {
                        Scalar::I8
                    } else {
                        data.scalar
                    },
                    bits_at(data.scalar, bytes, index),
                );
                let found = if found.bits() <= 1 {
                    loaded(data.scalar, found.bits())
                } else {
                    found
                };
                // Functions come from the same mathematics on both sides, so that the rule is an upper bound.
                if !output.rule.accepts(found, *expected, Some(*expected)) {
                    return Err(format!(
                        "{}: {} {at}: the interpreter gives {found:?}, but {expected:?} is expected",
                        self.what, output.what
                    ));
                }
            }
        }
        Ok(())
    }
}
