//! Relations of two objects: resting on, touching, apart from, inserted into each other.

use std::fmt;

use nalgebra::Vector3;
use regrasp_api::{Connection, Goal, Mating, ObjectId, PortKind};
use regrasp_relations::SUPPORT_GAP_M;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Evidence, Finding, ensure, find, is_above, mm, origin, touch};
use crate::known::{Known, Mistake, Wrong, coordinates, not_negative, positive, range};
use crate::{GroundTruth, GroundTruthObject};

/// The object rests on another: it touches and is over it, and its lowest point is at the other's
/// surface (above the floor of a hollow object).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct On {
    /// Object that rests.
    pub object: ObjectId,
    /// Supporting object.
    pub target: ObjectId,
    /// Largest horizontal distance of the origins, m; if left out, the object's centre must be over
    /// the target's bounding box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xy_tolerance_m: Option<f64>,
    /// Largest deviation of the height between the origins from that of standing on the target in
    /// their orientations at the start, m. Replaces the contact unless the target is hollow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dz_tolerance_m: Option<f64>,
}

impl Condition for On {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        known.other("target", &self.target, &self.object)?;
        positive("xy_tolerance_m", self.xy_tolerance_m)?;
        positive("dz_tolerance_m", self.dz_tolerance_m)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let (object, target) = (seen.object(&self.object)?, seen.object(&self.target)?);
        match self.xy_tolerance_m {
            Some(tolerance) => {
                let off = (origin(object) - origin(target)).xy().norm();
                ensure(off <= tolerance, || {
                    format!("the origins are {} apart horizontally", mm(off))
                })?;
            }
            None => ensure(is_above(object, target), || {
                format!("it is not above {}", self.target)
            })?,
        }
        match self.dz_tolerance_m {
            // An object stands on the floor of a plate or bowl, which is below its highest point.
            Some(tolerance) if !target.shape.is_hollow() => self.judge_height(seen, tolerance),
            _ => rests(object, target),
        }
    }

    fn goals(&self) -> Vec<Goal> {
        let (object, target) = (self.object.clone(), self.target.clone());
        vec![Goal::On { object, target }]
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "on({}, {}", self.object, self.target)?;
        if let Some(xy) = self.xy_tolerance_m {
            write!(f, ", xy within {}", mm(xy))?;
        }
        if let Some(dz) = self.dz_tolerance_m {
            write!(f, ", height within {}", mm(dz))?;
        }
        f.write_str(")")
    }
}

impl On {
    /// Checks that the height between the origins is that of one object standing on the other.
    fn judge_height(&self, seen: &Evidence<'_>, tolerance_m: f64) -> Result<(), Finding> {
        let wanted = reach(seen.first, &self.object, -1.0)? + reach(seen.first, &self.target, 1.0)?;
        let (object, target) = (seen.object(&self.object)?, seen.object(&self.target)?);
        let off = ((origin(object) - origin(target)).z - wanted).abs();
        ensure(off <= tolerance_m, || {
            format!("its height over {} is {} off", self.target, mm(off))
        })
    }
}

/// Distance from an object's origin to its highest (`up` = 1) or lowest (`up` = -1) point, m.
fn reach(truth: &GroundTruth, id: &ObjectId, up: f64) -> Result<f64, Finding> {
    let object = find(truth, id)?;
    let up_in_object = object.world_from_object.rotation.inverse() * (Vector3::z() * up);
    Ok(object.shape.support(&up_in_object))
}

/// Checks that an object touches another and has its lowest point at the other's surface.
fn rests(object: &GroundTruthObject, target: &GroundTruthObject) -> Result<(), Finding> {
    let a = object.shape.aabb(&object.world_from_object);
    let b = target.shape.aabb(&target.world_from_object);
    let gap = a.min[2] - b.max[2];
    let rests = if target.shape.is_hollow() {
        a.min[2] > b.min[2] - SUPPORT_GAP_M && gap < SUPPORT_GAP_M
    } else {
        gap.abs() < SUPPORT_GAP_M
    };
    let id = &target.id;
    ensure(rests, || {
        format!("its lowest point is {} above the top of {id}", mm(gap))
    })?;
    ensure(touch(object, target), || format!("it does not touch {id}"))
}

/// Two objects touch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Touching {
    /// First object.
    pub object: ObjectId,
    /// Second object.
    pub target: ObjectId,
}

impl Condition for Touching {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        known.other("target", &self.target, &self.object)
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let (a, b) = (seen.object(&self.object)?, seen.object(&self.target)?);
        ensure(touch(a, b), || "they do not touch".to_owned())
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "touching({}, {})", self.object, self.target)
    }
}

/// Distance of two origins: horizontal, along an axis of World, or in height.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    { "required": ["xy_m"] }, { "required": ["x_m"] }, { "required": ["y_m"] }, { "required": ["dz_m"] }
]))]
pub struct Apart {
    /// First object.
    pub object: ObjectId,
    /// Second object.
    pub target: ObjectId,
    /// Range of the horizontal distance, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xy_m: Option<[f64; 2]>,
    /// Range of the difference along World's x, the target's subtracted, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x_m: Option<[f64; 2]>,
    /// Range of the difference along World's y, the target's subtracted, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_m: Option<[f64; 2]>,
    /// Range of the difference in height, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dz_m: Option<[f64; 2]>,
}

impl Apart {
    fn ranges(&self) -> [(&'static str, Option<[f64; 2]>); 4] {
        [
            ("xy_m", self.xy_m),
            ("x_m", self.x_m),
            ("y_m", self.y_m),
            ("dz_m", self.dz_m),
        ]
    }
}

impl Condition for Apart {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        if self.ranges().iter().all(|(_, given)| given.is_none()) {
            return Err(Wrong::keys("one of xy_m, x_m, y_m, dz_m", "none"));
        }
        known.object("object", &self.object)?;
        known.other("target", &self.target, &self.object)?;
        self.ranges().into_iter().try_for_each(|(key, given)| {
            let mut ends = given.iter().flatten();
            match key {
                "x_m" | "y_m" => coordinates(key, given.as_slice().as_flattened())?,
                _ => ends.try_for_each(|&x| not_negative(key, x))?,
            }
            range(key, given)
        })
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let apart = origin(seen.object(&self.object)?) - origin(seen.object(&self.target)?);
        let (xy, dz) = (apart.xy().norm(), apart.z.abs());
        let found = [xy, apart.x, apart.y, dz];
        let is_in = |((_, given), x): ((&str, Option<[f64; 2]>), f64)| {
            given.is_none_or(|[low, high]| (low..=high).contains(&x))
        };
        ensure(self.ranges().into_iter().zip(found).all(is_in), || {
            let [xy, x, y, dz] = found.map(mm);
            format!(
                "they are {xy} apart horizontally ({x} along x, {y} along y), and {dz} in height"
            )
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "apart({}, {}", self.object, self.target)?;
        for (key, range) in self.ranges() {
            if let Some([low, high]) = range {
                let what = key.trim_end_matches("_m");
                write!(f, ", {what} {} to {}", mm(low), mm(high))?;
            }
        }
        f.write_str(")")
    }
}

/// The plug of an object is in the hole of another: at least to a depth (`min_depth_m`,
/// `max_aside_m`), or in a position (`depth_m`, `tolerance_m`, `max_angle_rad`), in the frame of
/// the hole. Either object may have the plug.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["min_depth_m", "max_aside_m"] },
    { "required": ["depth_m", "tolerance_m", "max_angle_rad"] },
]))]
pub struct Inserted {
    /// Object that was moved, with the plug or the hole.
    pub object: ObjectId,
    /// Object with the counterpart.
    pub target: ObjectId,
    /// Least depth of the plug's tip, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_depth_m: Option<f64>,
    /// Largest distance from the axis, along y and along z, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_aside_m: Option<f64>,
    /// Depth of the plug's tip, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_m: Option<f64>,
    /// Largest distance of the plug's tip from the point at `depth_m` on the hole's axis, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance_m: Option<f64>,
    /// Largest rotation error, rad.
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
                let needs = "just one of min_depth_m, depth_m";
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
        // The error takes the object for the plug, unless it only has a hole, as a ring does.
        let has = |kind| known.port("object", &self.object, kind);
        match (has(PortKind::Plug), has(PortKind::Hole)) {
            (Err(_), Ok(())) => known.port("target", &self.target, PortKind::Plug),
            (is_plug, _) => {
                is_plug?;
                known.port("target", &self.target, PortKind::Hole)
            }
        }
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let (a, b) = (seen.object(&self.object)?, seen.object(&self.target)?);
        let Some(connection) = Connection::find(&seen.last.ports, &a.id, &b.id) else {
            let found = format!("{} and {} have no matching plug and hole", a.id, b.id);
            return Err(found.into());
        };
        let mating = connection.mating(&a.world_from_object, &b.world_from_object);
        let (deep, [y, z]) = (mating.depth_m, mating.aside_m);
        ensure(self.holds(&mating), || {
            format!(
                "its tip is {:.1} mm deep in the hole, {:.1} mm (y) and {:.1} mm (z) off its axis, \
                 turned by {:.3} rad",
                deep * 1e3,
                y * 1e3,
                z * 1e3,
                mating.angle_rad
            )
        })
    }

    fn goals(&self) -> Vec<Goal> {
        let (object, target) = (self.object.clone(), self.target.clone());
        vec![Goal::Inserted { object, target }]
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
