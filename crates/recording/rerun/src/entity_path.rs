//! Paths of entities in the file.

use std::fmt;

/// Path of an entity as a list of parts, each with any text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityPath(Vec<String>);

impl EntityPath {
    /// Creates a path from its parts.
    pub fn new<S: Into<String>>(parts: impl IntoIterator<Item = S>) -> Self {
        Self(parts.into_iter().map(Into::into).collect())
    }

    /// Parts of the path, root first.
    pub fn parts(&self) -> &[String] {
        &self.0
    }

    /// Appends a part.
    pub fn child(&self, part: impl Into<String>) -> Self {
        let mut parts = self.0.clone();
        parts.push(part.into());
        Self(parts)
    }

    /// Returns true if the path equals `other` or is below it.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// Root of all entities with a pose in World.
    pub fn world() -> Self {
        Self::new(["world"])
    }

    /// A link of the robot.
    pub fn link(name: &str) -> Self {
        Self::new(["world", "robot", name])
    }

    /// An object.
    pub fn object(id: &str) -> Self {
        Self::new(["world", "objects", id])
    }

    /// A camera.
    pub fn camera(name: &str) -> Self {
        Self::new(["world", "cameras", name])
    }

    /// Picture of a camera.
    pub fn picture(camera: &str) -> Self {
        Self::camera(camera).child("picture")
    }

    /// Contacts of the robot.
    pub fn contacts() -> Self {
        Self::new(["world", "contacts"])
    }

    /// Planned tool paths of the current step.
    pub fn planned() -> Self {
        Self::new(["world", "paths", "planned"])
    }

    /// Executed tool path of the current step.
    pub fn executed() -> Self {
        Self::new(["world", "paths", "executed"])
    }

    /// Grasps of an object with one verdict.
    pub fn grasps(object: &str, verdict: &str) -> Self {
        Self::new(["world", "grasps", object, verdict])
    }

    /// Tool poses to which no motion was found.
    pub fn no_motion() -> Self {
        Self::new(["world", "failure", "no_motion"])
    }

    /// Contacts that would occur or did.
    pub fn touching() -> Self {
        Self::new(["world", "failure", "touching"])
    }

    /// Document with the plan.
    pub fn plan() -> Self {
        Self::new(["plan"])
    }

    /// Document with the failures.
    pub fn failures() -> Self {
        Self::new(["failures"])
    }

    /// Log of the events.
    pub fn story() -> Self {
        Self::new(["story"])
    }

    /// A signal in a group of signals with one unit.
    pub fn signal(group: &str, name: &str) -> Self {
        Self::new(["signals", group, name])
    }

    /// A group of signals with one unit.
    pub fn signals(group: &str) -> Self {
        Self::new(["signals", group])
    }
}

impl fmt::Display for EntityPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.0.join("/"))
    }
}
