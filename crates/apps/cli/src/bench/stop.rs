//! Ctrl-C, and resuming afterwards.

use std::process;

use regrasp::api::CancelToken;
use regrasp::bench::quoted;

use crate::{ExitCode, Result, complain, given_words};

/// Token that the first Ctrl-C cancels; the second ends the program immediately.
pub(super) fn stopped_by_ctrl_c() -> Result<CancelToken> {
    let stop = CancelToken::new();
    let handle = stop.clone();
    ctrlc::set_handler(move || {
        if handle.is_cancelled() {
            process::exit(ExitCode::Stopped as i32);
        }
        handle.cancel();
        complain("stopping the running episodes (press Ctrl-C again to exit immediately)");
    })?;
    Ok(stop)
}

/// Prints the progress of a stopped run and how to resume it.
pub(super) fn print_how_to_resume(n_done: usize, n_all: usize, is_kept: bool) {
    let how = if is_kept {
        let arguments: Vec<_> = given_words().iter().map(|word| quoted(word)).collect();
        let resume = if arguments.iter().any(|word| word == "--resume") {
            ""
        } else {
            " --resume"
        };
        format!("resume with: regrasp {}{resume}", arguments.join(" "))
    } else {
        "nothing was saved; only a run with --out DIR can be resumed".to_owned()
    };
    complain(&format!(
        "stopped after {n_done} of {n_all} episodes; {how}"
    ));
}
