//! Commands that run until they are killed.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A command that runs until it is killed. Dropping this kills it.
pub(crate) struct Started {
    pub(crate) child: Child,
    pub(crate) stdout: BufReader<ChildStdout>,
}

impl Started {
    pub(crate) fn new(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdout }
    }

    /// Waits for the next line of the command's standard output. Panics if the output has ended.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        let n_bytes = self.stdout.read_line(&mut line).unwrap();
        assert!(n_bytes > 0, "the output of the command has ended");
        line
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
