//! Frames and states of either protocol version.

use franka::wire::robot::{v5, v10};
use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, F64};

use super::arm::Arm;

macro_rules! encode {
    ($version:ident, $arm:expr, $float:ty, $cast:ty) => {{
        let arm: &Arm = $arm;
        let is_moving = arm.moving.is_some();
        let floats = |values: [f64; 7]| values.map(|v| <$float>::new(v as $cast));
        let mut state = $version::RobotState {
            message_id: arm.time_ms.into(),
            q: floats(arm.q),
            dq: floats(arm.dq),
            q_d: floats(arm.q_d),
            dq_d: floats(arm.dq_d),
            ddq_d: floats(arm.ddq_d),
            tau_ext_hat_filtered: floats(arm.external_torque),
            O_F_ext_hat_K: arm.wrench.map(|v| <$float>::new(v as $cast)),
            motion_generator_mode: u8::from(is_moving),
            controller_mode: if is_moving { 0 } else { 3 },
            robot_mode: arm.mode,
            control_command_success_rate: <$float>::new(arm.success_rate as $cast),
            ..$version::RobotState::default()
        };
        if let Some(error) = arm.reflex {
            state.errors[error] = 1;
            state.reflex_reason[error] = 1;
        }
        state.as_bytes().to_vec()
    }};
}

/// Encodes a state in the arm's version of the protocol.
pub(super) fn encode(arm: &Arm) -> Vec<u8> {
    if arm.version == 5 {
        encode!(v5, arm, F64, f64)
    } else {
        encode!(v10, arm, F32, f32)
    }
}

/// Decodes a command: the state that it answers, the position, and true if it is the last.
pub(crate) fn decode_command(bytes: &[u8]) -> Option<(u64, [f64; 7], bool)> {
    let id = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
    let mut position = [0.0; 7];
    for (i, value) in position.iter_mut().enumerate() {
        let at = 8 + 8 * i;
        *value = f64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?);
    }
    // After 7 + 7 + 16 + 6 + 2 numbers and the flag of the elbow.
    let finished = *bytes.get(8 + 8 * 38 + 1)? != 0;
    Some((id, position, finished))
}
