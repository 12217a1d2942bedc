//! Success conditions: what must be true of the world when an episode is over.
//!
//! Pure functions of two truths, the one at the start (after settling) and the one
//! at the end. A benchmark's judge evaluates them; skills, planners and the agent
//! have no way to them.

mod contacts;
mod loose;
mod over_time;
mod places;
mod text;

use std::fmt;
use std::ops::RangeInclusive;

use nalgebra::Vector3;
use regrasp_api::{JointKind, ObjectId, Upright};
use regrasp_relations::SUPPORT_GAP_M;
use regrasp_truth::{TrueObject, WorldTruth};
use serde::{Deserialize, Serialize};

pub use contacts::stray_contacts;

/// A condition on the world at the end of an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Success {
    /// Every one of them holds.
    All(Vec<Success>),
    /// At least one of them holds.
    Any(Vec<Success>),
    /// It does not hold.
    Not(Box<Success>),
    /// The object's origin is higher than at the start.
    Lifted {
        /// Which.
        object: ObjectId,
        /// By at least this, m.
        min_height_m: f64,
    },
    /// The object rests on another: it touches it, its lowest point is at the
    /// other's surface (above the floor of something hollow), and it is over it.
    On {
        /// What rests.
        object: ObjectId,
        /// On what.
        target: ObjectId,
        /// Largest distance of the origins seen from above, m; without it the
        /// object's centre must be over the target's bounding box.
        xy_tolerance_m: Option<f64>,
        /// If given, it replaces touching: how far the height between the origins
        /// may be off what it is when one stands on the other as both stood at the
        /// start, m.
        dz_tolerance_m: Option<f64>,
    },
    /// The object's origin is at a point.
    At {
        /// Which.
        object: ObjectId,
        /// Where, in World, m.
        point_in_world: [f64; 3],
        /// How far off it may be, m.
        tolerance_m: f64,
    },
    /// Every arm joint is at home.
    JointsAtHome {
        /// The home configuration, rad.
        home: Vec<f64>,
        /// How far off each may be, rad.
        tolerance_rad: f64,
    },
    /// Objects are where they were at the start.
    Unmoved {
        /// Which.
        objects: Vec<ObjectId>,
        /// How far each may have moved, m.
        tolerance_m: f64,
    },
    /// Since the start the robot touched nothing but these, and these with its fingers
    /// only; and what it held touched nothing but what it stood on at the start or
    /// stands on now.
    Untouched {
        /// What may be touched.
        except: Vec<ObjectId>,
    },
    /// What hangs on a joint (a drawer, a door) is open so far: 0 is closed.
    JointAt {
        /// What the joint moves.
        object: ObjectId,
        /// Least opening, m or rad.
        min: f64,
        /// Largest opening, m or rad.
        max: f64,
    },
    /// The robot neither holds nor touches it.
    Released {
        /// Which; without it, anything at all.
        object: Option<ObjectId>,
        /// How far at least the tool point must be from its origin, m.
        #[serde(default)]
        min_distance_m: Option<f64>,
    },
    /// The object's origin is in a region of World.
    InRegion {
        /// Which.
        object: ObjectId,
        /// Ranges of x, y and z, m; `None` for any.
        region: [Option<[f64; 2]>; 3],
    },
    /// The object is inside another: its lowest point in the hollow of that, below the rim,
    /// with a wall on every side. What stands on the wall of a bin, or on a plate, is not.
    In {
        /// What.
        object: ObjectId,
        /// In what.
        target: ObjectId,
    },
    /// Two objects touch.
    Touching {
        /// One.
        object: ObjectId,
        /// The other.
        target: ObjectId,
    },
    /// An axis of the object points up.
    Upright {
        /// Which.
        object: ObjectId,
        /// Which axis, in its own frame.
        axis: Upright,
        /// How far it may lean, rad.
        max_tilt_rad: f64,
    },
    /// How far two origins are apart.
    Apart {
        /// One.
        object: ObjectId,
        /// The other.
        target: ObjectId,
        /// Range of the distance seen from above, m.
        xy_m: Option<[f64; 2]>,
        /// Range of the difference in height, m.
        dz_m: Option<[f64; 2]>,
    },
    /// The object's origin is elsewhere than at the start.
    Displaced {
        /// Which.
        object: ObjectId,
        /// Along which direction of World (unit length) that counts; any if `None`.
        direction: Option<[f64; 3]>,
        /// By at least this, m.
        min_m: f64,
    },
    /// The plug of an object is in the hole of another.
    Inserted {
        /// What has the plug.
        object: ObjectId,
        /// What has the hole.
        target: ObjectId,
        /// How it must be inside.
        inside: Inside,
    },
    /// The object is at rest.
    Static {
        /// Which.
        object: ObjectId,
        /// Largest speed of its origin, m/s.
        max_linear_m_per_s: f64,
        /// Largest angular speed, rad/s.
        max_angular_rad_per_s: f64,
    },
    /// Every arm joint is at rest.
    RobotStatic {
        /// Largest joint speed, rad/s.
        max_rad_per_s: f64,
    },
    /// A button registered at least so many presses since the start.
    Pressed {
        /// Which button.
        object: ObjectId,
        /// How many.
        times: u32,
    },
    /// Of many small things at least a part is in a container: below its rim, its walls
    /// around them.
    Contains {
        /// In what.
        container: ObjectId,
        /// The group.
        what: ObjectId,
        /// Which part of all of them, from 0 to 1.
        at_least: f64,
    },
    /// Of many small things at most a part is in no container at all.
    Spilled {
        /// The group.
        what: ObjectId,
        /// Which part of all of them, from 0 to 1.
        at_most: f64,
    },
    /// The object was set on each of these at some time, for the first time in this order:
    /// it touched them in the hand, as it was set down or taken up again.
    Visited {
        /// Which.
        object: ObjectId,
        /// What, in order.
        targets: Vec<ObjectId>,
    },
    /// The object never touched any of these while it was in the hand.
    Avoided {
        /// Which.
        object: ObjectId,
        /// What.
        targets: Vec<ObjectId>,
    },
    /// A condition holds at the end, and goes on holding while nothing is done any more.
    HeldFor {
        /// For how long, simulated s.
        seconds: f64,
        /// What.
        condition: Box<Success>,
    },
    /// The object's origin is, seen from above, so far from where it was at the start.
    DisplacedBy {
        /// Which.
        object: ObjectId,
        /// By how much, along x and y of World, m.
        by_m: [f64; 2],
        /// How far off that it may be, m.
        tolerance_m: f64,
    },
}

/// How the tip of a plug must be inside a hole, in the frame of the hole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inside {
    /// So deep or deeper.
    AtLeast {
        /// How deep, m.
        min_depth_m: f64,
        /// How far beside the axis it may be, along y and along z, m.
        max_aside_m: f64,
    },
    /// At one place.
    At {
        /// How deep, m.
        depth_m: f64,
        /// How far from there it may be, m.
        tolerance_m: f64,
        /// How far it may be turned, rad.
        max_angle_rad: f64,
    },
}

/// A condition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmet {
    /// The condition, as text.
    pub condition: String,
    /// What was found instead, with figures.
    pub found: String,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.condition, self.found)
    }
}

impl Success {
    /// Everything that does not hold at one moment; empty on success. A value that is not a
    /// number holds nowhere. What has to go on holding need only hold then.
    pub fn unmet(&self, first: &WorldTruth, last: &WorldTruth) -> Vec<Unmet> {
        self.unmet_over(first, last, None)
    }

    /// The same for all that a judge sees: the truth at the start, at the end, and, at short
    /// intervals, in the time [`Success::watch_secs`] after the end.
    pub fn unmet_over(
        &self,
        first: &WorldTruth,
        last: &WorldTruth,
        after: Option<&[WorldTruth]>,
    ) -> Vec<Unmet> {
        match self {
            Self::All(all) => {
                let unmet = all.iter().flat_map(|s| s.unmet_over(first, last, after));
                unmet.collect()
            }
            Self::Any(any) => {
                let unmet = any.iter().map(|s| s.unmet_over(first, last, after));
                let unmet: Vec<_> = unmet.collect();
                if unmet.iter().any(Vec::is_empty) {
                    return Vec::new();
                }
                unmet.into_iter().flatten().collect()
            }
            Self::Not(inner) if inner.unmet_over(first, last, after).is_empty() => {
                self.because("the condition holds".to_owned())
            }
            Self::Not(_) => Vec::new(),
            Self::HeldFor { seconds, condition } => {
                match over_time::broken(condition, *seconds, [first, last], after) {
                    None => Vec::new(),
                    Some(found) => self.because(found),
                }
            }
            simple => match simple.check(first, last) {
                Ok(()) => Vec::new(),
                Err(found) => self.because(found),
            },
        }
    }

    /// The objects that the condition wants in another place or state than before: what it
    /// takes fingers to bring about. What only has to be somewhere, to stay or to rest is not
    /// among them.
    pub fn moved(&self) -> Vec<&ObjectId> {
        match self {
            Self::All(all) | Self::Any(all) => all.iter().flat_map(|s| s.moved()).collect(),
            Self::HeldFor { condition, .. } => condition.moved(),
            Self::Lifted { object, .. }
            | Self::On { object, .. }
            | Self::At { object, .. }
            | Self::JointAt { object, .. }
            | Self::InRegion { object, .. }
            | Self::In { object, .. }
            | Self::Touching { object, .. }
            | Self::Upright { object, .. }
            | Self::Apart { object, .. }
            | Self::Displaced { object, .. }
            | Self::DisplacedBy { object, .. }
            | Self::Inserted { object, .. }
            | Self::Visited { object, .. }
            | Self::Pressed { object, .. } => vec![object],
            Self::Not(_)
            | Self::Avoided { .. }
            | Self::JointsAtHome { .. }
            | Self::Unmoved { .. }
            | Self::Untouched { .. }
            | Self::Released { .. }
            | Self::Static { .. }
            | Self::RobotStatic { .. }
            | Self::Contains { .. }
            | Self::Spilled { .. } => Vec::new(),
        }
    }

    /// The objects that the condition names, in order, each once.
    pub fn objects(&self) -> Vec<&ObjectId> {
        let mut ids: Vec<&ObjectId> = match self {
            Self::All(all) | Self::Any(all) => all.iter().flat_map(|s| s.objects()).collect(),
            Self::Not(inner)
            | Self::HeldFor {
                condition: inner, ..
            } => inner.objects(),
            Self::Contains { container, .. } => vec![container],
            Self::Lifted { object, .. }
            | Self::At { object, .. }
            | Self::Static { object, .. }
            | Self::InRegion { object, .. }
            | Self::Upright { object, .. }
            | Self::Pressed { object, .. }
            | Self::Displaced { object, .. }
            | Self::DisplacedBy { object, .. }
            | Self::JointAt { object, .. } => vec![object],
            Self::On { object, target, .. }
            | Self::In { object, target }
            | Self::Touching { object, target }
            | Self::Apart { object, target, .. }
            | Self::Inserted { object, target, .. } => vec![object, target],
            Self::Unmoved { objects, .. } | Self::Untouched { except: objects } => {
                objects.iter().collect()
            }
            Self::Visited { object, targets } | Self::Avoided { object, targets } => {
                std::iter::once(object).chain(targets).collect()
            }
            Self::Released { object, .. } => object.iter().collect(),
            Self::JointsAtHome { .. } | Self::RobotStatic { .. } | Self::Spilled { .. } => {
                Vec::new()
            }
        };
        let mut seen = Vec::new();
        ids.retain(|id| {
            !seen.contains(id) && {
                seen.push(id);
                true
            }
        });
        ids
    }

    fn because(&self, found: String) -> Vec<Unmet> {
        vec![Unmet {
            condition: self.to_string(),
            found,
        }]
    }

    /// A condition that is not composed of others.
    fn check(&self, first: &WorldTruth, last: &WorldTruth) -> Result<(), String> {
        match self {
            Self::All(_) | Self::Any(_) | Self::Not(_) | Self::HeldFor { .. } => Ok(()),
            Self::Contains {
                container,
                what,
                at_least,
            } => loose::check_contains(container, what, *at_least, last),
            Self::Spilled { what, at_most } => loose::check_spilled(what, *at_most, last),
            Self::Lifted {
                object,
                min_height_m,
            } => {
                let rise = origin(find(last, object)?).z - origin(find(first, object)?).z;
                ensure(rise >= *min_height_m, || {
                    format!("it rose by {:.1} mm", rise * 1e3)
                })
            }
            Self::On {
                object,
                target,
                xy_tolerance_m,
                dz_tolerance_m,
            } => check_on(
                first,
                last,
                [object, target],
                *xy_tolerance_m,
                *dz_tolerance_m,
            ),
            Self::At {
                object,
                point_in_world,
                tolerance_m,
            } => {
                let off = (origin(find(last, object)?) - Vector3::from(*point_in_world)).norm();
                ensure(off <= *tolerance_m, || {
                    format!("it is {:.1} mm off", off * 1e3)
                })
            }
            Self::JointsAtHome {
                home,
                tolerance_rad,
            } => check_home(home, *tolerance_rad, last),
            Self::Unmoved {
                objects,
                tolerance_m,
            } => objects.iter().try_for_each(|object| {
                let moved = (origin(find(last, object)?) - origin(find(first, object)?)).norm();
                ensure(moved <= *tolerance_m, || {
                    format!("{object} moved by {:.1} mm", moved * 1e3)
                })
            }),
            Self::Visited { object, targets } => contacts::check_visited(last, object, targets),
            Self::Avoided { object, targets } => contacts::check_avoided(last, object, targets),
            Self::Untouched { except } => contacts::check_untouched(first, last, except),
            Self::JointAt { object, min, max } => check_joint(object, *min..=*max, last),
            Self::Released {
                object,
                min_distance_m,
            } => check_released(object.as_ref(), *min_distance_m, last),
            Self::InRegion { object, region } => places::check_region(object, region, last),
            Self::In { object, target } => places::check_in(object, target, last),
            Self::Touching { object, target } => places::check_touching(object, target, last),
            Self::Upright {
                object,
                axis,
                max_tilt_rad,
            } => places::check_upright(object, *axis, *max_tilt_rad, last),
            Self::Apart {
                object,
                target,
                xy_m,
                dz_m,
            } => places::check_apart([object, target], xy_m, dz_m, last),
            Self::Displaced {
                object,
                direction,
                min_m,
            } => places::check_displaced(object, direction, *min_m, first, last),
            Self::Inserted {
                object,
                target,
                inside,
            } => places::check_inserted(object, target, inside, last),
            Self::Static {
                object,
                max_linear_m_per_s,
                max_angular_rad_per_s,
            } => {
                let object = find(last, object)?;
                let v = Vector3::from(object.linear_velocity).norm();
                let w = Vector3::from(object.angular_velocity).norm();
                ensure(
                    v <= *max_linear_m_per_s && w <= *max_angular_rad_per_s,
                    || format!("it moves at {v:.4} m/s and {w:.4} rad/s"),
                )
            }
            Self::Pressed { object, times } => check_pressed(object, *times, first, last),
            Self::DisplacedBy {
                object,
                by_m,
                tolerance_m,
            } => places::check_displaced_by([first, last], object, by_m, *tolerance_m),
            Self::RobotStatic { max_rad_per_s } => {
                let speeds = last.joint_velocities.iter().map(|v| v.abs());
                let fastest = speeds.clone().fold(0.0, f64::max);
                ensure(speeds.clone().all(|v| v <= *max_rad_per_s), || {
                    format!("a joint moves at {fastest:.3} rad/s")
                })
            }
        }
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn find<'a>(truth: &'a WorldTruth, id: &ObjectId) -> Result<&'a TrueObject, String> {
    truth
        .object(id)
        .ok_or_else(|| format!("there is no {id} in the world"))
}

fn origin(object: &TrueObject) -> Vector3<f64> {
    object.world_from_object.translation.vector
}

fn check_joint(
    object: &ObjectId,
    range: RangeInclusive<f64>,
    last: &WorldTruth,
) -> Result<(), String> {
    let joint = last.joints.iter().find(|joint| &joint.child == object);
    let joint = joint.ok_or_else(|| format!("{object} hangs on no joint"))?;
    ensure(range.contains(&joint.opening), || match joint.kind {
        JointKind::Prismatic => format!("it is open by {:.1} mm", joint.opening * 1e3),
        JointKind::Revolute => format!("it is open by {:.3} rad", joint.opening),
    })
}

fn check_pressed(
    object: &ObjectId,
    times: u32,
    first: &WorldTruth,
    last: &WorldTruth,
) -> Result<(), String> {
    let count = |truth: &WorldTruth| {
        let joint = truth.joints.iter().find(|joint| &joint.child == object);
        joint.and_then(|joint| joint.presses).map(|p| p.count)
    };
    let (Some(before), Some(now)) = (count(first), count(last)) else {
        return Err(format!("{object} is no button"));
    };
    let pressed = now.saturating_sub(before);
    ensure(pressed >= times, || {
        format!("it registered {pressed} presses")
    })
}

fn check_on(
    first: &WorldTruth,
    last: &WorldTruth,
    [object_id, target_id]: [&ObjectId; 2],
    xy_tolerance_m: Option<f64>,
    dz_tolerance_m: Option<f64>,
) -> Result<(), String> {
    let (object, target) = (find(last, object_id)?, find(last, target_id)?);
    let apart = origin(object) - origin(target);
    let a = object.shape.aabb(&object.world_from_object);
    let b = target.shape.aabb(&target.world_from_object);
    match xy_tolerance_m {
        Some(tolerance) => {
            let off = apart.xy().norm();
            ensure(off <= tolerance, || {
                format!("the origins are {:.1} mm apart seen from above", off * 1e3)
            })?;
        }
        None => {
            let center = a.center();
            let above = (0..2).all(|i| (b.min[i]..=b.max[i]).contains(&center[i]));
            ensure(above, || format!("it is not above {target_id}"))?;
        }
    }
    if let Some(tolerance) = dz_tolerance_m {
        let stood = |truth: &WorldTruth, id, up: f64| -> Result<f64, String> {
            let object = find(truth, id)?;
            let up_in_object = object.world_from_object.rotation.inverse() * (Vector3::z() * up);
            Ok(object.shape.support(&up_in_object))
        };
        let wanted = stood(first, object_id, -1.0)? + stood(first, target_id, 1.0)?;
        let off = (apart.z - wanted).abs();
        return ensure(off <= tolerance, || {
            format!("its height over {target_id} is {:.1} mm off", off * 1e3)
        });
    }
    let gap = a.min[2] - b.max[2];
    let hollow = target.shape.is_hollow();
    let rests = if hollow {
        a.min[2] > b.min[2] - SUPPORT_GAP_M && gap < SUPPORT_GAP_M
    } else {
        gap.abs() < SUPPORT_GAP_M
    };
    ensure(rests, || {
        format!(
            "its lowest point is {:.1} mm above the top of {target_id}",
            gap * 1e3
        )
    })?;
    let touches = object.touches.contains(target_id) || target.touches.contains(object_id);
    ensure(touches, || format!("it does not touch {target_id}"))
}

fn check_home(home: &[f64], tolerance: f64, last: &WorldTruth) -> Result<(), String> {
    let offs = last
        .joint_positions
        .iter()
        .zip(home)
        .map(|(q, h)| (q - h).abs());
    let worst = offs.clone().fold(0.0, f64::max);
    let all = last.joint_positions.len() == home.len() && offs.clone().all(|off| off <= tolerance);
    ensure(all, || format!("a joint is {worst:.4} rad off"))
}

fn check_released(
    object: Option<&ObjectId>,
    min_distance_m: Option<f64>,
    last: &WorldTruth,
) -> Result<(), String> {
    let tool = last.world_from_tool.translation.vector;
    let asked: Vec<&TrueObject> = match object {
        Some(id) => vec![find(last, id)?],
        None => last.objects.iter().filter(|o| o.movable).collect(),
    };
    asked.into_iter().try_for_each(|object| {
        let away_m = (origin(object) - tool).norm();
        ensure(min_distance_m.is_none_or(|min_m| away_m >= min_m), || {
            format!("{} is {:.1} mm from the tool", object.id, away_m * 1e3)
        })?;
        ensure(!object.grasped, || format!("{} is in the hand", object.id))?;
        ensure(object.touches_links.is_empty(), || {
            format!(
                "{} is touched by {}",
                object.id,
                object.touches_links.join(", ")
            )
        })
    })
}
