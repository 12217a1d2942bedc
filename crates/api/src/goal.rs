use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::connections;
use crate::{
    Held, ObjectId, Observation, PerceivedObject, Percept, Presses, RobotInfo, Side, is_inside,
    is_supported_by,
};

/// Something that should be true when a task is done, judged by the robot's senses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "goal")]
pub enum Goal {
    /// The object is in the hand.
    Holding {
        /// Which.
        object: ObjectId,
    },
    /// The object rests on another and the hand has let go of it.
    On {
        /// Which.
        object: ObjectId,
        /// What it rests on.
        target: ObjectId,
    },
    /// The object stands beside another, on the same thing, and the hand has let go of it.
    Beside {
        /// Which.
        object: ObjectId,
        /// What it stands beside.
        target: ObjectId,
        /// On which side; any if `None`.
        side: Option<Side>,
    },
    /// The object's origin is at a point in World.
    At {
        /// Which.
        object: ObjectId,
        /// Where, m.
        position: [f64; 3],
        /// How far off it may be, m.
        tolerance_m: f64,
        /// Whether it must have been let go of.
        released: bool,
    },
    /// What hangs on a joint (a drawer) is open, or closed, and let go of.
    Slid {
        /// What the joint moves.
        object: ObjectId,
        /// Whether it should be open.
        open: bool,
    },
    /// The arm is in its home configuration.
    Home,
    /// The object stands right beside another, with hardly any space between, and the hand
    /// has let go of it.
    Against {
        /// Which.
        object: ObjectId,
        /// What it stands beside.
        target: ObjectId,
    },
    /// The object rests across two others and the hand has let go of it.
    Across {
        /// Which.
        object: ObjectId,
        /// What it rests on.
        targets: [ObjectId; 2],
    },
    /// The plug of the object is in the hole of another and the hand has let go of it.
    Inserted {
        /// Which.
        object: ObjectId,
        /// What it is in.
        target: ObjectId,
    },
    /// The object stands with its z axis up and the hand has let go of it.
    Upright {
        /// Which.
        object: ObjectId,
    },
    /// The object is inside a container, below its rim, and the hand has let go of it.
    In {
        /// Which.
        object: ObjectId,
        /// What it is in.
        target: ObjectId,
    },
    /// What was in one container is in another: nothing is left in the one, and most of some
    /// small things (or, if there are none, an object) is in the other.
    Poured {
        /// What it was in.
        object: ObjectId,
        /// What it is in.
        target: ObjectId,
        /// Which part of the small things at least.
        at_least: f64,
    },
    /// A button has registered so many presses.
    Pressed {
        /// Which button.
        object: ObjectId,
        /// At least this many since the clock began.
        times: u32,
    },
}

/// Whether a [`Goal`] holds, and if not, why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GoalStatus {
    /// It holds.
    Met,
    /// It does not; one sentence.
    Unmet(String),
}

impl GoalStatus {
    /// Whether it holds.
    pub fn is_met(&self) -> bool {
        matches!(self, Self::Met)
    }
}

/// Things further apart than this are not beside each other, m: room for a hand between.
const BESIDE_M: f64 = 0.12;
/// Joint distance from home that still counts as being there, rad.
const HOME_TOL_RAD: f64 = 0.02;

impl Goal {
    /// Judges the goal from what was perceived and felt.
    pub fn status(
        &self,
        percept: &Percept,
        observation: &Observation,
        held: Option<&Held>,
        robot: &RobotInfo,
    ) -> GoalStatus {
        let holds = |id: &ObjectId| held.is_some_and(|h| &h.id == id);
        let missing = |id: &ObjectId| GoalStatus::Unmet(format!("{id} is not seen"));
        // Fingers that touch something without a belief about what have not let go of it.
        let clings = held.is_none() && observation.gripper.finger_contact.contains(&true);
        match self {
            Self::Holding { object } if holds(object) => GoalStatus::Met,
            Self::Holding { object } => GoalStatus::Unmet(format!("{object} is not in the hand")),
            Self::On { object, target } => {
                let (Some(top), Some(below)) = (percept.object(object), percept.object(target))
                else {
                    return missing(if percept.object(object).is_none() {
                        object
                    } else {
                        target
                    });
                };
                if holds(object) {
                    GoalStatus::Unmet(format!("{object} is still in the hand"))
                } else if clings {
                    GoalStatus::Unmet("the fingers still touch something".into())
                } else if is_supported_by(top, below) {
                    GoalStatus::Met
                } else {
                    GoalStatus::Unmet(format!("{object} does not rest on {target}"))
                }
            }
            Self::Beside {
                object,
                target,
                side,
            } => {
                let (Some(placed), Some(by)) = (percept.object(object), percept.object(target))
                else {
                    return missing(if percept.object(object).is_none() {
                        object
                    } else {
                        target
                    });
                };
                if holds(object) {
                    GoalStatus::Unmet(format!("{object} is still in the hand"))
                } else if clings {
                    GoalStatus::Unmet("the fingers still touch something".into())
                } else {
                    match not_beside(percept, placed, by, *side) {
                        None => GoalStatus::Met,
                        Some(why) => GoalStatus::Unmet(why),
                    }
                }
            }
            Self::At {
                object,
                position,
                tolerance_m,
                released,
            } => {
                let Some(seen) = percept.object(object) else {
                    return missing(object);
                };
                let off_m = (seen.position() - nalgebra::Vector3::from(*position)).norm();
                if *released && holds(object) {
                    GoalStatus::Unmet(format!("{object} is still in the hand"))
                } else if *released && clings {
                    GoalStatus::Unmet("the fingers still touch something".into())
                } else if off_m <= *tolerance_m {
                    GoalStatus::Met
                } else {
                    GoalStatus::Unmet(format!(
                        "{object} is {off_m:.3} m from where it should be (at most {tolerance_m:.3} m)"
                    ))
                }
            }
            Self::Slid { object, open } => {
                let joint = percept.joints.iter().find(|j| &j.child == object);
                let Some(joint) = joint else {
                    return GoalStatus::Unmet(format!("{object} is not seen to hang on a joint"));
                };
                let is_there = if *open {
                    joint.is_open()
                } else {
                    joint.is_closed()
                };
                if holds(object) {
                    GoalStatus::Unmet(format!("{object} is still in the hand"))
                } else if is_there {
                    GoalStatus::Met
                } else {
                    let (opening, travel) = (joint.opening, joint.travel);
                    GoalStatus::Unmet(format!("{object} is open by {opening:.3} of {travel:.3}"))
                }
            }
            Self::Against { object, .. }
            | Self::Across { object, .. }
            | Self::Inserted { object, .. }
            | Self::In { object, .. }
            | Self::Upright { object }
                if holds(object) =>
            {
                GoalStatus::Unmet(format!("{object} is still in the hand"))
            }
            Self::Against { .. }
            | Self::Across { .. }
            | Self::Inserted { .. }
            | Self::In { .. }
            | Self::Upright { .. }
                if clings =>
            {
                GoalStatus::Unmet("the fingers still touch something".into())
            }
            Self::Against { object, target } => match seen(percept, [object, target]) {
                Ok([object, target]) => from(connections::not_against(percept, object, target)),
                Err(unseen) => missing(unseen),
            },
            Self::Across {
                object,
                targets: [a, b],
            } => match seen(percept, [object, a, b]) {
                Ok([object, a, b]) => from(connections::not_across(object, [a, b])),
                Err(unseen) => missing(unseen),
            },
            Self::Inserted { object, target } => match seen(percept, [object, target]) {
                Ok([object, target]) => from(connections::not_inserted(percept, object, target)),
                Err(unseen) => missing(unseen),
            },
            Self::In { object, target } => match seen(percept, [object, target]) {
                Ok([inner, outer]) if is_inside(inner, outer) => GoalStatus::Met,
                Ok(_) => GoalStatus::Unmet(format!("{object} is not in {target}")),
                Err(unseen) => missing(unseen),
            },
            Self::Poured {
                object,
                target,
                at_least,
            } => match seen(percept, [object, target]) {
                Ok([from, into]) => self::from(not_poured(percept, from, into, *at_least)),
                Err(unseen) => missing(unseen),
            },
            Self::Upright { object } => match seen(percept, [object]) {
                Ok([object]) => from(connections::not_upright(object)),
                Err(unseen) => missing(unseen),
            },
            Self::Pressed { object, times } => {
                let joint = percept.joints.iter().find(|j| &j.child == object);
                match joint.and_then(|joint| joint.presses) {
                    None => GoalStatus::Unmet(format!("{object} is not seen to be a button")),
                    Some(presses) if presses.count >= *times => GoalStatus::Met,
                    Some(Presses { count, .. }) => GoalStatus::Unmet(format!(
                        "{object} has registered {count} presses ({times} are wanted)"
                    )),
                }
            }
            Self::Home => {
                let off = observation
                    .joint_positions
                    .iter()
                    .zip(&robot.home)
                    .map(|(q, home)| (q - home).abs())
                    .fold(0.0, f64::max);
                if off <= HOME_TOL_RAD {
                    GoalStatus::Met
                } else {
                    GoalStatus::Unmet(format!("a joint is {off:.3} rad from home"))
                }
            }
        }
    }

    /// The objects that the goal names.
    pub fn objects_mut(&mut self) -> Vec<&mut ObjectId> {
        match self {
            Self::Holding { object }
            | Self::At { object, .. }
            | Self::Slid { object, .. }
            | Self::Pressed { object, .. }
            | Self::Upright { object } => {
                vec![object]
            }
            Self::On { object, target }
            | Self::Beside { object, target, .. }
            | Self::Against { object, target }
            | Self::In { object, target }
            | Self::Poured { object, target, .. }
            | Self::Inserted { object, target } => {
                vec![object, target]
            }
            Self::Across {
                object,
                targets: [a, b],
            } => vec![object, a, b],
            Self::Home => vec![],
        }
    }
}

/// The objects as they are seen, or the first that is not.
fn seen<'p, 'i, const N: usize>(
    percept: &'p Percept,
    ids: [&'i ObjectId; N],
) -> Result<[&'p PerceivedObject; N], &'i ObjectId> {
    let objects = ids.map(|id| percept.object(id).ok_or(id));
    if let Some(Err(unseen)) = objects.iter().find(|o| o.is_err()) {
        return Err(unseen);
    }
    // Each was found.
    let found: Vec<_> = objects.into_iter().flatten().collect();
    found.try_into().map_err(|_| ids[0])
}

fn from(why_not: Option<String>) -> GoalStatus {
    why_not.map_or(GoalStatus::Met, GoalStatus::Unmet)
}

/// Why the contents of a container are not in another, if they are not.
fn not_poured(
    percept: &Percept,
    from: &PerceivedObject,
    into: &PerceivedObject,
    at_least: f64,
) -> Option<String> {
    let left = percept.count_in(from) + percept.objects_in(from).len();
    if left > 0 {
        return Some(format!("{left} things are still in {}", from.id));
    }
    let arrived = percept.groups.iter().map(|group| {
        let (n, all) = (group.inside(into).len(), group.positions.len());
        (n, all, n as f64 / all.max(1) as f64)
    });
    let Some((n, all, part)) = arrived.max_by(|a, b| a.2.total_cmp(&b.2)) else {
        return percept
            .objects_in(into)
            .is_empty()
            .then(|| format!("nothing is in {}", into.id));
    };
    (part < at_least).then(|| {
        format!(
            "{n} of {all} are in {} (at least {:.0} %)",
            into.id,
            100.0 * at_least
        )
    })
}

/// Why an object does not stand beside another, if it does not.
fn not_beside(
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
    side: Option<Side>,
) -> Option<String> {
    let (id, by) = (&object.id, &target.id);
    let mut others = percept.objects.iter();
    if !others.any(|o| is_supported_by(object, o) && is_supported_by(target, o)) {
        return Some(format!("{id} does not stand on what {by} stands on"));
    }
    let (a, b) = (object.aabb_in_world(), target.aabb_in_world());
    let gap = |i: usize| (a.min[i] - b.max[i]).max(b.min[i] - a.max[i]).max(0.0);
    let gap_m = gap(0).hypot(gap(1));
    if gap_m > BESIDE_M {
        return Some(format!(
            "{id} is {gap_m:.3} m from {by} (beside it, at most {BESIDE_M:.2} m)"
        ));
    }
    let side = side?;
    let way = a.center() - b.center();
    let toward = way.dot(&side.direction());
    let across = (way.xy().norm_squared() - toward * toward).max(0.0).sqrt();
    (toward < across).then(|| format!("{id} is not {side} {by}"))
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holding { object } => write!(f, "holding({object})"),
            Self::On { object, target } => write!(f, "on({object}, {target})"),
            Self::Beside {
                object,
                target,
                side: None,
            } => write!(f, "beside({object}, {target})"),
            Self::Beside {
                object,
                target,
                side: Some(side),
            } => write!(
                f,
                "{}({object}, {target})",
                side.to_string().replace(' ', "_")
            ),
            Self::At {
                object,
                position: [x, y, z],
                ..
            } => {
                write!(f, "at({object}, {x:.3}, {y:.3}, {z:.3})")
            }
            Self::Slid { object, open: true } => write!(f, "open({object})"),
            Self::Slid {
                object,
                open: false,
            } => write!(f, "closed({object})"),
            Self::Home => f.write_str("home"),
            Self::Against { object, target } => write!(f, "against({object}, {target})"),
            Self::Across {
                object,
                targets: [a, b],
            } => write!(f, "across({object}, {a}, {b})"),
            Self::Inserted { object, target } => write!(f, "inserted({object}, {target})"),
            Self::In { object, target } => write!(f, "in({object}, {target})"),
            Self::Poured { object, target, .. } => write!(f, "poured({object}, {target})"),
            Self::Upright { object } => write!(f, "upright({object})"),
            Self::Pressed { object, .. } => write!(f, "pressed({object})"),
        }
    }
}
