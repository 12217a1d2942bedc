//! Interface of all success conditions, and the evidence by which they are judged.

use std::fmt;

use nalgebra::Vector3;
use regrasp_api::{Goal, ObjectId};
use serde::{Deserialize, Serialize};

use crate::{GroundTruth, GroundTruthObject, Known, Success, Wrong};

/// Success condition, with its checks, its judgement and its text.
///
/// The judgement is a pure function of the [`Evidence`]. A condition on a NaN does not hold, so its
/// negation does.
pub trait Condition: fmt::Debug {
    /// Checks the condition against a scene, and fills in the values that only the scene defines.
    ///
    /// # Errors
    ///
    /// [`Wrong`]: the fault, and how to correct it.
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong>;

    /// Checks that the condition holds.
    ///
    /// # Errors
    ///
    /// [`Finding`]: the actual state.
    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding>;

    /// Returns the parts of a compound condition.
    fn parts(&self) -> &[Success] {
        &[]
    }

    /// Returns the objects that the parts of a compound condition are about.
    fn objects_of_parts(&self) -> Objects<'_> {
        Objects {
            named: self.parts().iter().flat_map(Success::objects).collect(),
            moved: self.parts().iter().flat_map(Success::moved).collect(),
        }
    }

    /// Returns the goals that the condition implies.
    fn goals(&self) -> Vec<Goal> {
        Vec::new()
    }

    /// Returns the time after the end for which the world has to be watched to judge it, s.
    fn watch_secs(&self) -> f64 {
        let parts = self.parts().iter();
        parts.map(Success::watch_secs).fold(0.0, f64::max)
    }

    /// Writes the condition as text for verdicts and messages.
    ///
    /// # Errors
    ///
    /// Those of the formatter.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// Objects of a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects<'a> {
    /// Objects that the condition names, in its order.
    pub named: Vec<&'a ObjectId>,
    /// Objects that have to be brought into another place or state, for which the robot needs
    /// fingers. Objects that only have to be somewhere, to stay or to rest are not included.
    pub moved: Vec<&'a ObjectId>,
}

/// Evidence about an episode.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Ground truth at the start, after settling.
    pub first: &'a GroundTruth,
    /// Ground truth at the end.
    pub last: &'a GroundTruth,
    /// Ground truth at short intervals after the end; `None` if the world was not watched after the
    /// end, so that conditions are judged at the end only.
    pub after: Option<&'a [GroundTruth]>,
}

impl<'a> Evidence<'a> {
    /// Returns an object at the end.
    pub(crate) fn object(&self, id: &ObjectId) -> Result<&'a GroundTruthObject, Finding> {
        find(self.last, id)
    }

    /// Displacement of an object's origin since the start, in World, m.
    pub(crate) fn moved(&self, id: &ObjectId) -> Result<Vector3<f64>, Finding> {
        Ok(origin(self.object(id)?) - origin(find(self.first, id)?))
    }
}

/// Finding about a condition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::From)]
pub enum Finding {
    /// Finding about the condition itself, with figures.
    #[from]
    Itself(String),
    /// Findings about the condition's parts.
    Parts(Vec<Unmet>),
}

/// Condition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, derive_more::Display)]
#[display("{condition}: {found}")]
pub struct Unmet {
    /// Condition as text.
    pub condition: String,
    /// Finding, with figures.
    pub found: String,
}

pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Finding> {
    if holds {
        Ok(())
    } else {
        Err(otherwise().into())
    }
}

/// Checks that no part of a condition is unmet.
pub(crate) fn ensure_none(unmet: Vec<Unmet>) -> Result<(), Finding> {
    match unmet.is_empty() {
        true => Ok(()),
        false => Err(Finding::Parts(unmet)),
    }
}

pub(crate) fn find<'a>(
    truth: &'a GroundTruth,
    id: &ObjectId,
) -> Result<&'a GroundTruthObject, Finding> {
    let found = truth.object(id);
    found.ok_or_else(|| format!("the world has no object `{id}`").into())
}

pub(crate) fn origin(object: &GroundTruthObject) -> Vector3<f64> {
    object.world_from_object.translation.vector
}

/// Returns true if the centre of one object is within the bounding box of another, seen from above.
pub(crate) fn is_above(object: &GroundTruthObject, target: &GroundTruthObject) -> bool {
    let center = object.shape.aabb(&object.world_from_object).center();
    let below = target.shape.aabb(&target.world_from_object);
    below.covers(center[0], center[1])
}

pub(crate) fn touch(a: &GroundTruthObject, b: &GroundTruthObject) -> bool {
    a.touches.contains(&b.id) || b.touches.contains(&a.id)
}

pub(crate) fn mm(m: f64) -> String {
    format!("{:.1} mm", m * 1e3)
}

pub(crate) fn joined(ids: &[ObjectId]) -> String {
    let ids: Vec<_> = ids.iter().map(ObjectId::as_str).collect();
    ids.join(", ")
}
