//! A child process that speaks lines, neither of whose pipes can block us.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// A line from the process is no longer than this, bytes.
const MAX_LINE: u64 = 1 << 20;
/// Lines that wait to be read by one side or the other; more is refused, or waits.
const QUEUED: usize = 8;

/// The process, and threads at both of its pipes.
#[derive(Debug)]
pub(crate) struct Lines {
    child: Child,
    to: Option<SyncSender<String>>,
    from: Receiver<io::Result<String>>,
}

/// Why there is no line.
#[derive(Debug)]
pub(crate) enum NoLine {
    /// Not in time.
    Late,
    /// Never again.
    Gone(String),
}

impl Lines {
    /// Starts the process. Its standard error stays ours.
    pub(crate) fn start(words: &[String]) -> io::Result<Self> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no program is named"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let no_pipe = || io::Error::other("the process has no pipes");
        let mut stdin = child.stdin.take().ok_or_else(no_pipe)?;
        let stdout = child.stdout.take().ok_or_else(no_pipe)?;
        let (to, told) = sync_channel::<String>(QUEUED);
        let (answers, from) = sync_channel(QUEUED);
        // Both threads end when the process does, or when the channels' other ends go away.
        thread::spawn(move || {
            while let Ok(line) = told.recv() {
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

    /// Says one line, unless the process reads nothing.
    pub(crate) fn say(&self, mut line: String) -> Result<(), NoLine> {
        line.push('\n');
        let gone = || NoLine::Gone("it reads no more".into());
        match self.to.as_ref().ok_or_else(gone)?.try_send(line) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(NoLine::Late),
            Err(TrySendError::Disconnected(_)) => Err(gone()),
        }
    }

    /// The next line, if it comes before `deadline`.
    pub(crate) fn receive(&self, deadline: Instant) -> Result<String, NoLine> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.from.recv_timeout(left.max(Duration::from_millis(1))) {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(error)) => Err(NoLine::Gone(error.to_string())),
            Err(RecvTimeoutError::Timeout) => Err(NoLine::Late),
            Err(RecvTimeoutError::Disconnected) => Err(NoLine::Gone("it said its last".into())),
        }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.to = None;
        // A process that is gone already needs no end.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn read_line(stdout: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    let n = stdout.by_ref().take(MAX_LINE).read_line(&mut line)? as u64;
    let failed = |kind, why: String| Err(io::Error::new(kind, why));
    match n {
        0 => failed(io::ErrorKind::UnexpectedEof, "its output ended".into()),
        MAX_LINE if !line.ends_with('\n') => {
            let why = format!("a line is longer than {MAX_LINE} bytes");
            failed(io::ErrorKind::InvalidData, why)
        }
        _ => Ok(line),
    }
}
