//! The command line as a binary of this package, so that Cargo gives its path to the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    regrasp_cli::main(|standard| standard)
}
