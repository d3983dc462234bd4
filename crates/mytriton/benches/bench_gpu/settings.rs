//! How much is measured.

/// How often everything is done.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Turns of everyone.
    pub rounds: usize,
    /// Launches timed in each turn.
    pub repetitions: usize,
    /// Launches timed to choose a configuration.
    pub trial: usize,
    /// How often those are timed again, in turn, that are nearly the fastest.
    pub finals: usize,
    /// Compilations after the first.
    pub compilations: usize,
    /// Batches of launches timed on the host, in each turn.
    pub batches: usize,
    /// Of the inputs.
    pub seed: u64,
}

impl Settings {
    /// For figures that are shown.
    pub fn full(seed: u64) -> Settings {
        Settings {
            rounds: 3,
            repetitions: 60,
            trial: 15,
            finals: 3,
            compilations: 12,
            batches: 20,
            seed,
        }
    }

    /// For a look while working.
    pub fn quick(seed: u64) -> Settings {
        Settings {
            rounds: 1,
            repetitions: 20,
            trial: 5,
            finals: 2,
            compilations: 4,
            batches: 6,
            seed,
        }
    }
}
