//! Conversion of errors of the arm and the client to robot errors with figures.

use franka::{FrankaError, MoveStatus, RobotMode};
use regrasp_api::{RobotError, RobotErrorKind};

use crate::{Abort, ArmState, CollisionThresholds, off};

/// Text of the client library, without the library's name at the beginning.
pub(crate) fn plain(text: &str) -> String {
    let text = text.trim_start_matches("libfranka");
    let text = text
        .trim_start_matches(" robot")
        .trim_start_matches(" gripper");
    text.trim_start_matches(':')
        .trim()
        .trim_end_matches('!')
        .to_owned()
}

/// State and limits of the arm, used to explain its errors.
pub(crate) struct Diagnosis<'a> {
    pub(crate) state: ArmState,
    pub(crate) thresholds: &'a CollisionThresholds,
    pub(crate) now_secs: f64,
}

impl Diagnosis<'_> {
    fn error(&self, kind: RobotErrorKind, detail: impl Into<String>) -> RobotError {
        RobotError::new(kind, self.now_secs, detail)
    }

    /// Returns the error that keeps the arm from moving, if its mode reports one.
    pub(crate) fn of_mode(&self) -> Option<RobotError> {
        let by_hand = |detail: &str| Some(self.error(RobotErrorKind::EmergencyStop, detail));
        match self.state.wire.robot_mode {
            RobotMode::Idle | RobotMode::Move => None,
            RobotMode::Reflex => Some(self.of_errors()),
            RobotMode::UserStopped => by_hand("the user stop is pressed; release it, then recover"),
            RobotMode::Guiding => by_hand("the arm is being guided by hand"),
            RobotMode::Other => by_hand(
                "the arm is not ready: its brakes are closed, or external control is not activated",
            ),
            RobotMode::AutomaticErrorRecovery => {
                let detail = "the arm is still recovering from an error";
                Some(self.error(RobotErrorKind::Reflex, detail))
            }
        }
    }

    /// Merges the errors that ended a motion into one; the worst decides its kind.
    fn of_errors(&self) -> RobotError {
        let state = &self.state.wire;
        // The error that ended a motion stays active until the arm recovers. The list of the last
        // motion's errors may have older ones, too: a third-party simulator never clears it.
        let names = match state.current_errors.any() {
            true => state.current_errors.names(),
            false => state.last_motion_errors.names(),
        };
        let kinds = [
            RobotErrorKind::Reflex,
            RobotErrorKind::StaleState,
            RobotErrorKind::LimitViolated,
            RobotErrorKind::StartMismatch,
        ];
        let is_there = |kind: &RobotErrorKind| names.iter().any(|name| kind_of(name) == *kind);
        let kind = kinds.into_iter().find(is_there);
        let kind = kind.unwrap_or(RobotErrorKind::Reflex);
        let list = match names.is_empty() {
            true => "no error named".to_owned(),
            false => names.join(", "),
        };
        self.with_figures(kind, &format!("the arm reports {list}"))
    }

    fn with_figures(&self, kind: RobotErrorKind, message: &str) -> RobotError {
        let (state, thresholds) = (&self.state.wire, self.thresholds);
        let (joint, torque) = ArmState::largest(&state.tau_ext_hat_filtered);
        let [x, y, z, ..] = state.O_F_ext_hat_K;
        let force = (x * x + y * y + z * z).sqrt();
        let (lagging, off) = ArmState::largest(&off(&state.q, &state.q_d));
        let lag = format!("joint {} was {off:.4} rad off its command", lagging + 1);
        match kind {
            RobotErrorKind::Reflex => {
                let limit = thresholds.collision_torque_nm[joint];
                let detail = format!(
                    "{message}; joint {} had {torque:.1} N m of external torque (limit {limit:.0}), \
                     the tool {force:.1} N of external force",
                    joint + 1
                );
                let force_limit = Some(thresholds.collision_wrench[0]);
                self.error(kind, detail)
                    .measured("external_torque", torque, Some(limit), "N m")
                    .measured("external_force", force, force_limit, "N")
            }
            RobotErrorKind::StaleState => {
                let detail = format!(
                    "{message}; too many commands in a row did not reach the arm in time; {lag}"
                );
                let error = self.error(kind, detail);
                let error = error.measured("joint_lag", off, None, "rad");
                // After the motion's end the arm reports zero.
                match state.control_command_success_rate {
                    rate if rate > 0.0 => error.measured("command_success_rate", rate, None, "1"),
                    _ => error,
                }
            }
            _ => {
                let detail = format!("{message}; {lag}");
                self.error(kind, detail)
                    .measured("joint_lag", off, None, "rad")
            }
        }
    }

    pub(crate) fn of_error(mut self, error: &FrankaError) -> RobotError {
        let message = plain(&error.to_string());
        let new = |kind| RobotError::new(kind, self.now_secs, message.clone());
        match error {
            FrankaError::Control(exception) => {
                let last = &mut self.state.wire.last_motion_errors;
                if exception.last_motion_errors.any() {
                    *last = exception.last_motion_errors;
                }
                let has_errors = last.any();
                match exception.move_status {
                    Some(
                        MoveStatus::EmergencyAborted
                        | MoveStatus::PreemptedDueToActivatedSafetyFunctions
                        | MoveStatus::CommandRejectedDueToActivatedSafetyFunctions,
                    ) => new(RobotErrorKind::EmergencyStop),
                    Some(MoveStatus::InputErrorAborted | MoveStatus::InvalidArgumentRejected) => {
                        self.with_figures(RobotErrorKind::LimitViolated, &message)
                    }
                    _ if has_errors => self.of_errors(),
                    _ => self
                        .of_mode()
                        .unwrap_or_else(|| new(RobotErrorKind::Reflex)),
                }
            }
            FrankaError::Command(_) => self.of_mode().unwrap_or_else(|| {
                let by_hand = ["User Stop", "safety function", "manual error recovery"];
                new(match by_hand.iter().any(|words| message.contains(words)) {
                    true => RobotErrorKind::EmergencyStop,
                    false => RobotErrorKind::Reflex,
                })
            }),
            FrankaError::InvalidArgument(_) => new(RobotErrorKind::LimitViolated),
            _ => new(RobotErrorKind::LinkLost),
        }
    }
}

fn kind_of(name: &str) -> RobotErrorKind {
    match name {
        "joint_reflex"
        | "cartesian_reflex"
        | "force_control_safety_violation"
        | "self_collision_avoidance_violation"
        | "tau_J_range_violation"
        | "instability_detected" => RobotErrorKind::Reflex,
        "communication_constraints_violation" => RobotErrorKind::StaleState,
        "joint_position_motion_generator_start_pose_invalid"
        | "cartesian_position_motion_generator_start_pose_invalid" => RobotErrorKind::StartMismatch,
        _ => RobotErrorKind::LimitViolated,
    }
}

/// Error for a motion that this program ended.
pub(crate) fn of_abort(abort: Abort, limit_secs: (f64, f64), now_secs: f64) -> RobotError {
    let (stale_secs, lost_secs) = limit_secs;
    let new = |kind, detail| RobotError::new(kind, now_secs, detail);
    match abort {
        Abort::Stale { gap_ms } => stale(gap_ms as f64 * 1e-3, stale_secs, now_secs),
        Abort::LostController { silent_ms } => {
            let secs = silent_ms as f64 * 1e-3;
            let detail = format!(
                "the program that commands the motion did not respond for {secs:.3} s (limit \
                 {lost_secs} s)"
            );
            let error = new(RobotErrorKind::StaleState, detail);
            error.measured("controller_silence", secs, Some(lost_secs), "s")
        }
        Abort::Elsewhere { joint, off } => {
            let detail = format!(
                "joint {} moved by {off:.5} rad while the motion was prepared",
                joint + 1
            );
            let error = new(RobotErrorKind::StartMismatch, detail);
            error.measured("start_offset", off, None, "rad")
        }
        Abort::ShutDown => {
            let detail = "this program closed the connection".to_owned();
            new(RobotErrorKind::LinkLost, detail)
        }
    }
}

pub(crate) fn stale(age_secs: f64, limit_secs: f64, now_secs: f64) -> RobotError {
    let detail = format!("the arm has sent no state for {age_secs:.3} s (limit {limit_secs} s)");
    let error = RobotError::new(RobotErrorKind::StaleState, now_secs, detail);
    error.measured("state_age", age_secs, Some(limit_secs), "s")
}

#[cfg(test)]
mod tests {
    use super::*;
    use franka::{ControlException, Errors, RobotState};
    use regrasp_testkit::rows;

    #[test]
    fn each_error_of_the_arm_is_a_fault_with_a_figure() {
        let thresholds = CollisionThresholds::default();
        for [kind, name] in rows(
            "Reflex        | cartesian_reflex
             StaleState    | communication_constraints_violation
             LimitViolated | joint_motion_generator_velocity_limits_violation
             LimitViolated | joint_motion_generator_acceleration_discontinuity
             StartMismatch | joint_position_motion_generator_start_pose_invalid
             LimitViolated | power_limit_violation",
        ) {
            let mut errors = Errors::default();
            errors.0[Errors::index_of(&name).expect("a name of the maker's")] = true;
            let mut exception = ControlException::new("libfranka: Move command aborted!");
            exception.move_status = Some(MoveStatus::ReflexAborted);
            exception.last_motion_errors = errors;
            let diagnosis = Diagnosis {
                state: ArmState {
                    received_ns: 0,
                    wire: RobotState::default(),
                },
                thresholds: &thresholds,
                now_secs: 3.0,
            };
            let error = diagnosis.of_error(&exception.into());
            assert_eq!(format!("{:?}", error.kind), kind, "{name}: {error}");
            assert!(error.detail.contains(&name), "{error}");
            assert!(!error.measured.is_empty(), "{name}");
        }
    }

    #[test]
    fn texts_do_not_name_another_library() {
        let closed = plain("libfranka: server closed connection");
        assert_eq!(closed, "server closed connection");
        let failed = plain("libfranka gripper: Command failed!");
        assert_eq!(failed, "Command failed");
    }
}
