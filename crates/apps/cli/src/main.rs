//! The command line of Regrasp.

use std::process::ExitCode;

fn main() -> ExitCode {
    regrasp_cli::main(|standard| standard)
}
