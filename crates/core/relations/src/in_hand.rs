//! State of the hand according to perception and sensors at one moment.

use nalgebra::Point3;

use crate::is_supported_by;
use regrasp_api::{Held, ObjectId, Observation, PerceivedObject, Percept, Pose, Shape};

/// State of the hand according to perception and sensors at one moment. The robot's belief only
/// determines which object is looked for, and its expected width and pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum InHand {
    /// The robot grasped nothing, or released it.
    #[default]
    Nothing,
    /// The grasped object is seen between the fingers. They press on it, by their contact sensors
    /// if there are any, and are about as far apart as it is wide.
    Holds {
        /// Id of the object.
        id: ObjectId,
        /// Pose in the tool frame as seen now.
        tool_from_object: Pose,
    },
    /// The grasped object may be lost: readings contradict each other or are inconclusive.
    Unclear {
        /// Id of the object.
        id: ObjectId,
        /// Explanation in one sentence with figures.
        why: String,
    },
    /// The grasped object is not in the hand any more.
    Lost {
        /// Id of the object.
        id: ObjectId,
        /// Explanation in one sentence with figures.
        why: String,
    },
}

/// Shift within the hand up to which an object counts as held without further checks, m.
const SHIFT_M: f64 = 0.02;
/// Largest excess of the finger distance over the width at the grasp, m. With more, the fingers may
/// hold another object.
const WIDER_M: f64 = 0.004;
/// Largest distance of an object's bounding box from the point between the pads, m, at which the
/// object counts as between them.
const BETWEEN_M: f64 = 0.005;

impl InHand {
    /// Judges a belief about the hand by perception and sensors.
    pub fn judge(
        held: Option<&Held>,
        percept: &Percept,
        observation: &Observation,
        world_from_tool: &Pose,
    ) -> Self {
        let Some(held) = held else {
            return Self::Nothing;
        };
        let id = held.id.clone();
        let felt = observation.gripper;
        let (width_m, was_m) = (felt.width_m, held.width_m);
        if width_m < grip_lost_below(was_m) {
            let why =
                format!("the fingers closed to {width_m:.4} m, but {id} was {was_m:.4} m wide");
            return Self::Lost { id, why };
        }
        if felt.feels_nothing() {
            let why = format!("the fingers are {width_m:.4} m apart and touch nothing");
            return Self::Lost { id, why };
        }
        if felt.finger_contact.is_none() && felt.grip_force_n <= 0.0 {
            let why = format!("the fingers are {width_m:.4} m apart and do not press");
            return Self::Lost { id, why };
        }
        let Some(seen) = percept.seen(&held.id) else {
            let why = format!("{id} is not seen; the fingers are {width_m:.4} m apart");
            return Self::Unclear { id, why };
        };
        let tool_from_object = world_from_tool.inverse() * seen.world_from_object;
        if let Err(shift) = check_in_place(seen, &tool_from_object, held, percept) {
            return shift.in_hand(id, width_m);
        }
        if !felt.presses(grip_lost_below(was_m)) || width_m > grip_lost_above(was_m) {
            let felt = match felt.finger_contact {
                Some(contacts) => {
                    format!(
                        "{} of 2 touch something",
                        contacts.iter().filter(|it| **it).count()
                    )
                }
                None => format!("press with {:.0} N", felt.grip_force_n),
            };
            let why = format!(
                "{id} is seen in the hand, but the fingers are {width_m:.4} m apart (its width was \
                 {was_m:.4} m) and {felt}"
            );
            return Self::Unclear { id, why };
        }
        Self::Holds {
            id,
            tool_from_object,
        }
    }

    /// Returns the state that the robot believes, for callers that cannot check it by perception.
    pub fn as_found(held: Option<&Held>) -> Self {
        held.map_or(Self::Nothing, |held| Self::Holds {
            id: held.id.clone(),
            tool_from_object: held.tool_from_object,
        })
    }

    /// Returns the reason why an object is not known to be in the hand; `None` if it is.
    pub fn not_held(&self, object: &ObjectId) -> Option<String> {
        match self {
            Self::Holds { id, .. } if id == object => None,
            Self::Lost { id, why } if id == object => {
                Some(format!("{object} is not in the hand any more: {why}"))
            }
            Self::Unclear { id, why } if id == object => {
                Some(format!("{object} may have left the hand: {why}"))
            }
            Self::Holds { id, .. } => Some(format!("the hand holds {id}, not {object}")),
            _ => Some(format!("{object} is not in the hand")),
        }
    }

    /// Returns true if an object may still be in the hand.
    pub fn may_hold(&self, object: &ObjectId) -> bool {
        match self {
            Self::Holds { id, .. } | Self::Unclear { id, .. } => id == object,
            Self::Nothing | Self::Lost { .. } => false,
        }
    }

    /// Returns true if the hand holds no known object.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Nothing | Self::Lost { .. })
    }
}

/// Location of a grasped object that has moved relative to the hand.
enum Shift {
    /// Still between the fingers, but standing on something: the hand slid along it.
    Below { slid_m: f64, on: ObjectId },
    /// Not between the fingers, and farther from its pose in the hand than the limit.
    Elsewhere { off_m: f64, limit_m: f64 },
}

impl Shift {
    fn in_hand(self, id: ObjectId, width_m: f64) -> InHand {
        match self {
            Self::Below { slid_m, on } => {
                let why = format!("it slid {slid_m:.3} m through the fingers and stands on {on}");
                InHand::Lost { id, why }
            }
            Self::Elsewhere { off_m, limit_m } => {
                let why = format!(
                    "it is seen {off_m:.3} m from its pose in the hand (limit {limit_m:.3} m), but \
                     the fingers hold something {width_m:.4} m wide"
                );
                InHand::Unclear { id, why }
            }
        }
    }
}

/// Checks that the object is seen at its pose in the hand, or between the pads with nothing below
/// it.
fn check_in_place(
    seen: &PerceivedObject,
    tool_from_object: &Pose,
    held: &Held,
    percept: &Percept,
) -> Result<(), Shift> {
    let shift = tool_from_object.translation.vector - held.tool_from_object.translation.vector;
    let (off_m, noise_m) = (shift.norm(), 3.0 * seen.position_std_m);
    let limit_m = SHIFT_M + noise_m;
    if off_m <= limit_m {
        return Ok(());
    }
    let pads_in_object = tool_from_object.inverse_transform_point(&Point3::origin());
    if !is_within(&seen.shape, &pads_in_object, BETWEEN_M + noise_m) {
        return Err(Shift::Elsewhere { off_m, limit_m });
    }
    let mut below = percept.objects.iter().filter(|o| is_supported_by(seen, o));
    match below.next() {
        None => Ok(()),
        Some(below) => Err(Shift::Below {
            slid_m: off_m,
            on: below.id.clone(),
        }),
    }
}

fn is_within(shape: &Shape, point: &Point3<f64>, within_m: f64) -> bool {
    let bounds = shape.aabb(&Pose::identity());
    bounds.outside(point).norm() <= within_m
}

/// Returns the finger distance below which an object of the given width is lost, m.
pub fn grip_lost_below(width_m: f64) -> f64 {
    0.7 * width_m
}

/// Returns the finger distance above which an object of the given width may be lost, m.
pub fn grip_lost_above(width_m: f64) -> f64 {
    width_m + WIDER_M
}

#[cfg(test)]
mod tests {
    use nalgebra::{UnitQuaternion, Vector3};

    use super::*;
    use regrasp_api::GripperState;

    const TABLE_Z: f64 = 0.04;

    fn thing(id: &str, half_extents: [f64; 3], z: f64) -> PerceivedObject {
        regrasp_testkit::thing(
            id,
            "carton",
            regrasp_testkit::cuboid(half_extents),
            [0.4, 0.1, z],
        )
    }

    fn carton(z: f64) -> PerceivedObject {
        thing("carton", [0.03, 0.03, 0.1], z)
    }

    fn world_from_tool() -> Pose {
        let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        Pose::from_parts(nalgebra::Translation3::new(0.4, 0.1, TABLE_Z + 0.17), down)
    }

    /// Judges a grasp 2 cm above the carton's middle, which was then 15 cm above the table.
    fn judge(
        seen: Option<PerceivedObject>,
        width_m: f64,
        finger_contact: impl Into<Option<[bool; 2]>>,
    ) -> InHand {
        let gripped = carton(TABLE_Z + 0.15);
        let tool_from_object = world_from_tool().inverse() * gripped.world_from_object;
        let held = Held::of(&gripped, tool_from_object, 0.06);
        let table = thing("table", [1.0, 1.0, 0.02], TABLE_Z - 0.02);
        let percept = regrasp_testkit::percept(std::iter::once(table).chain(seen).collect());
        let observation = Observation {
            gripper: GripperState {
                width_m,
                grip_force_n: 20.0,
                finger_contact: finger_contact.into(),
                ..regrasp_testkit::open_hand()
            },
            ..regrasp_testkit::observation()
        };
        InHand::judge(Some(&held), &percept, &observation, &world_from_tool())
    }

    #[track_caller]
    fn told(hand: &InHand) -> &str {
        match hand {
            InHand::Lost { why, .. } | InHand::Unclear { why, .. } => why,
            other => panic!("{other:?} gives no reason"),
        }
    }

    #[test]
    fn held_is_what_is_seen_between_fingers_that_feel_it() {
        let id = ObjectId::new("carton");
        let there = || Some(carton(TABLE_Z + 0.15));
        let hand = judge(there(), 0.0598, [true; 2]);
        assert_eq!(hand.not_held(&id), None, "{hand:?}");
        assert!(hand.not_held(&ObjectId::new("mug")).is_some());
        // The carton slid 3 cm through the fingers and still hangs between them.
        let hand = judge(Some(carton(TABLE_Z + 0.12)), 0.0598, [true; 2]);
        assert_eq!(hand.not_held(&id), None, "{hand:?}");
        for (hand, words) in [
            (judge(there(), 0.01, [true; 2]), "closed to 0.0100 m"),
            (judge(there(), 0.0598, [false; 2]), "touch nothing"),
            (
                judge(there(), 0.0598, [true, false]),
                "1 of 2 touch something",
            ),
            (judge(there(), 0.07, [true; 2]), "0.0700 m apart"),
            (judge(None, 0.0598, [true; 2]), "is not seen"),
            (
                judge(Some(carton(TABLE_Z + 0.1)), 0.0598, [true; 2]),
                "slid 0.050 m through the fingers and stands on table",
            ),
            (
                judge(
                    Some(thing("carton", [0.03, 0.03, 0.1], 0.9)),
                    0.0598,
                    [true; 2],
                ),
                "from its pose in the hand",
            ),
        ] {
            assert!(hand.not_held(&id).is_some(), "{words}: {hand:?}");
            assert!(told(&hand).contains(words), "{words}: {hand:?}");
        }
    }

    #[test]
    fn without_pads_width_and_sight_tell() {
        let id = ObjectId::new("carton");
        let there = || Some(carton(TABLE_Z + 0.15));
        assert_eq!(judge(there(), 0.0598, None).not_held(&id), None);
        for (hand, words) in [
            (judge(there(), 0.01, None), "closed to 0.0100 m"),
            (judge(there(), 0.07, None), "0.0700 m apart"),
            (judge(None, 0.0598, None), "is not seen"),
        ] {
            assert!(hand.not_held(&id).is_some(), "{words}: {hand:?}");
            assert!(told(&hand).contains(words), "{words}: {hand:?}");
        }
    }

    #[test]
    fn what_may_be_in_the_hand_was_not_let_go_of() {
        let id = ObjectId::new("carton");
        assert!(
            judge(None, 0.0598, [true; 2]).may_hold(&id),
            "an unseen object may still be in the hand"
        );
        let lost = judge(Some(carton(TABLE_Z + 0.1)), 0.0, [false; 2]);
        assert!(
            !lost.may_hold(&id),
            "an object on the table is not in the hand"
        );
    }
}
