//! What every success condition can do, and what it is judged by.

use std::fmt;

use nalgebra::Vector3;
use regrasp_api::{Goal, ObjectId};
use serde::{Deserialize, Serialize};

use crate::{GroundTruth, GroundTruthObject, Known, Wrong};

/// One kind of success condition.
///
/// Judging is a pure function of what was [`Evidence`]. A value that is not a number holds nowhere.
pub trait Condition: fmt::Debug {
    /// Checks it against a scene, and fills in what only the scene knows.
    ///
    /// # Errors
    ///
    /// [`Wrong`]: what does not fit, and what would be right.
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong>;

    /// Whether it holds.
    ///
    /// # Errors
    ///
    /// [`Finding`]: what was found instead.
    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding>;

    /// The objects that it is about.
    fn objects(&self) -> Objects<'_> {
        Objects::default()
    }

    /// The goals that have to hold for it, as far as it is made of such.
    fn goals(&self) -> Vec<Goal> {
        Vec::new()
    }

    /// For how long the world has to be watched after the end to judge it, s.
    fn watch_secs(&self) -> f64 {
        0.0
    }

    /// Writes it as text, as it stands in verdicts and messages.
    ///
    /// # Errors
    ///
    /// That of the formatter.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// The objects that a condition is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects<'a> {
    /// Those that it names, in order.
    pub named: Vec<&'a ObjectId>,
    /// Those that it wants in another place or state than before: what it takes fingers to bring
    /// about. What only has to be somewhere, to stay or to rest is not among them.
    pub moved: Vec<&'a ObjectId>,
}

impl<'a> Objects<'a> {
    /// Objects of which none is to be moved.
    pub(crate) fn named(named: impl IntoIterator<Item = &'a ObjectId>) -> Self {
        Self {
            named: named.into_iter().collect(),
            moved: Vec::new(),
        }
    }

    /// An object that is to be moved, and others that are named with it.
    pub(crate) fn moved(
        object: &'a ObjectId,
        others: impl IntoIterator<Item = &'a ObjectId>,
    ) -> Self {
        Self {
            named: std::iter::once(object).chain(others).collect(),
            moved: vec![object],
        }
    }
}

/// All that a judge sees of an episode.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The truth at the start, after settling.
    pub first: &'a GroundTruth,
    /// The truth at the end.
    pub last: &'a GroundTruth,
    /// The truth at short intervals after the end. Without it only the end counts.
    pub after: Option<&'a [GroundTruth]>,
}

impl<'a> Evidence<'a> {
    /// An object at the end.
    pub(crate) fn object(&self, id: &ObjectId) -> Result<&'a GroundTruthObject, Finding> {
        find(self.last, id)
    }

    /// By how much an object's origin has moved since the start, in World, m.
    pub(crate) fn moved(&self, id: &ObjectId) -> Result<Vector3<f64>, Finding> {
        Ok(origin(self.object(id)?) - origin(find(self.first, id)?))
    }
}

/// What was found where a condition does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Of the condition itself, with figures.
    Itself(String),
    /// Of those that it consists of.
    Parts(Vec<Unmet>),
}

impl From<String> for Finding {
    fn from(found: String) -> Self {
        Self::Itself(found)
    }
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

pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Finding> {
    if holds {
        Ok(())
    } else {
        Err(otherwise().into())
    }
}

pub(crate) fn find<'a>(
    truth: &'a GroundTruth,
    id: &ObjectId,
) -> Result<&'a GroundTruthObject, Finding> {
    let found = truth.object(id);
    found.ok_or_else(|| format!("there is no {id} in the world").into())
}

pub(crate) fn origin(object: &GroundTruthObject) -> Vector3<f64> {
    object.world_from_object.translation.vector
}

/// Whether the middle of one object is over the bounding box of another.
pub(crate) fn is_above(object: &GroundTruthObject, target: &GroundTruthObject) -> bool {
    let center = object.shape.aabb(&object.world_from_object).center();
    let below = target.shape.aabb(&target.world_from_object);
    (0..2).all(|i| (below.min[i]..=below.max[i]).contains(&center[i]))
}

pub(crate) fn touch(a: &GroundTruthObject, b: &GroundTruthObject) -> bool {
    a.touches.contains(&b.id) || b.touches.contains(&a.id)
}

/// A length in millimetres.
pub(crate) fn mm(m: f64) -> String {
    format!("{:.1} mm", m * 1e3)
}

/// Names in a row.
pub(crate) fn joined(ids: &[ObjectId]) -> String {
    let ids: Vec<_> = ids.iter().map(ObjectId::as_str).collect();
    ids.join(", ")
}
