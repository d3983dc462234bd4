//! `MYTRITON_DUMP=stage[,stage]`: prints stages to standard error as compilation passes them; `all` prints every one.

use std::sync::OnceLock;

use crate::stage::Stage;

fn wanted() -> &'static [Stage] {
    static WANTED: OnceLock<Vec<Stage>> = OnceLock::new();
    WANTED.get_or_init(|| {
        let Ok(text) = std::env::var("MYTRITON_DUMP") else {
            return Vec::new();
        };
        if text == "all" {
            return Stage::ALL.to_vec();
        }
        text.split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .filter_map(|name| match name.parse() {
                Ok(stage) => Some(stage),
                Err(error) => {
                    eprintln!("MYTRITON_DUMP: {error}, or 'all'");
                    None
                }
            })
            .collect()
    })
}

/// Is this stage to be printed?
pub fn wants(stage: Stage) -> bool {
    wanted().contains(&stage)
}

/// Prints the text of a stage if it is wanted; the text is made only then.
pub fn dump(stage: Stage, kernel: &str, text: impl FnOnce() -> String) {
    if wants(stage) {
        eprintln!("// ----- {stage}: {kernel} -----\n{}", text().trim_end());
    }
}
