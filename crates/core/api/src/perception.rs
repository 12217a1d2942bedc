//! What perception reports.

use serde::{Deserialize, Serialize};

use crate::{
    Aabb, Known, Measured, ObjectId, ObjectJoint, ObjectPort, Observation, PerceivedGroup, Pose,
    Reason, Shape,
};

/// An object as perception reports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerceivedObject {
    /// Stable while the object stays in view.
    pub id: ObjectId,
    /// What kind of thing it is (`cube`, `mug`, `table`).
    pub category: String,
    /// Its colour as a word.
    pub color: Option<String>,
    /// Its shape as far as it is known.
    pub shape: Shape,
    /// Where it is.
    pub world_from_object: Pose,
    /// Standard deviation of its position, m.
    pub position_std_m: f64,
    /// Whether it could be moved (a table is not).
    pub movable: bool,
}

impl PerceivedObject {
    /// The bounding box in World.
    pub fn aabb_in_world(&self) -> Aabb {
        self.shape.aabb(&self.world_from_object)
    }

    /// The origin in World.
    pub fn position(&self) -> nalgebra::Vector3<f64> {
        self.world_from_object.translation.vector
    }
}

/// Everything that perception reports at one instant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percept {
    /// When the picture was taken, s.
    pub time_secs: f64,
    /// What was seen, in a stable order.
    pub objects: Vec<PerceivedObject>,
    /// What is joined to what, as far as it is known.
    #[serde(default)]
    pub joints: Vec<ObjectJoint>,
    /// What goes into what, as far as it is known.
    #[serde(default)]
    pub ports: Vec<ObjectPort>,
    /// What is known of objects without looking at them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Known>,
    /// Small things that are counted, not handled one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<PerceivedGroup>,
    /// Objects that something hides at this instant: they are listed where they were last seen,
    /// or where the hand took them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<ObjectId>,
    /// What was looked for by name and not found, with the reason.
    #[serde(default)]
    pub unseen: Vec<Unseen>,
    /// Time that perceiving takes; the robot stands still for it.
    pub latency_secs: f64,
}

impl Percept {
    /// The object with that id.
    pub fn object(&self, id: &ObjectId) -> Option<&PerceivedObject> {
        self.objects.iter().find(|o| &o.id == id)
    }

    /// The object with that id, if this look shows it.
    pub fn seen(&self, id: &ObjectId) -> Option<&PerceivedObject> {
        self.object(id).filter(|_| !self.hidden.contains(id))
    }

    /// The joint of which that object is a part, the moving or the fixed one.
    pub fn joint_of(&self, id: &ObjectId) -> Option<&ObjectJoint> {
        let moving = self.joints.iter().find(|j| &j.child == id);
        moving.or_else(|| self.joints.iter().find(|j| &j.parent == id))
    }

    /// Ids of everything that can be moved.
    pub fn movable_ids(&self) -> Vec<ObjectId> {
        let movable = self.objects.iter().filter(|o| o.movable);
        movable.map(|o| o.id.clone()).collect()
    }
}

/// Something that was looked for and not found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unseen {
    /// What was looked for.
    pub phrase: String,
    /// Why it was not found.
    pub reason: Reason,
    /// The same in one sentence with figures.
    pub detail: String,
    /// The figures.
    pub measured: Vec<Measured>,
}

/// Perception could not answer at all (not: it saw nothing).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PerceptionError {
    /// The sensors give nothing to go by.
    #[error("perceive the scene: {detail}")]
    Blind {
        /// What went wrong.
        detail: String,
    },
    /// Something that perception depends on does not answer, such as a model. Says nothing
    /// about the robot or the scene.
    #[error("perceive the scene: {detail}")]
    Unavailable {
        /// What went wrong.
        detail: String,
    },
}

impl PerceptionError {
    /// Why a skill that needs to look fails.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Blind { .. } => Reason::VerificationFailed,
            Self::Unavailable { .. } => Reason::PerceptionUnavailable,
        }
    }
}

/// Turns sensors into objects.
pub trait Perception: Send {
    /// A short name for logs (`ground_truth`).
    fn name(&self) -> &str;

    /// Looks once.
    ///
    /// # Errors
    ///
    /// [`PerceptionError`] if no answer could be had.
    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError>;

    /// What later looks depend on besides the world (random state), for a checkpoint.
    fn save(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// Takes back what [`Perception::save`] gave.
    fn restore(&mut self, _state: &serde_json::Value) {}
}
