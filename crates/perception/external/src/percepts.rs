//! Objects reported by another process.

use regrasp_api::{Observation, Percept, Perception, PerceptionError};

use crate::check;
use crate::clock::{Clock, SystemClock};
use crate::source::{Source, SourceError};
use crate::tail::Line;
use crate::wire::PerceptLine;

/// Timing of a look.
#[derive(Clone, Copy, Debug, PartialEq, smart_default::SmartDefault)]
pub struct PerceptOptions {
    /// Time for which a look waits for a new image, s. Default 2: enough for a detector at 1 Hz.
    #[default(2.0)]
    pub wait_secs: f64,
    /// Period at which the source is read while a look waits, s. Default 0.02.
    #[default(0.02)]
    pub every_secs: f64,
}

/// Largest time by which a stamp may be in the future, s: the clocks of two computers differ
/// slightly.
const AHEAD_SECS: f64 = 0.1;

/// Perception from lines that another process writes.
///
/// A look waits for a line with an image taken after the look began. If none comes in time, it
/// fails with [`PerceptionError::Unavailable`] and the age of the newest line.
pub struct LinePerception {
    lines: Source,
    clock: Box<dyn Clock>,
    options: PerceptOptions,
}

struct LatestLine {
    line: PerceptLine,
    /// Number of changes of `sequence` since the look began.
    n_changes: u32,
}

impl LinePerception {
    /// Reads from a growing file, or from an `http://` URL that returns its newest line.
    ///
    /// # Errors
    ///
    /// [`SourceError`] if `place` is neither of them. A file or server that does not exist yet is
    /// not an error: the first look waits for it.
    pub fn open(place: &str, options: PerceptOptions) -> Result<Self, SourceError> {
        Self::with_clock(place, options, Box::new(SystemClock))
    }

    /// Reads like [`LinePerception::open`], with another clock.
    ///
    /// # Errors
    ///
    /// The errors of [`LinePerception::open`].
    pub fn with_clock(
        place: &str,
        options: PerceptOptions,
        clock: Box<dyn Clock>,
    ) -> Result<Self, SourceError> {
        Ok(Self {
            lines: Source::open(place, options.wait_secs)?,
            clock,
            options,
        })
    }

    fn read(&self, line: &Line) -> Result<PerceptLine, PerceptionError> {
        let Line { text, number } = line;
        let line = check::line(text).map_err(|problem| {
            let number = number.map_or_else(String::new, |n| format!(", line {n}"));
            let name = self.lines.name();
            unavailable(format!(
                "use {name}{number}: {problem} (`regrasp schema percepts` describes a line)"
            ))
        })?;
        let ahead_secs = line.stamp_unix_s.unwrap_or(0.0) - self.clock.unix_secs();
        if ahead_secs > AHEAD_SECS {
            return Err(unavailable(format!(
                "use {}: its newest picture is stamped {ahead_secs:.2} s in the future (limit \
                 {AHEAD_SECS} s); synchronise the clocks of both computers",
                self.lines.name()
            )));
        }
        Ok(line)
    }

    /// Returns true if the image was certainly taken after the look began.
    fn is_fresh(seen: &LatestLine, began_secs: f64) -> bool {
        match seen.line.stamp_unix_s {
            Some(stamp) => stamp >= began_secs,
            None => seen.n_changes >= 2,
        }
    }

    fn stale(
        &self,
        newest: Option<&LatestLine>,
        silence: Option<String>,
        began_secs: f64,
    ) -> PerceptionError {
        let (name, waited) = (self.lines.name(), self.options.wait_secs);
        if let Some(silence) = silence {
            return unavailable(format!("{silence}, for {waited:.1} s"));
        }
        let Some(seen) = newest else {
            return unavailable(format!(
                "read {name}: there was no complete line for {waited:.1} s; is the process that \
                 writes it running?"
            ));
        };
        let what = match seen.line.stamp_unix_s {
            Some(stamp) => format!(
                "its newest picture was {:.2} s old when the look began",
                began_secs - stamp
            ),
            None => format!(
                "its sequence ({}) advanced {} times during the look, but must advance twice for \
                 the picture to be certainly new",
                seen.line.sequence.unwrap_or_default(),
                seen.n_changes
            ),
        };
        unavailable(format!(
            "use {name}: it is stale: {what}, and nothing newer came for {waited:.1} s"
        ))
    }
}

fn unavailable(detail: String) -> PerceptionError {
    PerceptionError::Unavailable { detail }
}

impl Perception for LinePerception {
    fn name(&self) -> &str {
        "percepts"
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let began_secs = self.clock.unix_secs();
        let mut seen: Option<LatestLine> = None;
        loop {
            // Keep trying: the writer may be about to begin, or the server may be busy.
            let mut silence = None;
            let newest = match self.lines.newest() {
                Ok(newest) => newest,
                Err(why) => {
                    silence = Some(why);
                    None
                }
            };
            if let Some(line) = newest {
                let line = self.read(&line)?;
                let n_changes = seen.as_ref().map_or(0, |seen| {
                    seen.n_changes + u32::from(seen.line.sequence != line.sequence)
                });
                let newest = LatestLine { line, n_changes };
                if Self::is_fresh(&newest, began_secs) {
                    let base = &observation.world_from_base;
                    return check::percept(&newest.line, observation.time_secs, base)
                        .map_err(unavailable);
                }
                seen = Some(newest);
            }
            if self.clock.unix_secs() - began_secs >= self.options.wait_secs {
                return Err(self.stale(seen.as_ref(), silence, began_secs));
            }
            self.clock.pause(self.options.every_secs);
        }
    }
}
