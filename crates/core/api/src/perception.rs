//! Results of perception.

use serde::{Deserialize, Serialize};

use crate::{
    Connection, Known, KnownZone, Measured, ObjectId, ObjectJoint, ObjectPort, Observation,
    PerceivedGroup, PerceivedObject, PortKind, Reason, Shape, Upright, Zone,
};

/// Result of perception at one instant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percept {
    /// Time at which the pictures were taken, s.
    pub time_secs: f64,
    /// Perceived objects, in a stable order.
    pub objects: Vec<PerceivedObject>,
    /// Joints between objects, as far as known.
    #[serde(default)]
    pub joints: Vec<ObjectJoint>,
    /// Plugs and holes, as far as known.
    #[serde(default)]
    pub ports: Vec<ObjectPort>,
    /// Prior knowledge about objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Known>,
    /// Groups of small objects that are counted, not handled one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<PerceivedGroup>,
    /// Ids of the occluded objects. Their poses are where they were last seen, or where the hand
    /// moved them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<ObjectId>,
    /// Objects that were searched for by name and not found.
    #[serde(default)]
    pub unseen: Vec<Unseen>,
    /// Time that perception takes, s; the robot stands still meanwhile.
    pub latency_secs: f64,
}

impl Percept {
    /// Returns the object with that id.
    pub fn object(&self, id: &ObjectId) -> Option<&PerceivedObject> {
        self.objects.iter().find(|o| &o.id == id)
    }

    /// Returns the object with that id, if it is not occluded.
    pub fn seen(&self, id: &ObjectId) -> Option<&PerceivedObject> {
        self.object(id).filter(|_| !self.hidden.contains(id))
    }

    /// Returns the table: the largest fixed object.
    pub fn table(&self) -> Option<&PerceivedObject> {
        let fixed = self.objects.iter().filter(|o| !o.movable);
        let area = |o: &PerceivedObject| {
            let size = o.aabb_in_world().size();
            size.x * size.y
        };
        fixed.max_by(|a, b| area(a).total_cmp(&area(b)))
    }

    /// Returns the joint whose moving or fixed part is that object.
    pub fn joint_of(&self, id: &ObjectId) -> Option<&ObjectJoint> {
        let moving = self.joints.iter().find(|j| &j.child == id);
        moving.or_else(|| self.joints.iter().find(|j| &j.parent == id))
    }

    /// Returns true for a movable object that is neither the moving nor the fixed part of a joint.
    pub fn is_loose(&self, id: &ObjectId) -> bool {
        self.object(id).is_some_and(|o| o.movable) && self.joint_of(id).is_none()
    }

    /// Returns the ids of all movable objects.
    pub fn movable_ids(&self) -> Vec<ObjectId> {
        let movable = self.objects.iter().filter(|o| o.movable);
        movable.map(|o| o.id.clone()).collect()
    }

    /// Returns the prior knowledge about an object.
    pub fn known(&self, id: &ObjectId) -> Option<&Known> {
        self.known.iter().find(|known| &known.object == id)
    }

    /// Returns an object's declared zone with a name, even if a built-in zone has the same name.
    pub fn declared_zone(&self, id: &ObjectId, zone: &Zone) -> Option<&KnownZone> {
        let zones = &self.known(id)?.zones;
        zones.iter().find(|known| known.name == zone.as_str())
    }

    /// Returns the object that an object is part of.
    pub fn whole_of(&self, id: &ObjectId) -> Option<&ObjectId> {
        self.known(id).and_then(|known| known.part_of.as_ref())
    }

    /// Returns the parts of an object, in the order of the prior knowledge.
    pub fn parts_of<'a>(&'a self, whole: &'a ObjectId) -> impl Iterator<Item = &'a ObjectId> {
        let parts = self.known.iter();
        parts
            .filter(move |known| known.part_of.as_ref() == Some(whole))
            .map(|known| &known.object)
    }

    /// Returns the upright direction of an object of this shape: as declared, otherwise from its
    /// shape. `None` if neither gives one.
    pub fn upright(&self, id: &ObjectId, shape: &Shape) -> Option<Upright> {
        let declared = self.known(id).and_then(|known| known.upright);
        declared.or_else(|| Upright::of_shape(shape))
    }

    /// Returns the plug or the hole of an object.
    pub fn port(&self, id: &ObjectId, kind: PortKind) -> Option<&ObjectPort> {
        self.ports
            .iter()
            .find(|p| &p.object == id && p.kind == kind)
    }

    /// Returns the connection by which one object goes into another, or over it.
    pub fn connection(&self, object: &ObjectId, target: &ObjectId) -> Option<Connection<'_>> {
        Connection::find(&self.ports, object, target)
    }
}

/// Object that was searched for and not found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unseen {
    /// Phrase that was searched for.
    pub phrase: String,
    /// Reason for the failure.
    pub reason: Reason,
    /// Reason in one sentence with figures.
    pub detail: String,
    /// Figures behind the reason.
    pub measured: Vec<Measured>,
}

impl Unseen {
    /// Creates the report without figures.
    pub fn new(phrase: &str, reason: Reason, detail: impl Into<String>) -> Self {
        Self {
            phrase: phrase.to_owned(),
            reason,
            detail: detail.into(),
            measured: vec![],
        }
    }
}

/// Failure to perceive at all, as opposed to an empty scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PerceptionError {
    /// The sensors give no usable data.
    #[error("perceive the scene: {detail}")]
    Blind {
        /// Cause of the failure.
        detail: String,
    },
    /// A dependency of perception, such as a model, does not answer; robot and scene may be fine.
    #[error("perceive the scene: {detail}")]
    Unavailable {
        /// Cause of the failure.
        detail: String,
    },
}

impl PerceptionError {
    /// Returns the reason for the result of a skill that needs to look.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Blind { .. } => Reason::VerificationFailed,
            Self::Unavailable { .. } => Reason::PerceptionUnavailable,
        }
    }
}

/// Turns sensor data into objects.
pub trait Perception: Send {
    /// Returns a short name for logs (`ground_truth`).
    fn name(&self) -> &str;

    /// Looks once.
    ///
    /// # Errors
    ///
    /// [`PerceptionError`] if no answer is available.
    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError>;

    /// Returns internal state that affects later looks (such as random state), for a checkpoint.
    fn save(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// Restores the state from [`Perception::save`].
    fn restore(&mut self, _state: &serde_json::Value) {}
}

/// Referent of a phrase among the perceived objects.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution<'a> {
    /// Exactly one object.
    One(&'a PerceivedObject),
    /// No object.
    None {
        /// All perceived objects.
        known: Vec<ObjectId>,
        /// Known name with the most similar spelling.
        nearest: Option<ObjectId>,
        /// Failed search for the phrase, if perception searched for it by name.
        unseen: Option<&'a Unseen>,
    },
    /// Several candidates.
    Ambiguous(Vec<&'a PerceivedObject>),
}

/// Resolves phrases in skill arguments and goals to objects.
pub trait ReferenceResolver: Send + Sync {
    /// Returns the referent of a phrase in a percept.
    fn resolve<'p>(&self, percept: &'p Percept, phrase: &str) -> Resolution<'p>;
}

/// Resolver for ids only: `red_cube`, also written as words ("red cube").
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactNames;

impl ReferenceResolver for ExactNames {
    fn resolve<'p>(&self, percept: &'p Percept, phrase: &str) -> Resolution<'p> {
        let id = ObjectId::new(phrase);
        let joined = |text: &str| {
            let words: Vec<_> = text.split_whitespace().map(str::to_lowercase).collect();
            ObjectId::new(words.join("_"))
        };
        let name = joined(phrase);
        let found = percept.object(&id).or_else(|| percept.object(&name));
        let known = || percept.objects.iter().map(|o| o.id.clone()).collect();
        let looked_for = |u: &&Unseen| joined(&u.phrase) == name;
        found.map_or_else(
            || Resolution::None {
                known: known(),
                nearest: None,
                unseen: percept.unseen.iter().find(looked_for),
            },
            Resolution::One,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pose, Shape};

    #[test]
    fn only_ids_and_exact_names_are_found_without_a_grammar() {
        let cube = PerceivedObject {
            id: ObjectId::new("red_cube"),
            category: "cube".into(),
            color: Some("red".into()),
            shape: Shape::cuboid([0.012; 3]),
            world_from_object: Pose::translation(0.4, 0.1, 0.05),
            position_std_m: 0.0,
            movable: true,
        };
        let percept = Percept {
            objects: vec![cube.clone()],
            ..Percept::default()
        };
        for phrase in ["red_cube", "Red cube"] {
            let found = ExactNames.resolve(&percept, phrase);
            assert_eq!(found, Resolution::One(&cube), "{phrase}");
        }
        for phrase in ["the red cube", "cube", ""] {
            let found = ExactNames.resolve(&percept, phrase);
            let known = vec![cube.id.clone()];
            let nothing = Resolution::None {
                known,
                nearest: None,
                unseen: None,
            };
            assert_eq!(found, nothing, "{phrase}");
        }
    }
}
