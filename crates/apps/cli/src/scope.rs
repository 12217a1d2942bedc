//! Scopes of options, as groups of clap: options that act on the same part of a run.
//!
//! In a mode of a command without that part, all of them are rejected (`effect`). The options of a
//! flattened struct need no scope: clap groups them by the struct's name.

/// Declares the scopes, and `SCOPES`, the list of all of them.
macro_rules! scopes {
    ($($(#[$about:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$about])* pub(crate) const $name: &str = $text;)*

        pub(crate) const SCOPES: &[&str] = &[$($name),*];
    };
}

scopes! {
    /// Options that always have an effect.
    ALWAYS = "always";
    /// Choice of the planner.
    PLANNER = "planner choice";
    /// Replanning, approvals and repeated calls.
    REPLANNING = "replanning";
    /// Viewpoint for left and right.
    VIEWPOINT = "view of left and right";
    /// Model that plans, and its requests.
    MODEL = "planning model";
    /// Time limit of the model for a plan.
    PATIENCE = "time limit of the model";
    /// Remedies of a failure.
    REMEDIES = "remedies of failures";
    /// Choice of the perception.
    SENSES = "perception choice";
    /// Pictures for the planner.
    SHOWN = "pictures for the planner";
    /// Cameras of the pictures for a model.
    CAMERAS = "cameras for the model";
    WORLD = "simulated world";
    /// Pace of simulated time.
    TIME = "simulated time";
    /// Choice of the runs that are recorded.
    RECORD = "recorded runs";
    RECORDED_FRAMES = "recorded frames";
    RECORDED_PICTURES = "recorded pictures";
    /// Data that outlive a run.
    KEPT = "data kept of a run";
    /// Motion, as opposed to a dry run.
    MOTION = "any motion";
    RECOVERY = "recovery suite";
    /// Time limit of an episode.
    TIMEOUT = "time of an episode";
    FAILURE_PICTURES = "pictures of failures";
    ARM_SPEED = "speed of a real arm";
}
