//! Scopes of options, as groups of clap: options that act on the same thing.
//!
//! A way of using a command in which that thing does not exist refuses all of them (`effect`). The
//! options of a struct that is flattened whole need no scope of their own: clap groups them by the
//! name of the struct.

/// Names scopes, and lists all of them.
macro_rules! scopes {
    ($($(#[$about:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$about])* pub(crate) const $name: &str = $text;)*

        /// All of them.
        pub(crate) const SCOPES: &[&str] = &[$($name),*];
    };
}

scopes! {
    /// Always has an effect.
    ALWAYS = "always";
    /// Who plans.
    PLANNER = "who plans";
    /// Replanning, and what is asked and repeated meanwhile.
    REPLANNING = "replanning";
    /// From where left and right are meant.
    VIEWPOINT = "view of left and right";
    /// The model that plans, and how it is asked.
    MODEL = "asked model";
    /// Time that the model may take for a plan.
    PATIENCE = "patience with the model";
    /// Remedies of a failure.
    REMEDIES = "told remedies";
    /// Pictures that the planner is shown.
    SHOWN = "shown pictures";
    /// Cameras whose pictures a model is shown.
    CAMERAS = "shown cameras";
    /// Perception of a simulated world.
    SENSES = "senses";
    /// The simulated world.
    WORLD = "simulated world";
    /// Pace of simulated time.
    TIME = "simulated time";
    /// Choice of the runs that are recorded.
    RECORD = "recorded runs";
    /// Recorded frames.
    RECORDED_FRAMES = "recorded frames";
    /// Recorded pictures.
    RECORDED_PICTURES = "recorded pictures";
    /// Whatever outlives a run.
    KEPT = "kept run";
    /// Motion, or a dry run.
    MOTION = "motion at all";
    /// The recovery suite.
    RECOVERY = "recovery suite";
    /// Time limit of an episode.
    TIMEOUT = "time of an episode";
    /// Pictures of failed episodes.
    FAILURE_PICTURES = "pictures of failures";
    /// Speed of a real arm.
    ARM_SPEED = "speed of a real arm";
}
