// Regrasp's whole command line with this skill in it: `cargo run -- skills`, `run`, `bench`.

use std::process::ExitCode;

fn main() -> ExitCode {
    regrasp_cli::main(|standard| standard.with(new_skill::NewSkill))
}
