//! Goals of the LIBERO benchmark (`predicates`), judged exactly as LIBERO does.

use std::fmt;

use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};
use regrasp_api::{Goal, ObjectId, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{
    Condition, Evidence, Finding, Objects, ensure, ensure_none, joined, mm, origin, touch,
};
use crate::known::{Known, Wrong};

/// A goal of the LIBERO benchmark, with its quirks: all predicates hold at the same moment. Objects
/// need not be released, at rest or really inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Predicates(pub Vec<Predicate>);

/// Condition of a LIBERO goal. "The origin" is the origin of an object's frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Predicate {
    /// The object's origin is not below that of the target, less than `within_m` beside it, and the
    /// two touch.
    Upon {
        /// The object.
        object: ObjectId,
        /// Supporting object.
        target: ObjectId,
        /// Largest horizontal distance of the origins, m.
        within_m: f64,
    },
    /// The origin is over a region and within its outline, measured in axes that are rotated in the
    /// wrong direction (by the region's rotation instead of its inverse), and the object touches
    /// the region's owner, if a contact is required.
    OnPlace {
        /// The object.
        object: ObjectId,
        /// Region.
        place: Box3,
        /// Objects of which one must be touched; empty if no contact is required.
        #[serde(default)]
        touching: Vec<ObjectId>,
    },
    /// The origin is in a box along the axes of World around the region's centre. Its half extents
    /// are the components of the region's rotated half diagonal; it reaches 1 cm further down.
    InPlace {
        /// The object.
        object: ObjectId,
        /// Region.
        place: Box3,
    },
    /// Joint positions are within limits.
    Joints {
        /// Names of the joints.
        joints: Vec<ObjectId>,
        /// True if one joint is enough.
        any: bool,
        /// Lower limit of the position, m or rad.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        above: Option<f64>,
        /// Upper limit of the position, m or rad.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        below: Option<f64>,
        /// True if the limit itself counts.
        #[serde(default)]
        or_at: bool,
    },
    /// Least height of the origin in World, m.
    Up {
        /// The object.
        object: ObjectId,
        /// Least height of the origin in World, m.
        from_m: f64,
    },
    /// A predicate that always or never holds.
    Constant {
        /// True if it holds.
        holds: bool,
    },
}

/// A box that is fixed to an object, or in World.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Box3 {
    /// Name of the region.
    pub name: String,
    /// Object that it is fixed to; World if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<ObjectId>,
    /// Centre in the frame of the object or World, m.
    pub position: [f64; 3],
    /// Rotation in that frame.
    pub quat_xyzw: [f64; 4],
    /// Half its size along its own axes, m.
    pub half_extents: [f64; 3],
}

impl Box3 {
    fn world_from_box(&self, seen: &Evidence<'_>) -> Result<Pose, Finding> {
        let [x, y, z, w] = self.quat_xyzw;
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let own = Pose::from_parts(Point3::from(self.position).into(), turn);
        match &self.of {
            None => Ok(own),
            Some(of) => Ok(seen.object(of)?.world_from_object * own),
        }
    }
}

/// Largest depth of an object's origin below the top of the region that it is on, m.
const BELOW_M: f64 = 0.005;
/// Largest height of an object's origin above the top of the region that it is on, m.
const ABOVE_M: f64 = 0.10;
/// Largest depth of an object's origin below the box of the region that it is in, m.
const DEEPER_M: f64 = 0.01;

impl Predicate {
    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        match self {
            Self::Upon {
                object,
                target,
                within_m,
            } => {
                let (o, t) = (seen.object(object)?, seen.object(target)?);
                let apart = origin(o) - origin(t);
                let off = apart.xy().norm();
                ensure(apart.z >= 0.0, || {
                    format!("its origin is {} below the target's", mm(-apart.z))
                })?;
                ensure(off < *within_m, || {
                    format!("the origins are {} apart horizontally", mm(off))
                })?;
                ensure(touch(o, t), || "they do not touch".to_owned())
            }
            Self::OnPlace {
                object,
                place,
                touching,
            } => is_on_place(seen, object, place, touching),
            Self::InPlace { object, place } => {
                let o = seen.object(object)?;
                let world_from_box = place.world_from_box(seen)?;
                let half = (world_from_box.rotation * Vector3::from(place.half_extents)).abs();
                let d = origin(o) - world_from_box.translation.vector;
                let low = Vector3::new(0.0, 0.0, DEEPER_M);
                let inside = (0..3).all(|i| -half[i] - low[i] < d[i] && d[i] < half[i]);
                ensure(inside, || {
                    let [x, y, z] = [0, 1, 2].map(|i| mm(d[i]));
                    let [a, b, c] = [0, 1, 2].map(|i| mm(half[i]));
                    format!("it is {x}, {y}, {z} from the centre (limit ±{a}, ±{b}, ±{c})")
                })
            }
            Self::Joints {
                joints,
                any,
                above,
                below,
                or_at,
            } => {
                let holds = |q: f64| {
                    above.is_none_or(|least| q > least || (*or_at && q == least))
                        && below.is_none_or(|most| q < most || (*or_at && q == most))
                };
                joints_hold(seen, joints, *any, holds)
            }
            Self::Up { object, from_m } => {
                let z = origin(seen.object(object)?).z;
                ensure(z >= *from_m, || format!("its height is {}", mm(z)))
            }
            Self::Constant { holds } => ensure(*holds, || "it is false by definition".to_owned()),
        }
    }

    /// Objects of the predicate; the first has to be moved.
    fn objects(&self) -> Vec<&ObjectId> {
        match self {
            Self::Upon { object, target, .. } => vec![object, target],
            Self::OnPlace { object, place, .. } | Self::InPlace { object, place } => {
                std::iter::once(object).chain(&place.of).collect()
            }
            Self::Up { object, .. } => vec![object],
            Self::Joints { .. } | Self::Constant { .. } => vec![],
        }
    }
}

fn is_on_place(
    seen: &Evidence<'_>,
    object: &ObjectId,
    place: &Box3,
    touching: &[ObjectId],
) -> Result<(), Finding> {
    let o = seen.object(object)?;
    let world_from_box = place.world_from_box(seen)?;
    let apart = origin(o) - world_from_box.translation.vector;
    let d = world_from_box.rotation * apart;
    let [x, y, z] = place.half_extents;
    let inside = d.x.abs() < x && d.y.abs() < y;
    ensure(inside, || {
        let (a, b) = (mm(d.x.abs() - x), mm(d.y.abs() - y));
        format!("it is outside the region: {a} along x and {b} along y beyond its edges")
    })?;
    let over = z - BELOW_M < d.z && d.z < z + ABOVE_M;
    ensure(over, || {
        format!("it is {} above the region's centre", mm(d.z))
    })?;
    let mut parts = touching.iter().filter_map(|id| seen.last.object(id));
    ensure(
        touching.is_empty() || parts.any(|part| touch(o, part)),
        || "it does not touch the region's owner".to_owned(),
    )
}

fn joints_hold(
    seen: &Evidence<'_>,
    joints: &[ObjectId],
    any: bool,
    holds: impl Fn(f64) -> bool,
) -> Result<(), Finding> {
    let position = |id: &ObjectId| {
        let mut all = seen.last.joints.iter();
        all.find(|joint| joint.id == *id)
            .map(|joint| joint.position)
    };
    let holds = |id: &ObjectId| position(id).is_some_and(&holds);
    let all_hold = match any {
        true => joints.iter().any(holds),
        false => joints.iter().all(holds),
    };
    ensure(all_hold, || {
        let at = |id: &ObjectId| match position(id) {
            Some(position) => format!("{position:.4}"),
            None => "unknown".to_owned(),
        };
        let at: Vec<_> = joints.iter().map(at).collect();
        format!("the joint positions are {}", at.join(", "))
    })
}

impl Condition for Predicates {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        let mut all = self.0.iter().flat_map(Predicate::objects);
        all.try_for_each(|id| known.object("predicates", id))
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let unmet = self.0.iter().filter_map(|predicate| {
            let found = match predicate.judge(seen).err()? {
                Finding::Itself(found) => found,
                Finding::Parts(parts) => parts.iter().map(ToString::to_string).collect(),
            };
            let condition = predicate.to_string();
            Some(crate::Unmet { condition, found })
        });
        ensure_none(unmet.collect())
    }

    fn objects_of_parts(&self) -> Objects<'_> {
        Objects {
            named: self.0.iter().flat_map(Predicate::objects).collect(),
            moved: (self.0.iter().filter_map(|p| p.objects().first().copied())).collect(),
        }
    }

    fn goals(&self) -> Vec<Goal> {
        let on = |predicate| match Predicate::objects(predicate)[..] {
            [object, target] => Some(Goal::On {
                object: object.clone(),
                target: target.clone(),
            }),
            _ => None,
        };
        self.0.iter().filter_map(on).collect()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        write!(f, "predicates({})", all.join(" and "))
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upon { object, target, .. } => write!(f, "on({object}, {target})"),
            Self::OnPlace { object, place, .. } => write!(f, "on({object}, {})", place.name),
            Self::InPlace { object, place } => write!(f, "in({object}, {})", place.name),
            Self::Joints {
                joints,
                any,
                above,
                below,
                ..
            } => {
                let which = if *any { "any" } else { "all" };
                write!(f, "{which} of {}", joined(joints))?;
                if let Some(least) = above {
                    write!(f, " above {least}")?;
                }
                match below {
                    Some(most) => write!(f, " below {most}"),
                    None => Ok(()),
                }
            }
            Self::Up { object, from_m } => write!(f, "up({object}, {})", mm(*from_m)),
            Self::Constant { holds } => write!(f, "{holds}"),
        }
    }
}
