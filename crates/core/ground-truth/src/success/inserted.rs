//! `inserted`: the plug of an object is in the hole of another, or a ring is over a peg.

use std::fmt;

use nalgebra::Vector3;
use regrasp_api::{Connection, Mating, ObjectId, PortKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, mm};
use crate::known::{Known, Mistake, Wrong, coordinates, positive};

/// The plug of an object is in the hole of another: so deep or deeper (`min_depth_m`,
/// `max_aside_m`), or at one place (`depth_m`, `tolerance_m`, `max_angle_rad`), in the frame of
/// the hole. It may be the other way round: the hole of the object is over the plug of the
/// target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["min_depth_m", "max_aside_m"] },
    { "required": ["depth_m", "tolerance_m", "max_angle_rad"] },
]))]
pub struct Inserted {
    /// What was moved: it has the plug, or the hole.
    pub object: ObjectId,
    /// What has the other half.
    pub target: ObjectId,
    /// How deep its tip must be at least, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_depth_m: Option<f64>,
    /// How far beside the axis it may be, along y and along z, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_aside_m: Option<f64>,
    /// How deep its tip must be, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_m: Option<f64>,
    /// How far from there it may be, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance_m: Option<f64>,
    /// How far it may be turned, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_angle_rad: Option<f64>,
}

impl Condition for Inserted {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        let needed = match (self.min_depth_m, self.depth_m) {
            (Some(_), None) => vec![("max_aside_m", self.max_aside_m)],
            (None, Some(_)) => vec![
                ("tolerance_m", self.tolerance_m),
                ("max_angle_rad", self.max_angle_rad),
            ],
            (None, None) => return Err(Wrong::keys("one of min_depth_m, depth_m", "none")),
            (Some(_), Some(_)) => {
                let needs = "at most one of min_depth_m, depth_m";
                return Err(Wrong::keys(needs, "min_depth_m and depth_m"));
            }
        };
        coordinates("min_depth_m", &self.min_depth_m)?;
        coordinates("depth_m", &self.depth_m)?;
        for (key, given) in needed {
            given.ok_or_else(|| Wrong::whole(Mistake::Missing(key)))?;
            positive(key, given)?;
        }
        known.other("target", &self.target, &self.object)?;
        if Connection::find(known.ports, &self.object, &self.target).is_some() {
            return Ok(());
        }
        // What is wrong is told as if the object were the plug, unless it is a ring.
        let has = |kind| known.port("object", &self.object, kind);
        match (has(PortKind::Plug), has(PortKind::Hole)) {
            (Err(_), Ok(())) => known.port("target", &self.target, PortKind::Plug),
            (is_plug, _) => {
                is_plug?;
                known.port("target", &self.target, PortKind::Hole)
            }
        }
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let (a, b) = (seen.object(&self.object)?, seen.object(&self.target)?);
        let Some(connection) = Connection::find(&seen.last.ports, &a.id, &b.id) else {
            let found = format!("neither goes into the other: {} and {}", a.id, b.id);
            return Err(found.into());
        };
        let mating = connection.mating(&a.world_from_object, &b.world_from_object);
        let (deep, [y, z]) = (mating.depth_m, mating.aside_m);
        ensure(self.holds(&mating), || {
            format!(
                "its tip is {:.1} mm in, {:.1} and {:.1} mm beside the axis, turned by {:.3} rad",
                deep * 1e3,
                y * 1e3,
                z * 1e3,
                mating.angle_rad
            )
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object, &self.target]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for Inserted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "inserted({}, {}", self.object, self.target)?;
        let [max_aside, within] = [self.max_aside_m, self.tolerance_m].map(|m| m.map(mm));
        if let (Some(deep), Some(aside)) = (self.min_depth_m.map(mm), max_aside) {
            write!(f, ", at least {deep} deep, aside within {aside}")?;
        }
        let at = (self.depth_m.map(mm), within, self.max_angle_rad);
        if let (Some(deep), Some(off), Some(angle)) = at {
            write!(f, ", {deep} deep within {off} and {angle} rad")?;
        }
        f.write_str(")")
    }
}

impl Inserted {
    fn holds(&self, mating: &Mating) -> bool {
        let [y, z] = mating.aside_m;
        let at = |depth_m| Vector3::new(mating.depth_m - depth_m, y, z).norm();
        let off = self.depth_m.map(at);
        self.min_depth_m.is_none_or(|min| mating.depth_m >= min)
            && (self.max_aside_m).is_none_or(|max| y.abs().max(z.abs()) <= max)
            && (self.tolerance_m).is_none_or(|max| off.is_some_and(|off| off <= max))
            && (self.max_angle_rad).is_none_or(|max| mating.angle_rad <= max)
    }
}
