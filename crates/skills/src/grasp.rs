//! Ways to take hold of an object from above, from its shape alone.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use regrasp_api::{Failure, GripperInfo, PerceivedObject, Pose, Reason};

/// A way to hold an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// Where the tool is when the fingers close; they close along tool y.
    pub world_from_tool: Pose,
    /// Width of the object between the fingers, m.
    pub width_m: f64,
}

/// Directions tried for the fingers, over half a turn.
const N_DIRECTIONS: usize = 36;
/// A direction counts as flat contact if turning by one step either way makes the
/// object at least this much wider, m; round objects have no such direction.
const FLATNESS_M: f64 = 1e-6;
/// Space that the open fingers need beyond the object, in all, m.
const OPENING_RESERVE_M: f64 = 0.006;
/// Distance kept between fingertips and what the object stands on, m.
const TIP_CLEARANCE_M: f64 = 0.003;
/// Distance kept between palm and object, m.
const PALM_CLEARANCE_M: f64 = 0.003;
/// Least height of the object that must be between the pads, m.
const LEAST_OVERLAP_M: f64 = 0.005;

/// Angles by which the hand leans over, about the closing direction, rad: straight
/// down first; the others reach further out, or in between neighbours.
const LEANS: [f64; 7] = [
    0.0,
    PI / 12.0,
    -PI / 12.0,
    PI / 6.0,
    -PI / 6.0,
    PI / 4.0,
    -PI / 4.0,
];

/// Every sensible grasp from above: straight down before leaning, and with the tool
/// as close as possible to its present turn `tool_yaw` (direction of tool y in
/// World, rad) first.
///
/// The fingers close where the object is locally narrowest: across the faces of a
/// box, along any direction of something round. Leaning is about that direction, so
/// the pads stay flat on the faces. A grasp holds the object at half its height
/// unless fingertips or palm would touch.
///
/// # Errors
///
/// `no_grasp_found` with how many directions were too wide, and the width.
pub fn top_grasps(
    object: &PerceivedObject,
    gripper: &GripperInfo,
    tool_yaw: f64,
) -> Result<Vec<Grasp>, Failure> {
    let narrow = narrow_directions(object);
    let widest_m = gripper.max_width_m - OPENING_RESERVE_M;
    let (fitting, too_wide): (Vec<_>, Vec<_>) =
        narrow.iter().partition(|(_, width_m)| *width_m <= widest_m);
    let least_m = narrow
        .iter()
        .map(|(_, width_m)| *width_m)
        .fold(f64::INFINITY, f64::min);
    if fitting.is_empty() {
        let text = format!(
            "{} is {least_m:.4} m wide where it is narrowest, the gripper opens {:.4} m and needs \
             {OPENING_RESERVE_M:.3} m of that to move (all {} directions too wide)",
            object.id,
            gripper.max_width_m,
            too_wide.len()
        );
        return Err(Failure::new(Reason::NoGraspFound, text)
            .about([object.id.clone()])
            .measured("width", least_m, Some(widest_m), "m"));
    }
    let mut turns: Vec<_> = fitting
        .into_iter()
        .flat_map(|(yaw, width_m)| [(yaw, width_m), (yaw + PI, width_m)])
        .collect();
    turns.sort_by(|a, b| turn(a.0, tool_yaw).total_cmp(&turn(b.0, tool_yaw)));
    let center = object.aabb_in_world().center();
    let mut grasps = Vec::new();
    for lean in LEANS {
        // What is too flat for a leaning hand may still suit a straight one.
        let height = match tool_height(object, gripper, lean) {
            Ok(height) => height,
            Err(failure) if grasps.is_empty() => return Err(failure),
            Err(_) => continue,
        };
        let position = Vector3::new(center.x, center.y, height);
        grasps.extend(turns.iter().map(|(yaw, width_m)| Grasp {
            world_from_tool: Pose::from_parts(position.into(), leaning(*yaw, lean)),
            width_m: *width_m,
        }));
    }
    Ok(grasps)
}

/// Tool orientation with tool y level at `yaw` in World, and tool z leaning from
/// straight down by `lean` about it.
fn leaning(yaw: f64, lean: f64) -> UnitQuaternion<f64> {
    pointing_down(yaw) * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), lean)
}

/// Tool orientation that looks straight down with tool y at `yaw` in World.
pub(crate) fn pointing_down(yaw: f64) -> UnitQuaternion<f64> {
    let y = Vector3::new(yaw.cos(), yaw.sin(), 0.0);
    let z = -Vector3::z();
    let axes = Matrix3::from_columns(&[y.cross(&z), y, z]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

/// Direction of tool y in World, rad.
pub(crate) fn tool_yaw(world_from_tool: &Pose) -> f64 {
    let y = world_from_tool.rotation * Vector3::y();
    y.y.atan2(y.x)
}

/// Angle between two directions, rad, 0..pi.
fn turn(a: f64, b: f64) -> f64 {
    let difference = (a - b).rem_euclid(2.0 * PI);
    difference.min(2.0 * PI - difference)
}

/// Closing directions (rad, over half a turn) at which the object is locally
/// narrowest, with its width there.
fn narrow_directions(object: &PerceivedObject) -> Vec<(f64, f64)> {
    let width = |yaw: f64| {
        let direction = Vector3::new(yaw.cos(), yaw.sin(), 0.0);
        object
            .shape
            .width_along(&object.world_from_object, &direction)
    };
    let step = PI / N_DIRECTIONS as f64;
    let sampled: Vec<f64> = (0..N_DIRECTIONS).map(|i| width(i as f64 * step)).collect();
    let around = |i: usize| {
        let (before, after) = (
            (i + N_DIRECTIONS - 1) % N_DIRECTIONS,
            (i + 1) % N_DIRECTIONS,
        );
        sampled[before].min(sampled[after])
    };
    let minima = (0..N_DIRECTIONS).filter(|i| sampled[*i] <= around(*i));
    let spread = sampled.iter().fold(0.0f64, |m, w| m.max(*w))
        - sampled.iter().fold(f64::INFINITY, |m, w| m.min(*w));
    if spread < FLATNESS_M {
        return (0..N_DIRECTIONS)
            .step_by(3)
            .map(|i| (i as f64 * step, sampled[i]))
            .collect();
    }
    let mut narrow: Vec<(f64, f64)> = minima
        .map(|i| narrowest_near(i as f64 * step, step, &width))
        .map(|yaw| (yaw, width(yaw)))
        .collect();
    narrow.sort_by(|a, b| a.1.total_cmp(&b.1));
    narrow.dedup_by(|a, b| turn(2.0 * a.0, 2.0 * b.0) < step);
    narrow
}

/// Ternary search for the minimum within one step of a sampled one.
fn narrowest_near(yaw: f64, step: f64, width: &dyn Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (yaw - step, yaw + step);
    while high - low > 1e-6 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if width(a) < width(b) {
            high = b
        } else {
            low = a
        }
    }
    0.5 * (low + high)
}

/// Height of the tool point in World, for a hand that leans by `lean`.
fn tool_height(object: &PerceivedObject, gripper: &GripperInfo, lean: f64) -> Result<f64, Failure> {
    let aabb = object.aabb_in_world();
    let (bottom, top) = (aabb.min[2], aabb.max[2]);
    // The lowest corner of a leaning pad, and the nearest point of a leaning palm.
    let pad_drop = 0.5 * gripper.pad_width_m * lean.sin().abs();
    let tips = gripper.fingertip_beyond_tool_m * lean.cos() + pad_drop;
    let palm = (gripper.finger_length_m - gripper.fingertip_beyond_tool_m) * lean.cos();
    let above_ground = bottom + tips + TIP_CLEARANCE_M;
    let below_palm = top - palm + PALM_CLEARANCE_M;
    let height = (0.5 * (bottom + top)).max(above_ground).max(below_palm);
    let overlap_m = top - (height - tips);
    if overlap_m >= LEAST_OVERLAP_M {
        return Ok(height);
    }
    let text = format!(
        "{} is only {:.4} m high: the fingers would hold {overlap_m:.4} m of it (at least \
         {LEAST_OVERLAP_M:.3} m)",
        object.id,
        top - bottom
    );
    Err(Failure::new(Reason::NoGraspFound, text)
        .about([object.id.clone()])
        .measured("overlap", overlap_m, Some(LEAST_OVERLAP_M), "m"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Translation3;
    use regrasp_api::{ObjectId, Shape};

    fn object(shape: Shape, yaw: f64) -> PerceivedObject {
        PerceivedObject {
            id: ObjectId::new("thing"),
            category: "thing".into(),
            color: None,
            shape,
            world_from_object: Pose::from_parts(
                Translation3::new(0.4, -0.1, 0.1),
                UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw),
            ),
            position_std_m: 0.0,
            movable: true,
        }
    }

    fn gripper() -> GripperInfo {
        GripperInfo {
            min_width_m: 0.0,
            max_width_m: 0.08,
            default_force_n: 20.0,
            max_force_n: 70.0,
            default_speed_m_per_s: 0.1,
            finger_links: vec![],
            fingertip_beyond_tool_m: 0.009,
            finger_length_m: 0.05,
            finger_thickness_m: 0.02,
            pad_width_m: 0.02,
        }
    }

    #[test]
    fn a_turned_cube_is_gripped_across_its_faces() {
        let yaw = 30f64.to_radians();
        let cube = object(
            Shape::Box {
                half_extents: [0.02; 3],
            },
            yaw,
        );
        let grasps = top_grasps(&cube, &gripper(), 0.4).expect("a 4 cm cube fits");
        assert_eq!(
            grasps.len(),
            4 * LEANS.len(),
            "two pairs of faces, from either side"
        );
        for grasp in &grasps[..4] {
            assert!((grasp.width_m - 0.04).abs() < 1e-6, "{}", grasp.width_m);
            let off = (4.0 * (tool_yaw(&grasp.world_from_tool) - yaw)).sin();
            assert!(off.abs() < 1e-4, "fingers stand square to the faces");
            let z = grasp.world_from_tool.rotation * Vector3::z();
            assert!((z + Vector3::z()).norm() < 1e-12, "the tool looks down");
        }
        assert!(
            turn(tool_yaw(&grasps[0].world_from_tool), 0.4) < 0.2,
            "nearest turn first"
        );
    }

    #[test]
    fn a_plank_is_gripped_across_its_narrow_side_only() {
        let plank = object(
            Shape::Box {
                half_extents: [0.1, 0.015, 0.02],
            },
            0.3,
        );
        let grasps = top_grasps(&plank, &gripper(), 0.0).expect("3 cm fit");
        assert_eq!(grasps.len(), 2 * LEANS.len());
        for grasp in &grasps {
            let closing = grasp.world_from_tool.rotation * Vector3::y();
            assert!(closing.z.abs() < 1e-12, "the pads stay flat on the faces");
        }
    }

    #[test]
    fn something_too_wide_says_how_wide() {
        let block = object(
            Shape::Box {
                half_extents: [0.045, 0.05, 0.02],
            },
            0.3,
        );
        let failure = top_grasps(&block, &gripper(), 0.0).expect_err("9 cm do not fit");
        assert_eq!(failure.reason, Reason::NoGraspFound);
        assert!(
            failure.detail.contains("0.0900 m wide"),
            "{}",
            failure.detail
        );
    }

    #[test]
    fn tall_things_are_held_near_the_top_and_flat_ones_not_at_all() {
        let can = object(
            Shape::Cylinder {
                radius: 0.03,
                half_height: 0.08,
            },
            0.0,
        );
        let grasps = top_grasps(&can, &gripper(), 0.0).expect("6 cm fit");
        let palm = grasps[0].world_from_tool.translation.z + 0.05 - 0.009;
        assert!(palm > 0.18, "the palm stays above the can, it is at {palm}");
        let card = object(
            Shape::Box {
                half_extents: [0.03, 0.03, 0.002],
            },
            0.0,
        );
        let failure = top_grasps(&card, &gripper(), 0.0).expect_err("nothing to hold");
        assert_eq!(failure.reason, Reason::NoGraspFound);
    }
}
