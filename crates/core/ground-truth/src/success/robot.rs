//! Conditions on the robot: its rest, its contacts, and the path of held objects.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Evidence, Finding, ensure, joined, mm, origin};
use crate::known::{Known, Wrong, positive};
use crate::truth::{first_touch_secs, stray_except};
use crate::{GroundTruthObject, RobotContact};

/// Every arm joint is at home.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointsAtHome {
    /// Home configuration, rad; the robot's if left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub home: Vec<f64>,
    /// Largest deviation of each joint, rad.
    pub tolerance_rad: f64,
}

impl Condition for JointsAtHome {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        if self.home.is_empty() {
            self.home = known.home.to_vec();
        }
        let (given, n) = (self.home.len(), known.home.len());
        if given != n {
            let right = format!("a list of {n} numbers, one for each joint of the arm");
            return Err(Wrong::value("home", format!("a list of {given}"), right));
        }
        positive("tolerance_rad", self.tolerance_rad)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let joints = &seen.last.joint_positions;
        let offs = joints.iter().zip(&self.home).map(|(q, h)| (q - h).abs());
        let same = joints.len() == self.home.len();
        ensure(same, || "its home is for another arm".to_owned())?;
        within(self.tolerance_rad, offs, "rad off its home position")
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "joints_at_home(within {} rad)", self.tolerance_rad)
    }
}

/// Fails with the number of the first joint whose value exceeds a limit.
fn within(limit: f64, values: impl Iterator<Item = f64>, what: &str) -> Result<(), Finding> {
    (1..).zip(values).try_for_each(|(joint, value)| {
        let finding = || format!("joint {joint}: {value:.4} {what}");
        ensure(value <= limit, finding)
    })
}

/// Every arm joint is at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RobotStatic {
    /// Largest joint speed, rad/s.
    pub max_rad_per_s: f64,
}

impl Condition for RobotStatic {
    fn fit(&mut self, _: &Known<'_>) -> Result<(), Wrong> {
        positive("max_rad_per_s", self.max_rad_per_s)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let speeds = seen.last.joint_velocities.iter().map(|v| v.abs());
        within(self.max_rad_per_s, speeds, "rad/s")
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "robot_static(at most {} rad/s)", self.max_rad_per_s)
    }
}

/// The robot neither holds nor touches an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Released {
    /// The object; every movable object if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectId>,
    /// Least distance of the tool point from the object's origin, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_distance_m: Option<f64>,
}

impl Condition for Released {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        if let Some(object) = &self.object {
            known.object("object", object)?;
        }
        positive("min_distance_m", self.min_distance_m)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let asked: Vec<&GroundTruthObject> = match &self.object {
            Some(id) => vec![seen.object(id)?],
            None => seen.last.objects.iter().filter(|o| o.movable).collect(),
        };
        let tool = seen.last.world_from_tool.translation.vector;
        asked.into_iter().try_for_each(|object| {
            let (id, away_m) = (&object.id, (origin(object) - tool).norm());
            let is_far = self.min_distance_m.is_none_or(|min_m| away_m >= min_m);
            ensure(is_far, || format!("{id} is {} from the tool", mm(away_m)))?;
            ensure(!object.grasped, || format!("{id} is in the hand"))?;
            let links = &object.touches_links;
            ensure(links.is_empty(), || {
                format!("{id} is touched by {}", links.join(", "))
            })
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.object.as_ref().map_or("everything", ObjectId::as_str);
        match self.min_distance_m {
            Some(m) => write!(f, "released({what}, at least {} away)", mm(m)),
            None => write!(f, "released({what})"),
        }
    }
}

/// Since the start the robot touched only the given objects, and only with its fingers, and a held
/// object touched only its supports at the start and now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Untouched {
    /// Objects that may be touched.
    pub except: Vec<ObjectId>,
}

impl Condition for Untouched {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.objects("except", &self.except)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let may_touch: Vec<&ObjectId> = self.except.iter().collect();
        let strays = stray_except(seen.first, seen.last, &may_touch);
        let described = |c: &&RobotContact| {
            format!(
                "{} touched {} at {:.2} s for {:.3} s with up to {:.1} N",
                c.by.name(),
                c.with,
                c.first_secs,
                c.duration_secs,
                c.peak_force_n
            )
        };
        ensure(strays.is_empty(), || {
            let described: Vec<String> = strays.iter().map(described).collect();
            described.join(", ")
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "untouched(except {})", joined(&self.except))
    }
}

/// The object touched each target while in the hand, as when it is set down or picked up; the first
/// contacts were in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Visited {
    /// The object.
    pub object: ObjectId,
    /// Objects that the held object has to touch, in order.
    pub targets: Vec<ObjectId>,
}

impl Condition for Visited {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        known.objects("targets", &self.targets)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let mut before = f64::NEG_INFINITY;
        for target in &self.targets {
            let at = first_touch_secs(seen.last, &self.object, target);
            let at = at.ok_or_else(|| format!("it never touched {target} while in the hand"))?;
            ensure(at > before, || {
                format!("it touched {target} at {at:.2} s, before an earlier target of the list")
            })?;
            before = at;
        }
        Ok(())
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "visited({}, {})", self.object, joined(&self.targets))
    }
}

/// The object touched none of the targets while it was in the hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Avoided {
    /// The object.
    pub object: ObjectId,
    /// Objects that the held object must not touch.
    pub targets: Vec<ObjectId>,
}

impl Condition for Avoided {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        known.objects("targets", &self.targets)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        self.targets.iter().try_for_each(|target| {
            match first_touch_secs(seen.last, &self.object, target) {
                None => Ok(()),
                Some(at) => Err(format!("it touched {target} at {at:.2} s").into()),
            }
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "avoided({}, {})", self.object, joined(&self.targets))
    }
}
