//! Which architecture to compile for.

/// Targets with their compute capabilities, oldest first. PTX for one runs on its own capability and every later one,
/// except that of `sm_90a`, which runs on 9.0 alone.
pub const TARGETS: [(&str, (u32, u32)); 9] = [
    ("sm_75", (7, 5)),
    ("sm_80", (8, 0)),
    ("sm_86", (8, 6)),
    ("sm_89", (8, 9)),
    ("sm_90", (9, 0)),
    ("sm_90a", (9, 0)),
    ("sm_100", (10, 0)),
    ("sm_103", (10, 3)),
    ("sm_120", (12, 0)),
];

/// The target that makes the most of a device of this compute capability; `None` for devices before 7.5.
pub fn best_target(capability: (u32, u32)) -> Option<&'static str> {
    let fits = |&(name, needed): &(&str, (u32, u32))| match name {
        "sm_90a" => needed == capability,
        _ => needed <= capability,
    };
    TARGETS.iter().rfind(|target| fits(target)).map(|target| target.0)
}

#[cfg(test)]
mod tests {
    use super::best_target;

    #[test]
    fn each_capability_gets_the_newest_that_runs_there() {
        for (capability, target) in [
            ((7, 0), None),
            ((7, 5), Some("sm_75")),
            ((8, 0), Some("sm_80")),
            ((8, 7), Some("sm_86")),
            ((8, 9), Some("sm_89")),
            ((9, 0), Some("sm_90a")),
            ((10, 0), Some("sm_100")),
            ((10, 3), Some("sm_103")),
            ((11, 0), Some("sm_103")),
            ((12, 1), Some("sm_120")),
            ((99, 0), Some("sm_120")),
        ] {
            assert_eq!(best_target(capability), target, "{capability:?}");
        }
    }
}
