// Regrasp's command line with this skill added: try `cargo run -- skills`.

use std::process::ExitCode;

fn main() -> ExitCode {
    regrasp_cli::main(|standard| standard.with(new_skill::NewSkill))
}
