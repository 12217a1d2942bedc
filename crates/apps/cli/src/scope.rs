//! Scopes of options, as groups of clap: options that act on the same thing.
//!
//! In a mode of a command without that thing, all of them are rejected (`effect`). The options of a
//! flattened struct need no scope: clap groups them by the struct's name.

/// Declares scopes, and the list of all.
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
    PLANNER = "who plans";
    /// Replanning, approvals and repeated calls.
    REPLANNING = "replanning";
    /// Viewpoint for left and right.
    VIEWPOINT = "view of left and right";
    /// Model that plans, and its requests.
    MODEL = "asked model";
    /// Time limit of the model for a plan.
    PATIENCE = "patience with the model";
    /// Remedies of a failure.
    REMEDIES = "told remedies";
    /// Pictures for the planner.
    SHOWN = "shown pictures";
    /// Cameras of the pictures for a model.
    CAMERAS = "shown cameras";
    /// Perception of a simulated world.
    SENSES = "senses";
    WORLD = "simulated world";
    /// Pace of simulated time.
    TIME = "simulated time";
    /// Choice of the runs that are recorded.
    RECORD = "recorded runs";
    RECORDED_FRAMES = "recorded frames";
    RECORDED_PICTURES = "recorded pictures";
    /// Data that outlive a run.
    KEPT = "kept run";
    /// Motion, as opposed to a dry run.
    MOTION = "motion at all";
    RECOVERY = "recovery suite";
    /// Time limit of an episode.
    TIMEOUT = "time of an episode";
    FAILURE_PICTURES = "pictures of failures";
    ARM_SPEED = "speed of a real arm";
}
