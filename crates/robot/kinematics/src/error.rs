//! What can be wrong with a URDF or with a request for a chain.

use std::path::PathBuf;

use thiserror::Error;

/// A robot that could not be loaded: "failed to load robot `panda.urdf`: …".
#[derive(Debug, Error)]
#[error("load robot `{urdf}`: {problem}")]
pub struct LoadError {
    /// Path of the URDF, or `<string>`.
    pub urdf: String,
    /// What is wrong with it.
    pub problem: Box<LoadProblem>,
}

/// What is wrong with a URDF. Names the element that is at fault.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum LoadProblem {
    #[error("the file cannot be read: {0}")]
    Read(std::io::Error),
    #[error("this is not a valid URDF: {message}")]
    Parse { message: String },
    #[error(
        "line {line} is xacro, not URDF yet: write `xacro arm.urdf.xacro > arm.urdf`, and name \
         the file that comes out in the robot file"
    )]
    Xacro { line: u32 },
    #[error("line {line}: `{attribute}` of {element} is `{value}`, which is not {expected}")]
    BadValue {
        element: String,
        attribute: String,
        value: String,
        expected: String,
        line: u32,
    },
    #[error("line {line}: {element} lacks {what}")]
    Lacks {
        element: String,
        what: String,
        line: u32,
    },
    #[error(
        "joint `{joint}` has no speed: give its <limit> a `velocity`, or the robot file \
         `max_velocity_rad_per_s`"
    )]
    MissingSpeed { joint: String },
    #[error("there is no link")]
    NoLinks,
    #[error("{element} name `{name}` is used more than once")]
    DuplicateName { element: &'static str, name: String },
    #[error("joint `{joint}` refers to unknown {role} link `{link}` (known links: {})", known.join(", "))]
    UnknownLink {
        joint: String,
        role: &'static str,
        link: String,
        known: Vec<String>,
    },
    #[error("link `{link}` is the child of two joints, `{first}` and `{second}`")]
    TwoParents {
        link: String,
        first: String,
        second: String,
    },
    #[error("the links do not form one tree: `{}` are all roots", roots.join("`, `"))]
    SeveralRoots { roots: Vec<String> },
    #[error("the links form a cycle through `{}`", links.join("`, `"))]
    Cycle { links: Vec<String> },
    #[error(
        "joint `{joint}` has the type {kind}, which is not supported (supported: revolute, continuous, prismatic, fixed)"
    )]
    UnsupportedJoint { joint: String, kind: &'static str },
    #[error("joint `{joint}` has the axis {axis:?}, which has no direction")]
    BadAxis { joint: String, axis: [f64; 3] },
    #[error("{element} has the non-finite origin xyz {xyz:?} rpy {rpy:?}")]
    BadOrigin {
        element: String,
        xyz: [f64; 3],
        rpy: [f64; 3],
    },
    #[error("joint `{joint}` has no <limit>, which its type requires")]
    MissingLimits { joint: String },
    #[error("joint `{joint}` has a lower limit of {lower} above its upper limit of {upper}")]
    LimitsSwapped {
        joint: String,
        lower: f64,
        upper: f64,
    },
    #[error("joint `{joint}` has a {quantity} of {value}, which must be finite{}", if *.may_be_negative {""} else {" and not negative"})]
    BadJointValue {
        joint: String,
        quantity: &'static str,
        value: f64,
        may_be_negative: bool,
    },
    #[error("joint `{joint}` mimics unknown joint `{source_joint}` (known joints: {})", known.join(", "))]
    UnknownMimic {
        joint: String,
        source_joint: String,
        known: Vec<String>,
    },
    #[error("joint `{joint}` mimics `{source_joint}`, and one of the two is fixed")]
    FixedMimic { joint: String, source_joint: String },
    #[error("joints mimic each other in a circle: `{}`", joints.join("`, `"))]
    MimicCycle { joints: Vec<String> },
    #[error("link `{link}` has a mass of {mass_kg} kg, which must be finite and positive")]
    BadMass { link: String, mass_kg: f64 },
    #[error(
        "link `{link}` has an inertia that is not positive definite (principal moments {moments:?} \
         kg m²); if it is not known, give that of a ball, 0.4 m r² about each axis"
    )]
    BadInertia { link: String, moments: [f64; 3] },
    #[error("{element} has a {quantity} of {value}, which must be finite and {}", if *.may_be_negative {"not zero"} else {"positive"})]
    BadSize {
        element: String,
        quantity: &'static str,
        value: f64,
        may_be_negative: bool,
    },
    #[error("{element} has the mesh `{filename}`, {problem}")]
    Mesh {
        element: String,
        filename: String,
        problem: MeshProblem,
    },
}

/// What is wrong with a mesh file.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum MeshProblem {
    #[error("which does not exist (looked in: {})", listed(searched))]
    Missing { searched: Vec<PathBuf> },
    #[error(
        "whose package `{package}` was not found: no folder of that name holds the URDF or lies \
         beside it, nor in `package_paths` ({}); list the folder that holds `{package}` under \
         `package_paths` in the robot file",
        listed(package_paths)
    )]
    UnknownPackage {
        package: String,
        package_paths: Vec<PathBuf>,
    },
    #[error("whose address is not understood (expected a path, package:// or file://)")]
    UnknownScheme,
    #[error("which cannot be read: {message}")]
    Unreadable { message: String },
    #[error("which has no triangles")]
    Empty,
    #[error("which has a vertex that is not finite or a triangle without vertices")]
    Corrupt,
}

/// Why two links do not span a chain: "failed to build the chain …".
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChainError {
    /// There is no such link.
    #[error("build the chain: unknown link `{link}` (known links: {})", known.join(", "))]
    UnknownLink {
        /// The name asked for.
        link: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The tip does not hang on the base.
    #[error("build the chain: link `{tip}` does not hang on link `{base}`")]
    NotConnected {
        /// First link of the chain asked for.
        base: String,
        /// Last link of the chain asked for.
        tip: String,
    },
    /// Nothing moves between base and tip.
    #[error("build the chain: nothing moves between link `{base}` and link `{tip}`")]
    NoJoints {
        /// First link of the chain asked for.
        base: String,
        /// Last link of the chain asked for.
        tip: String,
    },
    /// More joints move than a chain can hold.
    #[error(
        "build the chain: {n_joints} joints move between link `{base}` and link `{tip}`, at most {max} can"
    )]
    TooManyJoints {
        /// First link of the chain asked for.
        base: String,
        /// Last link of the chain asked for.
        tip: String,
        /// How many joints move between them.
        n_joints: usize,
        /// The most a chain can hold.
        max: usize,
    },
    /// A joint of the chain mimics one outside it, so its position is unknown.
    #[error("build the chain: joint `{joint}` mimics `{source_joint}`, which is not on the chain")]
    MimicOutsideChain {
        /// The joint on the chain.
        joint: String,
        /// The joint it follows.
        source_joint: String,
    },
}

fn listed(paths: &[PathBuf]) -> String {
    match paths {
        [] => "empty".to_owned(),
        paths => {
            let shown = paths.iter().map(|path| path.display().to_string());
            shown.collect::<Vec<_>>().join(", ")
        }
    }
}
