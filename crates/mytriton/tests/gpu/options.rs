//! The command line: that of Rust's own test runner as far as it makes sense, and some of ours.

use std::path::PathBuf;
use std::time::Duration;

use mytriton_fuzz::Limit;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Checks whose name contains one of these (is one of these, with `exact`) run; without any, all.
    pub filters: Vec<String>,
    /// Checks whose name contains one of these do not.
    pub skipped: Vec<String>,
    /// Compare whole names.
    pub exact: bool,
    /// Print the names alone.
    pub list: bool,
    /// The seed of all random numbers.
    pub seed: Option<u64>,
    /// Check code with tools even where a GPU is.
    pub offline: bool,
    /// Where the report goes.
    pub report: Option<PathBuf>,
    /// The commit that the report names.
    pub commit: Option<String>,
    /// Processes at a time.
    pub jobs: Option<usize>,
    /// Run the checks of this group in this process, and report them on the standard output for the parent.
    pub worker: Option<String>,
    /// The first check to run as a worker.
    pub from: usize,
    /// Use the GPU as a worker.
    pub gpu: bool,
    /// Fuzz for so long instead of running checks.
    pub fuzz: Option<Limit>,
    /// Fuzz in processes of their own even without a GPU.
    pub isolated: bool,
    /// The distance between the cases of a fuzzing worker.
    pub step: usize,
    /// How long a process may say nothing.
    pub patience: Duration,
    /// Faults that fuzzing is to find, for its own test.
    pub planted: Vec<(Fault, usize)>,
    /// Where cases that fuzzing finds go.
    pub findings: Option<PathBuf>,
    /// Print the help.
    pub help: bool,
}

/// What `--help` prints.
pub const HELP: &str = "\
Runs the same kernels on the reference interpreter and on the GPU by every way there is, and compares.
Without a GPU, generated code is checked by ptxas and NVRTC instead.

usage: gpu [OPTIONS] [FILTER ...]

  FILTER            run checks whose name contains it (group::case::way)
  --exact           compare whole names
  --skip FILTER     leave out checks whose name contains it
  --list            print the names
  --seed N          the seed of all random data and kernels (default: new each time, and printed)
  --offline         check code with the tools even where there is a GPU
  --jobs N          processes at a time
  --report FILE     write a report there (Markdown), and the same as FILE.json; MYTRITON_REPORT does too
  --fuzz LIMIT      fuzz instead: for so many kernels (1000), or for some time (90s, 10m, 2h). On a GPU if there is one,
                    in --jobs processes; else by every way that needs none
  --isolated        fuzz in processes of their own without a GPU too, on the SIMT executor
  --patience SECS   how long such a process may say nothing (default: 150)
  --findings DIR    where kernels go that fuzzing finds to be run wrongly, made small
  --commit ID       the commit that the report names (default: MYTRITON_COMMIT, at build time or now)
";

/// A fault that is made on purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The process dies while it compiles the case.
    DiesCompiling,
    /// The process dies while it runs the case.
    Dies,
    /// The case never ends.
    Hangs,
    /// A byte of the results is wrong.
    Wrong,
}

impl Fault {
    const ALL: [Fault; 4] = [Fault::DiesCompiling, Fault::Dies, Fault::Hangs, Fault::Wrong];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::DiesCompiling => "dies-compiling",
            Fault::Dies => "dies",
            Fault::Hangs => "hangs",
            Fault::Wrong => "wrong",
        }
    }

    /// `NAME@INDEX`.
    fn parse(text: &str) -> Option<(Fault, usize)> {
        let (name, index) = text.split_once('@')?;
        let fault = Fault::ALL.into_iter().find(|fault| fault.name() == name)?;
        Some((fault, index.parse().ok()?))
    }
}

/// How long a check may take by default. None comes near.
const PATIENCE: Duration = Duration::from_secs(150);

impl Default for Options {
    fn default() -> Options {
        Options {
            filters: Vec::new(),
            skipped: Vec::new(),
            exact: false,
            list: false,
            seed: None,
            offline: false,
            report: None,
            commit: None,
            jobs: None,
            worker: None,
            from: 0,
            gpu: false,
            fuzz: None,
            isolated: false,
            step: 1,
            patience: PATIENCE,
            planted: Vec::new(),
            findings: None,
            help: false,
        }
    }
}

impl Options {
    /// Is this fault planted in this case?
    pub fn is_planted(&self, fault: Fault, index: usize) -> bool {
        self.planted.contains(&(fault, index))
    }

    /// Dies or hangs, if that is planted in this case.
    pub fn plant(&self, fault: Fault, index: usize) {
        if self.is_planted(fault, index) {
            match fault {
                Fault::DiesCompiling | Fault::Dies => std::process::abort(),
                Fault::Hangs => std::thread::sleep(Duration::MAX),
                Fault::Wrong => {}
            }
        }
    }

    /// Reads the arguments, the program's name not among them.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let mut options = Options::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, inline) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
                _ => (argument, None),
            };
            let mut value = || {
                let next = inline.clone().or_else(|| arguments.next());
                next.ok_or_else(|| format!("{name} needs a value; --help lists the options"))
            };
            let number = |text: String| text.parse::<u64>().map_err(|_| format!("'{text}' is not a number"));
            match name.as_str() {
                "--exact" => options.exact = true,
                "--list" => options.list = true,
                "--offline" => options.offline = true,
                "--gpu" => options.gpu = true,
                "--help" | "-h" => options.help = true,
                "--skip" => options.skipped.push(value()?),
                "--seed" => options.seed = Some(number(value()?)?),
                "--jobs" | "--test-threads" => options.jobs = Some(number(value()?)? as usize),
                "--report" => options.report = Some(PathBuf::from(value()?)),
                "--fuzz" => options.fuzz = Some(limit(&value()?)?),
                "--findings" => options.findings = Some(PathBuf::from(value()?)),
                "--isolated" => options.isolated = true,
                "--step" => options.step = number(value()?)? as usize,
                "--patience" => options.patience = Duration::from_secs(number(value()?)?),
                "--plant" => {
                    let text = value()?;
                    let planted = Fault::parse(&text).ok_or_else(|| format!("'{text}' is no fault such as dies@3"))?;
                    options.planted.push(planted);
                }
                "--commit" => options.commit = Some(value()?),
                "--worker" => options.worker = Some(value()?),
                "--from" => options.from = number(value()?)? as usize,
                // Of Rust's test runner, without a meaning here.
                "--nocapture" | "--no-capture" | "--show-output" | "--include-ignored" | "--quiet" | "-q" => {}
                "--format" | "--color" | "--logfile" => drop(value()?),
                other if other.starts_with('-') => {
                    return Err(format!("unknown option {other}; --help lists the options"));
                }
                _ => options.filters.push(name),
            }
        }
        Ok(options)
    }

    /// Does a check of that name run?
    pub fn wants(&self, name: &str) -> bool {
        let matches = |filter: &String| {
            if self.exact {
                name == filter
            } else {
                name.contains(filter.as_str())
            }
        };
        (self.filters.is_empty() || self.filters.iter().any(matches)) && !self.skipped.iter().any(matches)
    }
}

/// A number of cases, or a time.
fn limit(text: &str) -> Result<Limit, String> {
    let problem = || format!("'{text}' is neither a number of kernels nor a time such as 90s, 10m or 2h");
    let number = |text: &str| text.parse::<u64>().map_err(|_| problem());
    let (digits, unit) = text.split_at(text.trim_end_matches(['s', 'm', 'h']).len());
    let seconds = match unit {
        "" => return Ok(Limit::Cases(number(digits)? as usize)),
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(problem()),
    };
    Ok(Limit::Time(Duration::from_secs(
        number(digits)?.saturating_mul(seconds),
    )))
}
