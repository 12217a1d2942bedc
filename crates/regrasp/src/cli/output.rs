//! The only place that writes to the terminal.

use std::io::{self, Write};

/// Prints one line (or several) on standard output. A reader that went away, such
/// as `head`, is no error.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Prints on standard error.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
