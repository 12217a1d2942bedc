//! A policy in a separate process.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use regrasp_api::{Action, Policy, PolicyDeadlines, PolicyError, PolicyInput, PolicyStart};

use crate::lines::{Lines, NoLine};
use crate::protocol::{Answer, PolicyRequest};

/// Number of characters of an invalid line in error messages.
const SHOWN_CHARS: usize = 120;

/// Creates policies that reuse processes, so that a model is not loaded for every episode.
#[derive(Clone, Debug)]
pub struct ProcessPolicies {
    command: String,
    words: Vec<String>,
    deadlines: PolicyDeadlines,
    idle: Arc<Mutex<Vec<Lines>>>,
}

impl ProcessPolicies {
    /// Creates policies that run `command`, such as `python3 policy.py --fast`.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the command cannot be split into words.
    pub fn new(command: &str, deadlines: PolicyDeadlines) -> Result<Self, PolicyError> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            PolicyError::new(format!(
                "`{command}` is not a command: expected a program and its arguments, with closed \
                 quotes"
            ))
        })?;
        Ok(Self {
            command: command.to_owned(),
            words,
            deadlines,
            idle: Arc::default(),
        })
    }

    /// Name in reports.
    pub fn name(&self) -> String {
        format!("process:{}", self.command)
    }

    /// Creates a policy for one episode. Its process is started when the episode starts.
    pub fn policy(&self) -> ProcessPolicy {
        ProcessPolicy {
            made_by: self.clone(),
            lines: None,
            wants_objects: false,
            n_late: 0,
        }
    }

    fn take(&self) -> Result<Lines, PolicyError> {
        match self.idle.lock().pop() {
            Some(lines) => Ok(lines),
            None => Lines::start(&self.words).map_err(|error| {
                PolicyError::new(format!("`{}` cannot be started: {error}", self.command))
            }),
        }
    }
}

/// Policy of one episode in a separate process. See [`crate::protocol`].
#[derive(Debug)]
pub struct ProcessPolicy {
    made_by: ProcessPolicies,
    lines: Option<Lines>,
    wants_objects: bool,
    n_late: u32,
}

impl Policy for ProcessPolicy {
    fn name(&self) -> String {
        self.made_by.name()
    }

    fn wants_objects(&self) -> bool {
        self.wants_objects
    }

    fn reset(&mut self, start: &PolicyStart<'_>) -> Result<(), PolicyError> {
        let lines = self.made_by.take()?;
        let deadline = Instant::now() + self.made_by.deadlines.first_deadline;
        self.send(&lines, &PolicyRequest::reset(start))
            .map_err(|no| self.lost(no))?;
        loop {
            let line = lines.receive(deadline).map_err(|no| self.lost(no))?;
            // A reused process may still answer the last observation of the previous episode.
            if let Answer::Ready { wants_objects } = self.parse(&line)? {
                self.wants_objects = wants_objects;
                self.lines = Some(lines);
                return Ok(());
            }
        }
    }

    fn act(&mut self, input: &PolicyInput) -> Result<Option<Action>, PolicyError> {
        let deadline = Instant::now() + self.made_by.deadlines.deadline;
        let error = match self.answer(input, deadline) {
            Ok(Ok(action)) => {
                self.n_late = 0;
                return Ok(Some(action));
            }
            Ok(Err(NoLine::Late)) if self.n_late + 1 < self.made_by.deadlines.max_late => {
                self.n_late += 1;
                return Ok(None);
            }
            Ok(Err(no_line)) => self.lost(no_line),
            Err(error) => error,
        };
        // A process that fails is not reused.
        self.lines = None;
        Err(error)
    }
}

impl ProcessPolicy {
    fn answer(
        &self,
        input: &PolicyInput,
        deadline: Instant,
    ) -> Result<Result<Action, NoLine>, PolicyError> {
        let Some(lines) = &self.lines else {
            return Err(self.error("was not reset before the episode"));
        };
        if let Err(no_line) = self.send(lines, &PolicyRequest::observe(input)) {
            return Ok(Err(no_line));
        }
        loop {
            let line = match lines.receive(deadline) {
                Ok(line) => line,
                Err(no_line) => return Ok(Err(no_line)),
            };
            match self.parse(&line)?.action() {
                Some((step, action)) if step == input.step => return Ok(Ok(action)),
                // A late answer belongs to an earlier state of the world.
                Some((step, _)) if step < input.step => {}
                Some((step, _)) => {
                    let why = format!("`step` is {step}, expected {}", input.step);
                    return Err(self.wrong(&line, &why));
                }
                None => return Err(self.wrong(&line, "expected an action")),
            }
        }
    }

    fn send(&self, lines: &Lines, request: &PolicyRequest<'_>) -> Result<(), NoLine> {
        let line = serde_json::to_string(request).map_err(|e| NoLine::Gone(e.to_string()))?;
        lines.send(line)
    }

    fn parse(&self, line: &str) -> Result<Answer, PolicyError> {
        serde_json::from_str(line).map_err(|error| self.wrong(line, &error.to_string()))
    }

    fn wrong(&self, line: &str, why: &str) -> PolicyError {
        let shown: String = line.trim_end().chars().take(SHOWN_CHARS).collect();
        self.error(&format!("answered `{shown}`: {why}"))
    }

    fn error(&self, what: &str) -> PolicyError {
        PolicyError::new(format!("`{}` {what}", self.made_by.command))
    }

    fn lost(&self, no_line: NoLine) -> PolicyError {
        let deadlines = &self.made_by.deadlines;
        let what = match (no_line, &self.lines) {
            (NoLine::Gone(why), _) => format!("has failed or ended: {why}"),
            (NoLine::Late, None) => {
                let secs = deadlines.first_deadline.as_secs_f64();
                format!("did not send `ready` within {secs:.1} s")
            }
            (NoLine::Late, Some(_)) => {
                let (secs, max_late) = (deadlines.deadline.as_secs_f64(), deadlines.max_late);
                format!("did not answer {max_late} times in a row within {secs:.2} s")
            }
        };
        self.error(&what)
    }
}

impl Drop for ProcessPolicy {
    fn drop(&mut self) {
        self.made_by.idle.lock().extend(self.lines.take());
    }
}
