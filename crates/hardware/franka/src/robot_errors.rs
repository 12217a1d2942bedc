//! Errors of the arm and the client → robot errors with figures.

use franka::{FrankaError, MoveStatus, RobotMode};
use regrasp_api::{RobotError, RobotErrorKind};

use crate::job::Abort;
use crate::safety::CollisionThresholds;
use crate::state::ArmState;

/// The client begins every text with the name of the maker's library.
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

/// What is wrong with the arm as it says itself, if anything keeps it from moving.
pub(crate) fn of_mode(
    state: &ArmState,
    thresholds: &CollisionThresholds,
    now_secs: f64,
) -> Option<RobotError> {
    let by_hand = |detail: &str| RobotError::new(RobotErrorKind::EmergencyStop, now_secs, detail);
    match state.mode {
        RobotMode::Idle | RobotMode::Move => None,
        RobotMode::Reflex => Some(of_errors(state, thresholds, now_secs)),
        RobotMode::UserStopped => Some(by_hand(
            "the user stop is pressed; release it, then recover",
        )),
        RobotMode::Guiding => Some(by_hand("somebody guides the arm by hand")),
        RobotMode::Other => Some(by_hand(
            "the arm is not ready: its brakes are closed, or control from outside is not activated",
        )),
        RobotMode::AutomaticErrorRecovery => {
            let detail = "the arm still recovers from an error";
            Some(RobotError::new(RobotErrorKind::Reflex, now_secs, detail))
        }
    }
}

/// The kind of an error of the arm, by the maker's names.
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

/// The errors that ended a motion as one: the worst decides its kind.
fn of_errors(state: &ArmState, thresholds: &CollisionThresholds, now_secs: f64) -> RobotError {
    // What ended a motion is active until somebody recovers. What is remembered of motions may name
    // older errors, too: the third party's simulator forgets none.
    let active = if state.errors.any() {
        state.errors
    } else {
        state.last_errors
    };
    let names = active.names();
    let kinds = [
        RobotErrorKind::Reflex,
        RobotErrorKind::StaleState,
        RobotErrorKind::LimitViolated,
        RobotErrorKind::StartMismatch,
    ];
    let is_there = |kind: &RobotErrorKind| names.iter().any(|name| kind_of(name) == *kind);
    let kind = kinds.into_iter().find(is_there);
    let kind = kind.unwrap_or(RobotErrorKind::Reflex);
    let list = if names.is_empty() {
        "no error named".to_owned()
    } else {
        names.join(", ")
    };
    with_figures(
        kind,
        &format!("the arm says {list}"),
        state,
        thresholds,
        now_secs,
    )
}

fn with_figures(
    kind: RobotErrorKind,
    said: &str,
    state: &ArmState,
    thresholds: &CollisionThresholds,
    now_secs: f64,
) -> RobotError {
    let (joint, torque) = ArmState::largest(&state.external_torque);
    let [x, y, z, ..] = state.wrench_in_base;
    let force = (x * x + y * y + z * z).sqrt();
    let lag = crate::checks::off(&state.q, &state.q_d);
    let (lagging, off) = ArmState::largest(&lag);
    match kind {
        RobotErrorKind::Reflex => {
            let limit = thresholds.collision_torque_nm[joint];
            let detail = format!(
                "{said}; joint {} felt {torque:.1} N m from outside (limit {limit:.0}), the tool \
                 {force:.1} N",
                joint + 1
            );
            RobotError::new(kind, now_secs, detail)
                .measured("external_torque", torque, Some(limit), "N m")
                .measured(
                    "external_force",
                    force,
                    Some(thresholds.collision_wrench[0]),
                    "N",
                )
        }
        RobotErrorKind::StaleState => {
            let detail = format!(
                "{said}; too many commands in a row did not reach the arm in time; joint {} was \
                 {off:.4} rad off its command",
                lagging + 1
            );
            let error = RobotError::new(kind, now_secs, detail);
            let error = error.measured("joint_lag", off, None, "rad");
            // Once the motion has ended, the arm tells zero.
            match state.success_rate {
                rate if rate > 0.0 => error.measured("command_success_rate", rate, None, "1"),
                _ => error,
            }
        }
        _ => {
            let detail = format!(
                "{said}; joint {} was {off:.4} rad off its command",
                lagging + 1
            );
            RobotError::new(kind, now_secs, detail).measured("joint_lag", off, None, "rad")
        }
    }
}

/// An error of the client in a motion, or in a command.
pub(crate) fn of_error(
    error: &FrankaError,
    state: &ArmState,
    thresholds: &CollisionThresholds,
    now_secs: f64,
) -> RobotError {
    let said = plain(&error.to_string());
    let new = |kind| RobotError::new(kind, now_secs, said.clone());
    match error {
        FrankaError::Control(exception) => {
            let mut state = *state;
            if exception.last_motion_errors.any() {
                state.last_errors = exception.last_motion_errors;
            }
            match exception.move_status {
                Some(
                    MoveStatus::EmergencyAborted
                    | MoveStatus::PreemptedDueToActivatedSafetyFunctions
                    | MoveStatus::CommandRejectedDueToActivatedSafetyFunctions,
                ) => new(RobotErrorKind::EmergencyStop),
                Some(MoveStatus::InputErrorAborted | MoveStatus::InvalidArgumentRejected) => {
                    with_figures(
                        RobotErrorKind::LimitViolated,
                        &said,
                        &state,
                        thresholds,
                        now_secs,
                    )
                }
                _ if state.last_errors.any() => of_errors(&state, thresholds, now_secs),
                _ => of_mode(&state, thresholds, now_secs)
                    .unwrap_or_else(|| new(RobotErrorKind::Reflex)),
            }
        }
        FrankaError::Command(_) => of_mode(state, thresholds, now_secs).unwrap_or_else(|| {
            let is_stopped = said.contains("User Stop") || said.contains("safety function");
            let kind = if is_stopped || said.contains("manual error recovery") {
                RobotErrorKind::EmergencyStop
            } else {
                RobotErrorKind::Reflex
            };
            new(kind)
        }),
        FrankaError::InvalidArgument(_) => new(RobotErrorKind::LimitViolated),
        _ => new(RobotErrorKind::LinkLost),
    }
}

/// A motion that was ended from this side.
pub(crate) fn of_abort(abort: Abort, limit_secs: (f64, f64), now_secs: f64) -> RobotError {
    let (stale_secs, lost_secs) = limit_secs;
    match abort {
        Abort::Stale { gap_ms } => stale(gap_ms as f64 * 1e-3, stale_secs, now_secs),
        Abort::LostController { silent_ms } => {
            let secs = silent_ms as f64 * 1e-3;
            let detail = format!(
                "whoever ordered the motion was not heard of for {secs:.3} s (limit {lost_secs} s)"
            );
            RobotError::new(RobotErrorKind::StaleState, now_secs, detail).measured(
                "controller_silence",
                secs,
                Some(lost_secs),
                "s",
            )
        }
        Abort::Elsewhere { joint, off } => {
            let detail = format!(
                "joint {} was moved by somebody else while the motion was made ready: {off:.5} rad",
                joint + 1
            );
            RobotError::new(RobotErrorKind::StartMismatch, now_secs, detail).measured(
                "start_offset",
                off,
                None,
                "rad",
            )
        }
        Abort::ShutDown => {
            let detail = "the connection was closed from this side";
            RobotError::new(RobotErrorKind::LinkLost, now_secs, detail)
        }
    }
}

/// A state that is too old.
pub(crate) fn stale(age_secs: f64, limit_secs: f64, now_secs: f64) -> RobotError {
    let detail = format!("the arm has sent no state for {age_secs:.3} s (limit {limit_secs} s)");
    RobotError::new(RobotErrorKind::StaleState, now_secs, detail).measured(
        "state_age",
        age_secs,
        Some(limit_secs),
        "s",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use franka::{ControlException, Errors, RobotState};

    #[test]
    fn each_error_of_the_arm_is_a_fault_with_a_figure() {
        let thresholds = CollisionThresholds::default();
        for (name, kind) in [
            ("cartesian_reflex", RobotErrorKind::Reflex),
            (
                "communication_constraints_violation",
                RobotErrorKind::StaleState,
            ),
            (
                "joint_motion_generator_velocity_limits_violation",
                RobotErrorKind::LimitViolated,
            ),
            (
                "joint_motion_generator_acceleration_discontinuity",
                RobotErrorKind::LimitViolated,
            ),
            (
                "joint_position_motion_generator_start_pose_invalid",
                RobotErrorKind::StartMismatch,
            ),
            ("power_limit_violation", RobotErrorKind::LimitViolated),
        ] {
            let mut errors = Errors::default();
            errors.0[Errors::index_of(name).expect("a name of the maker's")] = true;
            let mut exception = ControlException::new("libfranka: Move command aborted!");
            exception.move_status = Some(MoveStatus::ReflexAborted);
            exception.last_motion_errors = errors;
            let state = ArmState::new(&RobotState::default(), 0);
            let error = of_error(&exception.into(), &state, &thresholds, 3.0);
            assert_eq!(error.kind, kind, "{name}: {error}");
            assert!(error.detail.contains(name), "{error}");
            assert!(!error.measured.is_empty(), "{name}");
        }
    }

    #[test]
    fn texts_do_not_name_another_library() {
        assert_eq!(
            plain("libfranka: server closed connection"),
            "server closed connection"
        );
        assert_eq!(
            plain("libfranka gripper: Command failed!"),
            "Command failed"
        );
    }
}
