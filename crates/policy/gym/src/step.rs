//! A step of an environment.

use regrasp::api::{Failure, GripperAction, PolicyError};
use regrasp::ground_truth::{Evidence, GroundTruth, Success};

use crate::control::{moved, set_target};
use crate::episode::Episode;
use crate::{Env, EnvError, Observed, Result, RewardMode, progress};

/// Result of a step.
#[derive(Clone, Debug)]
pub struct Stepped {
    /// Observation after the step.
    pub observed: Observed,
    /// Reward of the step.
    pub reward: f64,
    /// Set if the task is done.
    pub terminated: bool,
    /// Set if the episode was cut off before the task was done.
    pub truncated: bool,
    /// Verdict and figures for `info` of Gymnasium.
    pub info: Info,
}

/// Further information on an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// Set if the task is done according to the benchmark's judge.
    pub success: bool,
    /// Each condition as text, with the finding if it does not hold.
    pub conditions: Vec<(String, Option<String>)>,
    /// Slug of why the robot stopped, the episode was truncated, or the start is not at rest.
    pub reason: Option<String>,
    /// Reason in a sentence with values; empty if there is none.
    pub detail: String,
    /// Seed of the instance.
    pub instance: u64,
    /// Prompt of the task.
    pub prompt: String,
    /// Simulated time, s.
    pub time_secs: f64,
    /// Number of steps so far.
    pub n_steps: u64,
}

impl Env {
    /// Executes one action for one control period.
    ///
    /// Components outside of the action space are clipped.
    ///
    /// # Errors
    ///
    /// [`EnvError`] if the episode is over, or the action has the wrong length or a component that
    /// is not finite; then nothing moves. Also if the robot does not respond.
    pub fn step(&mut self, action: &[f64]) -> Result<Stepped, EnvError> {
        let episode = self.episode.as_mut().ok_or(EnvError::NOT_RESET)?;
        if episode.is_over {
            return Err(EnvError::NotRunning("the episode is over; call `reset`"));
        }
        let action = self.space.clip(action)?;
        let broken = episode.carry_out(&action, &self.options)?;
        episode.n_steps += 1;
        let truth = episode.truth.truth();
        let success = episode.has_succeeded(&truth);
        let mut info = episode.info(&truth, success);
        let stopped = episode.steering.take_stopped();
        let is_late = episode.n_steps >= episode.max_steps;
        if let Some(failure) = broken.as_ref().or(stopped.as_ref()) {
            info.reason = Some(failure.reason.slug().to_owned());
            info.detail = failure.detail.to_string();
        } else if is_late && !success {
            info.reason = Some("timeout".to_owned());
            info.detail = format!(
                "{} steps passed (limit {})",
                episode.n_steps, episode.max_steps
            );
        }
        let reward = match self.options.reward {
            RewardMode::None => 0.0,
            RewardMode::Sparse => f64::from(u8::from(success)),
            RewardMode::Dense if success => 1.0,
            RewardMode::Dense => {
                let seen = Evidence {
                    first: &episode.first,
                    last: &truth,
                    // Nothing has held for any time yet.
                    after: Some(&[]),
                };
                progress(&episode.instance.success, &seen)
            }
        };
        let truncated = !success && (is_late || broken.is_some());
        episode.is_over = success || truncated;
        Ok(Stepped {
            observed: episode.observed(&self.layout, &self.options)?,
            reward,
            terminated: success,
            truncated,
            info,
        })
    }
}

impl Episode {
    /// Executes an action. Returns the failure if the episode cannot continue.
    fn carry_out(
        &mut self,
        action: &[f64],
        options: &crate::EnvOptions,
    ) -> Result<Option<Failure>> {
        let bad = |error: PolicyError| EnvError::BadAction(error.detail);
        let period_secs = options.rate_hz.recip();
        let (robot, steering) = (&mut self.cell.robot, &mut self.steering);
        let (arm, fingers) = action.split_at(action.len() - 1);
        let (fingers, hand) = (fingers[0], &robot.info.gripper);
        let open = GripperAction::WidthM(hand.max_width_m);
        let close = GripperAction::ForceN(hand.default_force_n);
        let gripper = match &self.servo_goal {
            None if fingers > 0.0 => Some(open),
            None => Some(close),
            Some(_) if fingers < 0.0 => Some(open),
            Some(_) if fingers > 0.0 => Some(close),
            // 0 keeps the last command.
            Some(_) => None,
        };
        if self.servo_goal.is_none() {
            set_target(robot, steering, options.control, arm)?;
        }
        if let Some(gripper) = gripper
            && let Err(failure) = steering.grip(robot, gripper).map_err(bad)?
        {
            return Ok(Some(failure));
        }
        let Some((servo_goal, terms)) = &mut self.servo_goal else {
            let advanced = steering.advance(robot, period_secs);
            return Ok(advanced.map_err(bad)?.err());
        };
        let advanced = servo_goal.world_from_point(robot).and_then(|from| {
            let goal = moved(&from, arm, terms.step_m, terms.turn_rad);
            servo_goal.set(robot, goal)?;
            servo_goal.advance(robot, period_secs)
        });
        Ok(advanced.err())
    }

    /// Returns true if the task is done and its condition has held for the required time.
    fn has_succeeded(&mut self, truth: &GroundTruth) -> bool {
        if self.instance.expected_failure.is_some() {
            return false;
        }
        let success = &self.instance.success;
        let watch_secs = success.watch_secs();
        if watch_secs > 0.0 {
            if let Some((held, after)) = self.since.split_first() {
                let after: Vec<_> = after.iter().chain([truth]).cloned().collect();
                let seen = Evidence {
                    first: &self.first,
                    last: held,
                    after: Some(&after),
                };
                let is_long = truth.time_secs - held.time_secs >= watch_secs - 1e-9;
                if is_long && success.unmet_in(&seen).is_empty() {
                    return true;
                }
            }
            if success.unmet(&self.first, truth).is_empty() {
                self.since.push(truth.clone());
            } else {
                self.since.clear();
            }
            return false;
        }
        success.unmet(&self.first, truth).is_empty()
    }

    pub(crate) fn info(&self, truth: &GroundTruth, success: bool) -> Info {
        let parts = match &self.instance.success {
            Success::All(all) => all.0.iter().collect(),
            one => vec![one],
        };
        let conditions = parts.into_iter().map(|part| {
            let unmet = part.unmet(&self.first, truth);
            let found: Vec<_> = unmet.into_iter().map(|unmet| unmet.found).collect();
            let found = (!found.is_empty()).then(|| found.join("; "));
            (part.to_string(), found)
        });
        Info {
            success,
            conditions: conditions.collect(),
            reason: None,
            detail: String::new(),
            instance: self.instance.seed,
            prompt: self.instance.prompt.clone(),
            time_secs: truth.time_secs,
            n_steps: self.n_steps,
        }
    }
}
