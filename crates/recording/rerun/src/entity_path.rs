//! Where in the file something is.

use std::fmt;

/// The path of an entity, part by part; a part may hold any text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityPath(Vec<String>);

impl EntityPath {
    /// A path of these parts.
    pub fn new<S: Into<String>>(parts: impl IntoIterator<Item = S>) -> Self {
        Self(parts.into_iter().map(Into::into).collect())
    }

    /// Its parts, from the root on.
    pub fn parts(&self) -> &[String] {
        &self.0
    }

    /// Something below it.
    pub fn child(&self, part: impl Into<String>) -> Self {
        let mut parts = self.0.clone();
        parts.push(part.into());
        Self(parts)
    }

    /// Returns true if it is `other`, or below it.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// What has a place in World.
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

    /// What a camera sees.
    pub fn picture(camera: &str) -> Self {
        Self::camera(camera).child("picture")
    }

    /// What touches the robot.
    pub fn contacts() -> Self {
        Self::new(["world", "contacts"])
    }

    /// The ways that were planned for the tool in the present step.
    pub fn planned() -> Self {
        Self::new(["world", "paths", "planned"])
    }

    /// The way that the tool took in the present step.
    pub fn executed() -> Self {
        Self::new(["world", "paths", "executed"])
    }

    /// Ways to take hold of an object with one verdict.
    pub fn grasps(object: &str, verdict: &str) -> Self {
        Self::new(["world", "grasps", object, verdict])
    }

    /// Tool poses to which no motion was found.
    pub fn no_motion() -> Self {
        Self::new(["world", "failure", "no_motion"])
    }

    /// What would touch, or did.
    pub fn touching() -> Self {
        Self::new(["world", "failure", "touching"])
    }

    /// The plan, as a document.
    pub fn plan() -> Self {
        Self::new(["plan"])
    }

    /// What went wrong, as a document.
    pub fn failures() -> Self {
        Self::new(["failures"])
    }

    /// What happened, line by line.
    pub fn story() -> Self {
        Self::new(["story"])
    }

    /// Figures over time: a group of one unit, and one of it.
    pub fn signal(group: &str, name: &str) -> Self {
        Self::new(["signals", group, name])
    }

    /// A group of figures of one unit.
    pub fn signals(group: &str) -> Self {
        Self::new(["signals", group])
    }
}

impl fmt::Display for EntityPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.0.join("/"))
    }
}
