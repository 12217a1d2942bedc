//! The command line, as a program of this package: Cargo tells its tests where that one is.

use std::process::ExitCode;

fn main() -> ExitCode {
    regrasp_cli::main(|standard| standard)
}
