//! Paths of entities in the file.

/// Path of an entity as a list of parts. A part may be any text, including slashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[display("/{}", _0.join("/"))]
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
}

/// Generates functions that return the paths of entities.
macro_rules! paths {
    ($($(#[$doc:meta])* $name:ident($($text:ident),*) = [$($part:expr),*];)*) => {
        impl EntityPath {
            $($(#[$doc])* pub fn $name($($text: &str),*) -> Self {
                Self::new([$($part),*])
            })*
        }
    };
}

paths! {
    /// Root of all entities with a pose in World.
    world() = ["world"];
    /// A link of the robot.
    link(name) = ["world", "robot", name];
    /// An object.
    object(id) = ["world", "objects", id];
    /// A camera.
    camera(name) = ["world", "cameras", name];
    /// Picture of a camera.
    picture(camera) = ["world", "cameras", camera, "picture"];
    /// Contacts of the robot.
    contacts() = ["world", "contacts"];
    /// Planned tool paths of the current step.
    planned() = ["world", "paths", "planned"];
    /// Executed tool path of the current step.
    executed() = ["world", "paths", "executed"];
    /// Grasps of an object with one verdict.
    grasps(object, verdict) = ["world", "grasps", object, verdict];
    /// Tool poses to which no motion was found.
    no_motion() = ["world", "failure", "no_motion"];
    /// Contacts that rule out a motion, and contacts that stopped one.
    touching() = ["world", "failure", "touching"];
    /// Document with the plan.
    plan() = ["plan"];
    /// Document with the failures.
    failures() = ["failures"];
    /// Log of the events.
    story() = ["story"];
    /// A signal in a group of signals with one unit.
    signal(group, name) = ["signals", group, name];
    /// A group of signals with one unit.
    signals(group) = ["signals", group];
}
