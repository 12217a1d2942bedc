//! The person at the terminal.

use std::io::{self, BufRead, IsTerminal, Write};

use regrasp::api::{Approval, ApprovalRequest, Person};

/// The person at the terminal. Nobody answers if standard input is not a terminal.
pub(super) struct Terminal;

impl Terminal {
    /// Asks for approval; `None` if nobody is there.
    #[cfg(all(feature = "franka", target_os = "linux"))]
    pub(super) fn approves(&self, question: &str) -> Option<bool> {
        let answer = self.ask(&format!("{question} [y/N]"))?;
        Some(is_yes(&answer))
    }

    /// Asks on standard error, to keep standard output clean.
    fn ask(&self, question: &str) -> Option<String> {
        let stdin = io::stdin();
        if !stdin.is_terminal() {
            return None;
        }
        let mut err = io::stderr();
        write!(err, "{question} ").and_then(|()| err.flush()).ok()?;
        let mut line = String::new();
        let n = stdin.lock().read_line(&mut line).ok()?;
        (n > 0).then(|| line.trim().to_owned())
    }
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.to_lowercase().as_str(), "y" | "yes")
}

impl Person for Terminal {
    fn approve(&mut self, request: &ApprovalRequest) -> Approval {
        let why = match request.risks.as_slice() {
            [] => String::new(),
            risks => format!(" ({})", risks.join("; ")),
        };
        match self.ask(&format!("approve {}{why}? [y/N]", request.call)) {
            Some(answer) if is_yes(&answer) => Approval::Granted,
            Some(answer) => Approval::Refused {
                why: format!("a person answered `{answer}`"),
            },
            None => Approval::Refused {
                why: "nobody can approve it (standard input is not a terminal)".into(),
            },
        }
    }

    fn answer(&mut self, question: &str) -> Option<String> {
        self.ask(&format!("{question}\n>"))
            .filter(|answer| !answer.is_empty())
    }
}
