//! `on`: an object rests on another.

use std::fmt;

use nalgebra::Vector3;
use regrasp_api::ObjectId;
use regrasp_relations::SUPPORT_GAP_M;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, find, is_above, mm, origin, touch};
use crate::known::{Known, Wrong, positive};
use crate::{TrueObject, WorldTruth};

/// The object rests on another: it touches it, its lowest point is at the other's surface
/// (above the floor of something hollow), and it is over it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct On {
    /// What rests.
    pub object: ObjectId,
    /// On what.
    pub target: ObjectId,
    /// Largest distance of the origins seen from above, m; without it the object's centre must
    /// be over the target's bounding box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xy_tolerance_m: Option<f64>,
    /// If given, it replaces touching: how far the height between the origins may be off what
    /// it is when one stands on the other as both stood at the start, m.
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

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let (object, target) = (seen.object(&self.object)?, seen.object(&self.target)?);
        match self.xy_tolerance_m {
            Some(tolerance) => {
                let off = (origin(object) - origin(target)).xy().norm();
                ensure(off <= tolerance, || {
                    format!("the origins are {:.1} mm apart seen from above", off * 1e3)
                })?;
            }
            None => ensure(is_above(object, target), || {
                format!("it is not above {}", self.target)
            })?,
        }
        match self.dz_tolerance_m {
            Some(tolerance) => self.judge_height(seen, tolerance),
            None => rests(object, target),
        }
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object, &self.target]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for On {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    /// Whether the height between the origins is what it is when one stands on the other.
    fn judge_height(&self, seen: &Seen<'_>, tolerance_m: f64) -> Result<(), Found> {
        let wanted = reach(seen.first, &self.object, -1.0)? + reach(seen.first, &self.target, 1.0)?;
        let (object, target) = (seen.object(&self.object)?, seen.object(&self.target)?);
        let off = ((origin(object) - origin(target)).z - wanted).abs();
        ensure(off <= tolerance_m, || {
            format!("its height over {} is {:.1} mm off", self.target, off * 1e3)
        })
    }
}

/// How far an object reaches up (1) or down (-1) from its origin, m.
fn reach(truth: &WorldTruth, id: &ObjectId, up: f64) -> Result<f64, Found> {
    let object = find(truth, id)?;
    let up_in_object = object.world_from_object.rotation.inverse() * (Vector3::z() * up);
    Ok(object.shape.support(&up_in_object))
}

/// Whether an object's lowest point is at the surface of another that it touches.
fn rests(object: &TrueObject, target: &TrueObject) -> Result<(), Found> {
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
        format!(
            "its lowest point is {:.1} mm above the top of {id}",
            gap * 1e3
        )
    })?;
    ensure(touch(object, target), || format!("it does not touch {id}"))
}
