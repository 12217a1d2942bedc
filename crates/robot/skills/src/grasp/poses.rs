//! From a pinch to tool poses: how the hand leans, how high it holds.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use regrasp_api::{GripperInfo, Pose, Shape};
use regrasp_motion::Body;

use super::hand::Hand;
use super::pinch::Pinch;
use super::rejection::Rejection;
use super::{Grasp, LEAST_OVERLAP_M, SPACES_M, comes_from_side, widest_m};
use crate::params::{APPROACH_M, PALM_ROOM_M};
use crate::poses::{around, level};

/// Distance kept between fingertips (or a hand that lies) and what the object stands
/// on, m.
const GROUND_CLEARANCE_M: f64 = 0.003;
/// Heights that differ by less are the same grasp, m.
const SAME_HEIGHT_M: f64 = 0.006;
/// Height of the object between the pads in a high grasp, m: that of a pad's half.
const HIGH_OVERLAP_M: f64 = 0.01;
/// Height of a pad that is left below the line along which it presses, m.
const BELOW_LINE_M: f64 = 0.002;
/// Approach directions of a pinch from above and below.
const N_HEADINGS: usize = 12;
/// Distance of the middle of a pad from the end of a face when it presses there, m: the
/// middle and one half of a pad lie on the face.
const FROM_END_M: f64 = 0.005;
/// Distance of the places between the middle of a face and its ends, m.
const BETWEEN_STEP_M: f64 = 0.015;
/// Ends that are nearer to the middle of a face than this are no other grasp, m.
const LEAST_SHIFT_M: f64 = 0.004;

/// Places along what is pinched at which the pads press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Along {
    /// In its middle.
    Middle,
    /// Anywhere between its middle and its ends: what is long may have to be held
    /// elsewhere, because of where it will go.
    Between,
    /// Near either end of its faces: there may be room for the fingers beside one end
    /// where there is none beside the middle.
    Ends,
}

/// An object and the hand for which poses are made.
pub(super) struct Context<'a> {
    pub(super) body: &'a Body,
    pub(super) gripper: &'a GripperInfo,
    pub(super) hand: &'a Hand,
    /// Direction of tool y in World now, rad.
    pub(super) tool_yaw: f64,
    /// Height in World of what it stands on, m.
    pub(super) ground_m: f64,
    /// Assumed middle of the object's mass, in World.
    pub(super) mass_center: Vector3<f64>,
}

impl Context<'_> {
    /// Grasps of a level pinch by a hand that leans by `lean` (rad) about the closing
    /// direction: held in the middle and, if that is something else, near the top.
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
            // What is too flat is so wherever it is held.
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

    /// No shift, and along the faces the one to beside the mass, or as near to it as a whole pad
    /// lies on them: there its weight turns it least in the hand.
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

    /// Grasps of a pinch from above and below, by a level hand.
    pub(super) fn level(&self, pinch: &Pinch) -> Vec<Result<Grasp, Rejection>> {
        around(N_HEADINGS)
            .map(|heading| {
                let rotation = with_axes(Vector3::z(), level(heading));
                let middle = (pinch.center.z, &Vector3::zeros());
                self.grasp(pinch, &rotation, middle, FRAC_PI_2)
            })
            .collect()
    }

    /// Heights of the tool point in World: the middle of what is pinched if fingers and
    /// palm allow, and as high as a pad still holds something.
    fn heights(
        &self,
        pinch: &Pinch,
        rotation: &UnitQuaternion<f64>,
        lean: f64,
    ) -> Result<Vec<f64>, Rejection> {
        let gripper = self.gripper;
        let [bottom, top] = pinch.height_range();
        let tips = gripper.fingertip_beyond_tool_m * lean.cos();
        let above_ground = self.ground_m + self.hand.depth_m(rotation) + GROUND_CLEARANCE_M;
        let palm = (gripper.finger_length_m - gripper.fingertip_beyond_tool_m) * lean.cos();
        let low = if comes_from_side(lean) {
            above_ground
        } else {
            above_ground.max(top - palm + PALM_ROOM_M)
        };
        let high = top + tips - LEAST_OVERLAP_M;
        if low > high {
            let overlap_m = top + tips - low;
            return Err(Rejection::TooFlat { overlap_m });
        }
        let middle = (0.5 * (bottom + top)).clamp(low, high);
        let upper = (top + tips - HIGH_OVERLAP_M).clamp(low, high);
        Ok(if upper - middle > SAME_HEIGHT_M {
            vec![middle, upper]
        } else {
            vec![middle]
        })
    }

    /// Height in World at which pads press whose middle is at `height`. Where the ground keeps
    /// them above the middle of something low, their lower parts reach that, and meet it there
    /// first: a rod is widest in its middle.
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
        let gripper = self.gripper;
        let widest_m = widest_m(gripper);
        let approach = rotation * Vector3::z();
        let mut point = pinch.center + shift;
        point.z = self.pressed_height(pinch, height, lean);
        if comes_from_side(lean) {
            // Something deep is held in front of its middle, where the palm allows.
            let level = Vector3::new(approach.x, approach.y, 0.0).normalize();
            let palm = gripper.finger_length_m - gripper.fingertip_beyond_tool_m;
            let front = pinch.reach_m(&point, &-level);
            point += level * (palm - PALM_ROOM_M - front).min(0.0);
        }
        let contacts = pinch.contacts(self.body, &point, SPACES_M[0]);
        let Some(contacts) = contacts else {
            return Err(if pinch.width_m > widest_m {
                Rejection::TooWide {
                    width_m: pinch.width_m,
                }
            } else {
                Rejection::Slanted
            });
        };
        if contacts.width_m > widest_m {
            return Err(Rejection::TooWide {
                width_m: contacts.width_m,
            });
        }
        let to_tool = Vector3::z() * (height - point.z);
        let world_from_tool = Pose::from_parts((contacts.middle + to_tool).into(), *rotation);
        let above = contacts.middle - self.mass_center;
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
            is_flat: pinch.is_flat(
                self.body,
                &contacts.moved(&-shift),
                &approach,
                0.4 * gripper.pad_width_m,
            ),
            slant_rad: contacts.slant_rad,
            turn_rad: turn(tool_yaw(&world_from_tool), self.tool_yaw),
        })
    }
}

/// The two ways to turn the hand that closes along a direction and leans about it by `lean`.
/// Where that is not level, the hand tilts with it as little as it can.
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

/// Returns true if pads may meet corners of it instead of faces.
fn is_hull(pinch: &Pinch) -> bool {
    matches!(pinch.shape, Shape::Convex { .. })
}

fn has_faces(pinch: &Pinch) -> bool {
    matches!(pinch.shape, Shape::Box { .. } | Shape::Convex { .. })
}

/// The level direction along the faces of what is pinched.
fn along_faces(pinch: &Pinch) -> Vector3<f64> {
    let mut level = pinch.closing.cross(&Vector3::z());
    if pinch.closing.z != 0.0 {
        level.normalize_mut();
    }
    level
}

/// From the middle of what is pinched to where else the pads press, level and along its faces;
/// what is round has no faces.
fn shifts(pinch: &Pinch, along: Along) -> Vec<Vector3<f64>> {
    if !has_faces(pinch) {
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

/// Beginning of the straight approach to a grasp.
fn before(world_from_tool: &Pose, lean: f64) -> Pose {
    let back = if comes_from_side(lean) {
        -(world_from_tool.rotation * Vector3::z())
    } else {
        Vector3::z()
    };
    Pose::from_parts(
        (world_from_tool.translation.vector + back * APPROACH_M).into(),
        world_from_tool.rotation,
    )
}

/// Pose to which a hand that holds something, or has just let go of it, gets away in a straight
/// line.
pub(crate) fn retreat(world_from_tool: &Pose) -> Pose {
    let down = (world_from_tool.rotation * Vector3::z()).dot(&-Vector3::z());
    before(world_from_tool, down.clamp(-1.0, 1.0).acos())
}

/// Returns true if a hand that is turned so came from the side.
pub(crate) fn is_from_side(world_from_tool: &Pose) -> bool {
    let down = (world_from_tool.rotation * Vector3::z()).dot(&-Vector3::z());
    comes_from_side(down.clamp(-1.0, 1.0).acos())
}

/// Tool orientation with tool y level at `yaw` in World, and tool z leaning from
/// straight down by `lean` about it.
pub(crate) fn leaning(yaw: f64, lean: f64) -> UnitQuaternion<f64> {
    pointing_down(yaw) * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), lean)
}

/// Tool orientation that looks straight down with tool y at `yaw` in World.
pub(crate) fn pointing_down(yaw: f64) -> UnitQuaternion<f64> {
    with_axes(level(yaw), -Vector3::z())
}

/// Tool orientation with these y and z axes.
pub(crate) fn with_axes(y: Vector3<f64>, z: Vector3<f64>) -> UnitQuaternion<f64> {
    let axes = Matrix3::from_columns(&[y.cross(&z), y, z]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

/// Direction of tool y in World, rad.
pub(crate) fn tool_yaw(world_from_tool: &Pose) -> f64 {
    let y = world_from_tool.rotation * Vector3::y();
    y.y.atan2(y.x)
}

/// Angle between two directions, rad, 0..pi.
pub(super) fn turn(a: f64, b: f64) -> f64 {
    let difference = (a - b).rem_euclid(2.0 * PI);
    difference.min(2.0 * PI - difference)
}
