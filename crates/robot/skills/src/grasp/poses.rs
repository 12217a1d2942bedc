//! Tool poses of a pinch: lean and height of the hand.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use regrasp_api::{GripperInfo, PerceivedObject, Percept, Pose, Shape};
use regrasp_motion::Body;

use super::hand::Hand;
use super::pinch::Pinch;
use super::rejections::Rejection;
use super::{
    Grasp, LEAST_OVERLAP_M, SPACES_M, comes_from_side, mass_in_object, mass_of_shape, widest_m,
};
use crate::arm::Arm;
use crate::bodies::body_of;
use crate::params::{APPROACH_M, PALM_ROOM_M};
use crate::poses::{around, level};

/// Clearance between fingertips (or a horizontal hand) and the support, m.
const GROUND_CLEARANCE_M: f64 = 0.003;
/// Difference in height below which two grasps count as the same, m.
const SAME_HEIGHT_M: f64 = 0.006;
/// Height of the object between the pads in a high grasp, m: half of a pad.
const HIGH_OVERLAP_M: f64 = 0.01;
/// Least height of a pad below the line along which it presses, m.
const BELOW_LINE_M: f64 = 0.002;
/// Number of approach directions of a pinch from above and below.
const N_HEADINGS: usize = 12;
/// Distance of a pad's middle from the end of a face, m: its middle and one half lie on the face.
const FROM_END_M: f64 = 0.005;
/// Spacing of the places between the middle of a face and its ends, m.
const BETWEEN_STEP_M: f64 = 0.015;
/// Least distance from the middle of a face to an end that gives a separate grasp, m.
const LEAST_SHIFT_M: f64 = 0.004;

/// Places along the pinched shape at which the pads press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    Middle,
    /// Anywhere between the middle of a face and its ends: a long object may require it.
    Between,
    /// Near either end of a face, where the fingers may have room if they have none at the middle.
    Ends,
}

/// An object and the hand that should grasp it.
pub(crate) struct Candidates<'a> {
    pub(crate) object: &'a PerceivedObject,
    pub(super) body: Option<Body>,
    pub(crate) gripper: GripperInfo,
    pub(crate) hand: Hand,
    /// Current direction of tool y in World, rad.
    tool_yaw: f64,
    /// Height of the support in World, m; for a handle, that of its owner's support.
    pub(crate) ground_m: f64,
    /// Assumed centre of mass, in World.
    mass_center: Vector3<f64>,
}

impl<'a> Candidates<'a> {
    pub(crate) fn of(arm: &Arm<'_>, percept: &Percept, object: &'a PerceivedObject) -> Self {
        let yaw = tool_yaw(&arm.world_from_tool());
        let mass = Point3::from(mass_in_object(percept, &object.id, &object.shape));
        Self {
            mass_center: (object.world_from_object * mass).coords,
            ..Self::new(object, &arm.robot.info.gripper, yaw)
        }
    }

    pub(crate) fn new(object: &'a PerceivedObject, gripper: &GripperInfo, tool_yaw: f64) -> Self {
        let mass = Point3::from(mass_of_shape(&object.shape));
        Self {
            object,
            body: body_of(object),
            gripper: gripper.clone(),
            hand: Hand::new(gripper),
            tool_yaw,
            ground_m: object.aabb_in_world().min[2],
            mass_center: (object.world_from_object * mass).coords,
        }
    }

    /// Returns the grasps of a level or tilted pinch by a hand that leans by `lean` (rad) about the
    /// closing direction: at the middle and, if different, near the top.
    pub(super) fn leaning(
        &self,
        pinch: &Pinch,
        lean: f64,
        along: Along,
    ) -> Vec<Result<Grasp, Rejection>> {
        let poses = hands(&pinch.closing, lean);
        let shifts = match along {
            Along::Middle => self.towards_mass(pinch),
            _ => shifts(pinch, along),
        };
        let of_pose = |rotation| match self.heights(pinch, rotation, lean) {
            // An object that is too flat is rejected once, not for every place along it.
            Err(dropped) => vec![Err(dropped); usize::from(along == Along::Middle)],
            Ok(heights) => {
                let pairs = heights
                    .iter()
                    .flat_map(|h| shifts.iter().map(move |s| (*h, s)));
                let grasps = pairs.map(|(h, shift)| self.grasp(pinch, rotation, (h, shift), lean));
                grasps.collect()
            }
        };
        poses.iter().flat_map(of_pose).collect()
    }

    /// Returns the zero shift and, for a hull, the shift along the faces that brings the pads
    /// beside the centre of mass, or as near to it as the ends of the faces allow for a whole pad:
    /// there the object's weight turns it least.
    fn towards_mass(&self, pinch: &Pinch) -> Vec<Vector3<f64>> {
        let mut shifts = vec![Vector3::zeros()];
        if is_hull(pinch) {
            let along = along_faces(pinch);
            let reach_m = |side: f64| pinch.reach_m(&pinch.center, &(side * along));
            let half_m = 0.5 * self.gripper.pad_width_m;
            let [back_m, front_m] = [-1.0, 1.0].map(|side| (reach_m(side) - half_m).max(0.0));
            let shift_m = (self.mass_center - pinch.center).dot(&along);
            let shift_m = shift_m.clamp(-back_m, front_m);
            if shift_m.abs() > LEAST_SHIFT_M {
                shifts.push(along * shift_m);
            }
        }
        shifts
    }

    /// Grasps of a pinch from above and below, by a horizontal hand.
    pub(super) fn level(&self, pinch: &Pinch) -> Vec<Result<Grasp, Rejection>> {
        around(N_HEADINGS)
            .map(|heading| {
                let rotation = with_axes(Vector3::z(), level(heading));
                let middle = (pinch.center.z, &Vector3::zeros());
                self.grasp(pinch, &rotation, middle, FRAC_PI_2)
            })
            .collect()
    }

    /// Heights of the tool point in World, m: the middle of the pinched shape if fingers and palm
    /// allow and, if clearly higher, the height at which half of each pad holds it.
    fn heights(
        &self,
        pinch: &Pinch,
        rotation: &UnitQuaternion<f64>,
        lean: f64,
    ) -> Result<Vec<f64>, Rejection> {
        let gripper = &self.gripper;
        let [bottom, top] = pinch.height_range();
        let tips = gripper.fingertip_beyond_tool_m * lean.cos();
        let above_ground = self.ground_m + self.hand.depth_m(rotation) + GROUND_CLEARANCE_M;
        let palm = (gripper.finger_length_m - gripper.fingertip_beyond_tool_m) * lean.cos();
        let low = match comes_from_side(lean) {
            true => above_ground,
            false => above_ground.max(top - palm + PALM_ROOM_M),
        };
        let high = top + tips - LEAST_OVERLAP_M;
        if low > high {
            let (width_m, overlap_m) = (pinch.width_m, top + tips - low);
            return Err(match width_m > widest_m(gripper) {
                true => Rejection::TooWide { width_m },
                false => Rejection::TooFlat { overlap_m },
            });
        }
        let middle = (0.5 * (bottom + top)).clamp(low, high);
        let upper = (top + tips - HIGH_OVERLAP_M).clamp(low, high);
        let n = 1 + usize::from(upper - middle > SAME_HEIGHT_M);
        Ok([middle, upper][..n].to_vec())
    }

    /// Height in World, m, at which pads with their middle at `height` press. If the ground keeps
    /// the pads above the middle of a low object such as a rod, their lower parts touch it at its
    /// middle, where it is widest.
    fn pressed_height(&self, pinch: &Pinch, height: f64, lean: f64) -> f64 {
        let [bottom, top] = pinch.height_range();
        let middle = 0.5 * (bottom + top);
        let tips = height - self.gripper.fingertip_beyond_tool_m * lean.cos();
        let is_under_pads = height > middle && middle > tips + BELOW_LINE_M;
        match is_under_pads && !comes_from_side(lean) {
            true => middle,
            false => height,
        }
    }

    fn grasp(
        &self,
        pinch: &Pinch,
        rotation: &UnitQuaternion<f64>,
        (height, shift): (f64, &Vector3<f64>),
        lean: f64,
    ) -> Result<Grasp, Rejection> {
        let gripper = &self.gripper;
        let widest_m = widest_m(gripper);
        let approach = rotation * Vector3::z();
        let mut point = pinch.center + shift;
        point.z = self.pressed_height(pinch, height, lean);
        if comes_from_side(lean) {
            // A deep object is held in front of its middle, where the palm allows.
            let level = Vector3::new(approach.x, approach.y, 0.0).normalize();
            let palm = gripper.finger_length_m - gripper.fingertip_beyond_tool_m;
            let front = pinch.reach_m(&point, &-level);
            point += level * (palm - PALM_ROOM_M - front).min(0.0);
        }
        let body = self.body.as_ref();
        let contacts = body.and_then(|body| pinch.contacts(body, &point, SPACES_M[0]));
        let width_m = contacts.map_or(pinch.width_m, |contacts| contacts.width_m);
        if width_m > widest_m {
            return Err(Rejection::TooWide { width_m });
        }
        let (body, contacts) = body.zip(contacts).ok_or(Rejection::Slanted)?;
        let to_tool = Vector3::z() * (height - point.z);
        let world_from_tool = Pose::from_parts((contacts.middle + to_tool).into(), *rotation);
        let above = contacts.middle - self.mass_center;
        let middle = (contacts.middle - shift, contacts.width_m);
        Ok(Grasp {
            world_from_tool,
            world_from_before: before(&world_from_tool, lean),
            width_m: contacts.width_m,
            lean_rad: lean.abs(),
            off_center_m: above.xy().norm(),
            lever_m: match is_hull(pinch) {
                true => pinch.closing.dot(&above.cross(&Vector3::z())).abs(),
                false => 0.0,
            },
            rise_m: above.z,
            is_flat: pinch.is_flat(body, middle, &approach, 0.4 * gripper.pad_width_m),
            slant_rad: contacts.slant_rad,
            turn_rad: turn(tool_yaw(&world_from_tool), self.tool_yaw),
        })
    }
}

/// Returns the two orientations of a hand that closes along a direction and leans about it by
/// `lean`. If the direction is not horizontal, the hand tilts with it as little as possible.
fn hands(closing: &Vector3<f64>, lean: f64) -> [UnitQuaternion<f64>; 2] {
    if closing.z == 0.0 {
        let yaw = closing.y.atan2(closing.x);
        return [yaw, yaw + PI].map(|yaw| leaning(yaw, lean));
    }
    let down = -Vector3::z();
    let approach = (down - closing * closing.dot(&down)).normalize();
    let lean = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), lean);
    [*closing, -closing].map(|y| with_axes(y, approach) * lean)
}

fn is_hull(pinch: &Pinch) -> bool {
    matches!(pinch.shape, Shape::Convex { .. })
}

/// Horizontal direction along the faces of the pinched shape.
fn along_faces(pinch: &Pinch) -> Vector3<f64> {
    let mut level = pinch.closing.cross(&Vector3::z());
    if pinch.closing.z != 0.0 {
        level.normalize_mut();
    }
    level
}

/// Horizontal shifts from the middle of a box or hull along its faces; none for other shapes.
fn shifts(pinch: &Pinch, along: Along) -> Vec<Vector3<f64>> {
    if !matches!(pinch.shape, Shape::Box { .. } | Shape::Convex { .. }) {
        return vec![];
    }
    let level = along_faces(pinch);
    let to_end = |side: f64| pinch.reach_m(&pinch.center, &(side * level)) - FROM_END_M;
    let shifts_to = |side: f64| match along {
        Along::Between => {
            let n = (to_end(side) / BETWEEN_STEP_M).floor().max(0.0) as usize;
            (1..=n).map(|i| i as f64 * BETWEEN_STEP_M).collect()
        }
        _ => vec![to_end(side)],
    };
    [1.0, -1.0]
        .into_iter()
        .flat_map(|side| shifts_to(side).into_iter().map(move |m| (side, m)))
        .filter(|(_, shift_m)| *shift_m > LEAST_SHIFT_M)
        .map(|(side, shift_m)| side * level * shift_m)
        .collect()
}

/// Start of the straight approach: behind a hand from the side, and above any other one. Straight
/// up means along the pads, so that a pad beside a leaning wall keeps its distance from the wall.
fn before(world_from_tool: &Pose, lean: f64) -> Pose {
    let [closing, approach] =
        [Vector3::y(), Vector3::z()].map(|axis| world_from_tool.rotation * axis);
    let back = match comes_from_side(lean) {
        true => -approach,
        false => (Vector3::z() - closing * closing.z).normalize(),
    };
    Translation3::from(back * APPROACH_M) * world_from_tool
}

/// End of the straight retreat of a hand that holds an object or has just released it.
pub(crate) fn retreat(world_from_tool: &Pose) -> Pose {
    before(world_from_tool, lean_rad(world_from_tool))
}

pub(crate) fn is_from_side(world_from_tool: &Pose) -> bool {
    comes_from_side(lean_rad(world_from_tool))
}

fn lean_rad(world_from_tool: &Pose) -> f64 {
    let down = (world_from_tool.rotation * Vector3::z()).dot(&-Vector3::z());
    down.clamp(-1.0, 1.0).acos()
}

/// Tool orientation with tool y horizontal at `yaw` in World, and tool z leaning from straight down
/// by `lean` about it.
pub(crate) fn leaning(yaw: f64, lean: f64) -> UnitQuaternion<f64> {
    let down = with_axes(level(yaw), -Vector3::z());
    down * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), lean)
}

pub(crate) fn with_axes(y: Vector3<f64>, z: Vector3<f64>) -> UnitQuaternion<f64> {
    let axes = Matrix3::from_columns(&[y.cross(&z), y, z]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

/// Direction of tool y in World, rad.
pub(crate) fn tool_yaw(world_from_tool: &Pose) -> f64 {
    let y = world_from_tool.rotation * Vector3::y();
    y.y.atan2(y.x)
}

pub(super) fn turn(a: f64, b: f64) -> f64 {
    let difference = (a - b).rem_euclid(2.0 * PI);
    difference.min(2.0 * PI - difference)
}
