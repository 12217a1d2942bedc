//! The command line as a binary of this package, so that Cargo tells its tests the path.

use std::process::ExitCode;

fn main() -> ExitCode {
    regrasp_cli::main(|standard| standard)
}
