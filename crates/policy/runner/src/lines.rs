//! A child process that exchanges lines, without blocking on its pipes.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum length of a line from the process, bytes.
const MAX_LINE: u64 = 1 << 20;
/// Maximum number of queued lines in each direction; further lines are rejected or wait.
const QUEUED: usize = 8;

const ENDED: &str = "its output ended";

/// The process, with a thread for each pipe.
#[derive(Debug)]
pub(crate) struct Lines {
    child: Child,
    to: Option<SyncSender<String>>,
    from: Receiver<io::Result<String>>,
}

#[derive(Debug)]
pub(crate) enum NoLine {
    Late,
    /// The process has failed or ended.
    Gone(String),
}

impl Lines {
    /// Starts the process, which inherits the standard error.
    pub(crate) fn start(words: &[String]) -> io::Result<Self> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no program is given"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let no_pipe = || io::Error::other("the process has no pipes");
        let mut stdin = child.stdin.take().ok_or_else(no_pipe)?;
        let stdout = child.stdout.take().ok_or_else(no_pipe)?;
        let (to, outgoing) = sync_channel::<String>(QUEUED);
        let (answers, from) = sync_channel(QUEUED);
        // Both threads end when the process ends or the other ends of the channels are dropped.
        thread::spawn(move || {
            while let Ok(line) = outgoing.recv() {
                if stdin.write_all(line.as_bytes()).is_err() || stdin.flush().is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let line = read_line(&mut stdout);
                let is_last = line.is_err();
                if answers.send(line).is_err() || is_last {
                    return;
                }
            }
        });
        Ok(Self {
            child,
            to: Some(to),
            from,
        })
    }

    /// Sends a line; fails if the process does not read.
    pub(crate) fn send(&self, mut line: String) -> Result<(), NoLine> {
        line.push('\n');
        let closed = || NoLine::Gone("it no longer reads its input".into());
        match self.to.as_ref().ok_or_else(closed)?.try_send(line) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(NoLine::Late),
            Err(TrySendError::Disconnected(_)) => Err(closed()),
        }
    }

    pub(crate) fn receive(&self, deadline: Instant) -> Result<String, NoLine> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.from.recv_timeout(left.max(Duration::from_millis(1))) {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(error)) => Err(NoLine::Gone(error.to_string())),
            Err(RecvTimeoutError::Timeout) => Err(NoLine::Late),
            Err(RecvTimeoutError::Disconnected) => Err(NoLine::Gone(ENDED.into())),
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.to = None;
        // The process may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn read_line(stdout: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    let n = stdout.by_ref().take(MAX_LINE).read_line(&mut line)? as u64;
    let failed = |kind, why: String| Err(io::Error::new(kind, why));
    match n {
        0 => failed(io::ErrorKind::UnexpectedEof, ENDED.into()),
        MAX_LINE if !line.ends_with('\n') => {
            let why = format!("a line is longer than {MAX_LINE} bytes");
            failed(io::ErrorKind::InvalidData, why)
        }
        _ => Ok(line),
    }
}
