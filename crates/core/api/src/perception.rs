//! What perception reports.

use serde::{Deserialize, Serialize};

use crate::{
    Connection, Known, Measured, ObjectId, ObjectJoint, ObjectPort, Observation, PerceivedGroup,
    PerceivedObject, PortKind, Reason, Shape, Upright,
};

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

    /// Returns true for an object that can be moved away: a door or a drawer moves, on its joint.
    pub fn is_loose(&self, id: &ObjectId) -> bool {
        self.object(id).is_some_and(|o| o.movable) && self.joint_of(id).is_none()
    }

    /// Ids of everything that can be moved.
    pub fn movable_ids(&self) -> Vec<ObjectId> {
        let movable = self.objects.iter().filter(|o| o.movable);
        movable.map(|o| o.id.clone()).collect()
    }

    /// What is known of an object without looking.
    pub fn known(&self, id: &ObjectId) -> Option<&Known> {
        self.known.iter().find(|known| &known.object == id)
    }

    /// Of what an object is a part, if it is.
    pub fn whole_of(&self, id: &ObjectId) -> Option<&ObjectId> {
        self.known(id).and_then(|known| known.part_of.as_ref())
    }

    /// The parts of an object, in the order in which they are known.
    pub fn parts_of<'a>(&'a self, whole: &'a ObjectId) -> impl Iterator<Item = &'a ObjectId> {
        let parts = self.known.iter();
        parts
            .filter(move |known| known.part_of.as_ref() == Some(whole))
            .map(|known| &known.object)
    }

    /// Which way up an object of this shape stands: as declared, else as its shape tells.
    /// `None` where neither says anything.
    pub fn upright(&self, id: &ObjectId, shape: &Shape) -> Option<Upright> {
        let declared = self.known(id).and_then(|known| known.upright);
        declared.or_else(|| Upright::of_shape(shape))
    }

    /// The plug or the hole of an object.
    pub fn port(&self, id: &ObjectId, kind: PortKind) -> Option<&ObjectPort> {
        self.ports
            .iter()
            .find(|p| &p.object == id && p.kind == kind)
    }

    /// How one object goes into another, or over it.
    pub fn connection(&self, object: &ObjectId, target: &ObjectId) -> Option<Connection<'_>> {
        Connection::find(&self.ports, object, target)
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
