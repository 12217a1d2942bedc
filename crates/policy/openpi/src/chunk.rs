//! Chunks of actions: parsing, and conversion of rows to and from actions.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{Action, GripperAction, Pose};

use crate::sense::number;
use crate::{ArmAction, Between, Body, Dialect, GripperLayout, Mapping, NdArray, Sensed, Value};

const MAX_ROWS: usize = 10_000;
/// Closure of the gripper from which a number means a grip with force: 0 is open, 1 closed.
const PRESSES_ABOVE: f64 = 0.98;

/// Parses the rows that are to be executed.
///
/// # Errors
///
/// A message with the received and the expected content.
pub(crate) fn read(
    mapping: &Mapping,
    reply: &Value,
    n_joints: usize,
) -> Result<Vec<Vec<f64>>, String> {
    let layout = &mapping.actions;
    let key = &layout.key;
    let n_numbers = mapping.n_numbers(n_joints);
    let is_roboarena = mapping.dialect == Dialect::Roboarena;
    let bare = Some(reply).filter(|it| is_roboarena && matches!(it, Value::Array(_)));
    let Some(value) = bare.or_else(|| reply.get(key)) else {
        return Err(format!("expected `{key}`, got {}", reply.described()));
    };
    let wrong = |found: String| {
        let arm = mapping.n_arm_numbers(n_joints);
        let gripper = layout
            .gripper
            .as_ref()
            .map_or("", |_| ", then 1 for the gripper");
        format!(
            "`{key}` is {found}; expected rows of {n_numbers} numbers ({arm} for the arm{gripper})"
        )
    };
    let rows = rows(value).ok_or_else(|| wrong(value.described()))?;
    if let Some(row) = rows.iter().find(|row| row.len() != n_numbers) {
        let n = row.len();
        return Err(wrong(format!("{} (rows of {n})", value.described())));
    }
    let (n_rows, horizon) = (rows.len(), mapping.horizon);
    if n_rows < horizon && !is_roboarena {
        return Err(format!(
            "`{key}` has {n_rows} actions, fewer than the `horizon` of the mapping, {horizon}"
        ));
    }
    let rows: Vec<Vec<f64>> = rows.into_iter().take(horizon).collect();
    for (i, row) in rows.iter().enumerate() {
        if let Some(number) = row.iter().find(|number| !number.is_finite()) {
            return Err(format!(
                "action {i} of `{key}` holds {number}: expected finite numbers"
            ));
        }
    }
    Ok(rows)
}

/// Returns the rows of an N x M array or of a list of lists; `None` for anything else.
fn rows(value: &Value) -> Option<Vec<Vec<f64>>> {
    match value {
        Value::Array(array) => {
            let &[n_rows, n_columns] = array.shape() else {
                return None;
            };
            if n_columns == 0 || n_rows > MAX_ROWS {
                return None;
            }
            let numbers: Vec<f64> = array.numbers().collect();
            let rows = numbers.chunks_exact(n_columns).map(<[f64]>::to_vec);
            Some(rows.collect())
        }
        Value::List(rows) if rows.len() <= MAX_ROWS => rows.iter().map(row).collect(),
        _ => None,
    }
}

fn row(value: &Value) -> Option<Vec<f64>> {
    match value {
        Value::List(numbers) => numbers.iter().map(number).collect(),
        Value::Array(array) if array.shape().len() == 1 => Some(array.numbers().collect()),
        _ => None,
    }
}

/// Converts a row to an action, given the current state of the arm.
pub(crate) fn action(mapping: &Mapping, row: &[f64], sensed: &Sensed, body: &Body) -> Action {
    let layout = &mapping.actions;
    let clipped = |number: f64| layout.clip.map_or(number, |clip| number.clamp(-clip, clip));
    let n_arm = mapping.n_arm_numbers(body.n_joints);
    let arm: Vec<f64> = row[..n_arm].iter().map(|n| clipped(*n)).collect();
    let gripper = layout.gripper.as_ref();
    let gripper = gripper
        .zip(row.get(n_arm))
        .and_then(|(layout, n)| layout.action(*n, body));
    let moved = |per_number: f64| {
        let numbers = sensed.joints.iter().zip(&arm);
        numbers.map(|(q, n)| q + per_number * n).collect()
    };
    let joint_positions: Vec<f64> = match layout.arm {
        ArmAction::JointPosition => arm.iter().map(|n| layout.scale * n).collect(),
        ArmAction::JointDelta => moved(layout.scale),
        ArmAction::JointVelocity => moved(layout.scale / mapping.rate_hz),
        ArmAction::ToolDelta => {
            let pose = body.in_frame(mapping.frame, &sensed.world_from_tool);
            let by = Vector3::new(arm[0], arm[1], arm[2]) * layout.scale;
            let turn = Vector3::new(arm[3], arm[4], arm[5]) * layout.turn_scale;
            let at = Translation3::from(pose.translation.vector + by);
            let turn = UnitQuaternion::from_scaled_axis(turn);
            let to = Pose::from_parts(at, turn * pose.rotation);
            return Action::MoveTool {
                world_from_tool: body.in_world(mapping.frame, &to),
                gripper,
            };
        }
    };
    Action::Move {
        joint_positions: Some(joint_positions),
        gripper,
    }
}

impl GripperLayout {
    /// Converts a number to a gripper action; `None` if the last command remains.
    fn action(&self, number: f64, body: &Body) -> Option<GripperAction> {
        let closed = ((number - self.open) / (self.closed - self.open)).clamp(0.0, 1.0);
        let press = GripperAction::ForceN(self.force_n.unwrap_or(body.force_n));
        match self.between {
            Between::Width if closed < PRESSES_ABOVE => {
                Some(GripperAction::WidthM(body.width(closed)))
            }
            Between::Width => Some(press),
            Between::Nearer if (closed - 0.5).abs() < 1e-9 => None,
            Between::Nearer if closed < 0.5 => Some(GripperAction::WidthM(body.width(0.0))),
            Between::Nearer => Some(press),
        }
    }

    fn number(&self, wanted: GripperAction, body: &Body) -> f64 {
        let closed = match (wanted, self.between) {
            (GripperAction::ForceN(_), _) => 1.0,
            (GripperAction::WidthM(width), Between::Width) => {
                // Stay below the threshold above which the gripper grips with force.
                body.closed(width).clamp(0.0, PRESSES_ABOVE - 0.01)
            }
            (GripperAction::WidthM(width), Between::Nearer) => {
                f64::from(u8::from(body.closed(width) > 0.75))
            }
        };
        self.open + closed * (self.closed - self.open)
    }
}

/// Current and target state, to be converted to a row; the inverse of [`action`].
pub(crate) struct Step<'a> {
    /// Current joint positions, if observed.
    pub(crate) joints: Option<&'a [f64]>,
    /// Current tool pose in the mapping's frame, if observed.
    pub(crate) tool: Option<Pose>,
    pub(crate) to_joints: &'a [f64],
    /// Target tool pose in World.
    pub(crate) world_to_tool: &'a Pose,
    pub(crate) gripper: GripperAction,
}

/// Converts a step to a row.
///
/// # Errors
///
/// If the observation lacks a value that the conversion needs.
pub(crate) fn row_for(mapping: &Mapping, step: &Step<'_>, body: &Body) -> Result<Vec<f64>, String> {
    let layout = &mapping.actions;
    let unreported = |what: &str| {
        format!(
            "the mapping `{}` has actions that change {what}, but no `state` that reports it",
            mapping.name
        )
    };
    let change = |per_number: f64| -> Result<Vec<f64>, String> {
        let from = step.joints.ok_or_else(|| unreported("the joints"))?;
        let pairs = step.to_joints.iter().zip(from);
        Ok(pairs.map(|(to, from)| (to - from) / per_number).collect())
    };
    let mut row = match layout.arm {
        ArmAction::JointPosition => step.to_joints.iter().map(|q| q / layout.scale).collect(),
        ArmAction::JointDelta => change(layout.scale)?,
        ArmAction::JointVelocity => change(layout.scale / mapping.rate_hz)?,
        ArmAction::ToolDelta => {
            let from = step.tool.ok_or_else(|| unreported("the tool's pose"))?;
            let to = body.in_frame(mapping.frame, step.world_to_tool);
            let by = (to.translation.vector - from.translation.vector) / layout.scale;
            let turn = (to.rotation * from.rotation.inverse()).scaled_axis() / layout.turn_scale;
            by.iter().chain(turn.iter()).copied().collect()
        }
    };
    if let Some(clip) = layout.clip {
        // All components are scaled equally, which keeps the direction.
        let largest = row.iter().fold(clip, |most, n: &f64| most.max(n.abs()));
        row.iter_mut().for_each(|n| *n *= clip / largest);
    }
    if let Some(gripper) = &layout.gripper {
        row.push(gripper.number(step.gripper, body));
    }
    Ok(row)
}

pub(crate) fn array(rows: &[Vec<f64>]) -> Value {
    let n_numbers = rows.first().map_or(0, Vec::len);
    Value::Array(NdArray::f64(&[rows.len(), n_numbers], &rows.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sense::tests::{body, sensed};

    fn mapping(name: &str) -> Mapping {
        Mapping::load(name).expect("a built-in mapping")
    }

    #[test]
    fn rows_are_made_and_read_alike() {
        let (body, sensed) = (body(), sensed());
        let to_joints = [0.11, -0.22, 0.33];
        let turn = Vector3::new(0.02, 0.0, -0.01);
        let by = Pose::new(Vector3::new(0.01, -0.02, 0.005), turn);
        let world_to_tool = Pose::from_parts(
            Translation3::from(sensed.world_from_tool.translation.vector + by.translation.vector),
            by.rotation * sensed.world_from_tool.rotation,
        );
        for name in Mapping::built_in() {
            let mapping = mapping(name);
            let step = Step {
                joints: Some(&sensed.joints),
                tool: Some(body.in_frame(mapping.frame, &sensed.world_from_tool)),
                to_joints: &to_joints,
                world_to_tool: &world_to_tool,
                gripper: GripperAction::ForceN(5.0),
            };
            let row = row_for(&mapping, &step, &body).expect("a complete observation");
            assert_eq!(row.len(), mapping.n_numbers(3), "{name}");
            let press = Some(GripperAction::ForceN(20.0));
            match action(&mapping, &row, &sensed, &body) {
                Action::Move {
                    joint_positions,
                    gripper,
                } => {
                    let joints = joint_positions.expect("joint targets");
                    let off = joints.iter().zip(to_joints).map(|(a, b)| (a - b).abs());
                    assert!(off.fold(0.0, f64::max) < 1e-9, "{name}: {joints:?}");
                    assert_eq!(gripper, press);
                }
                Action::MoveTool {
                    world_from_tool,
                    gripper,
                } => {
                    let off = world_from_tool.inverse() * world_to_tool;
                    assert!(off.translation.vector.norm() < 1e-9, "{off:?}");
                    assert!(off.rotation.angle() < 1e-9, "{off:?}");
                    assert_eq!(gripper, press);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_gripper_opens_holds_and_presses_by_its_convention() {
        let body = body();
        let check = |name: &str, number: f64, wanted: Option<GripperAction>| {
            let layout = mapping(name).actions.gripper.expect("a gripper layout");
            assert_eq!(layout.action(number, &body), wanted, "{name} {number}");
        };
        let open = Some(GripperAction::WidthM(0.08));
        let press = Some(GripperAction::ForceN(20.0));
        check("libero", -1.0, open);
        check("libero", -0.2, open);
        check("libero", 0.0, None);
        check("libero", 7.0, press);
        check("droid", 0.49, open);
        check("droid", 0.51, press);
        check("joints", 0.5, Some(GripperAction::WidthM(0.04)));
        check("joints", 1.0, press);
    }

    #[test]
    fn a_change_that_is_too_large_is_cut() {
        let mapping = mapping("droid");
        let (body, sensed) = (body(), sensed());
        let Action::Move {
            joint_positions: Some(joints),
            ..
        } = action(&mapping, &[5.0, -0.5, 0.0, 0.0], &sensed, &body)
        else {
            panic!("expected a joint motion");
        };
        assert!((joints[0] - 0.3).abs() < 1e-12, "{joints:?}");
        assert!((joints[1] + 0.3).abs() < 1e-12, "{joints:?}");
    }

    #[test]
    fn a_chunk_that_does_not_fit_says_what_there_was() {
        let mapping = mapping("joints");
        let check = |reply: Value, says: &str| {
            let error = read(&mapping, &reply, 3).expect_err(says);
            assert!(error.contains(says), "{error}");
        };
        let actions = |shape: &[usize], numbers: &[f64]| {
            Value::map([("actions", Value::Array(NdArray::f64(shape, numbers)))])
        };
        check(Value::map([("action", Value::Nil)]), "a map with action");
        check(Value::Nil, "got nil");
        let narrow = "[8, 7] of <f8 (rows of 7); expected rows of 4 numbers";
        check(actions(&[8, 7], &[0.0; 56]), narrow);
        let flat = "an array [32] of <f8; expected rows of 4 numbers";
        check(actions(&[32], &[0.0; 32]), flat);
        let few = "has 3 actions, fewer than";
        check(actions(&[3, 4], &[0.0; 12]), few);
        let not_finite = "action 0 of `actions` holds NaN";
        check(actions(&[8, 4], &[f64::NAN; 32]), not_finite);
        let text = Value::map([("actions", Value::text("left"))]);
        check(text, "the text `left`");
        let ragged = Value::List(vec![Value::List(vec![Value::Int(0)]); 8]);
        check(Value::map([("actions", ragged)]), "rows of 1");
        let plain = Value::List(vec![Value::List(vec![Value::Int(0); 4]); 9]);
        let rows = read(&mapping, &Value::map([("actions", plain)]), 3);
        assert_eq!(rows.expect("lists are as good").len(), 8);
    }
}
