//! Scopes of options, as groups of clap: options that act on the same thing.
//!
//! A way of using a command in which that thing does not exist refuses all of them (`effect`). The
//! options of a struct that is flattened whole need no scope of their own: clap groups them by the
//! name of the struct.

/// Always has an effect.
pub(crate) const ALWAYS: &str = "always";
/// Who plans.
pub(crate) const PLANNER: &str = "who plans";
/// Replanning, and what is asked and repeated meanwhile.
pub(crate) const REPLANNING: &str = "replanning";
/// From where left and right are meant.
pub(crate) const VIEWPOINT: &str = "view of left and right";
/// The model that plans, and how it is asked.
pub(crate) const MODEL: &str = "asked model";
/// Time that the model may take for a plan.
pub(crate) const PATIENCE: &str = "patience with the model";
/// Remedies of a failure.
pub(crate) const REMEDIES: &str = "told remedies";
/// Pictures that the planner is shown.
pub(crate) const SHOWN: &str = "shown pictures";
/// Cameras whose pictures a model is shown.
pub(crate) const CAMERAS: &str = "shown cameras";
/// Perception of a simulated world.
pub(crate) const SENSES: &str = "senses";
/// The simulated world.
pub(crate) const WORLD: &str = "simulated world";
/// Pace of simulated time.
pub(crate) const TIME: &str = "simulated time";
/// Choice of the runs that are recorded.
pub(crate) const RECORD: &str = "recorded runs";
/// Recorded frames.
pub(crate) const RECORDED_FRAMES: &str = "recorded frames";
/// Recorded pictures.
pub(crate) const RECORDED_PICTURES: &str = "recorded pictures";
/// Whatever outlives a run.
pub(crate) const KEPT: &str = "kept run";
/// Motion, or a dry run.
pub(crate) const MOTION: &str = "motion at all";
/// The recovery suite.
pub(crate) const RECOVERY: &str = "recovery suite";
/// Time limit of an episode.
pub(crate) const TIMEOUT: &str = "time of an episode";
/// Pictures of failed episodes.
pub(crate) const FAILURE_PICTURES: &str = "pictures of failures";
/// Speed of a real arm.
pub(crate) const ARM_SPEED: &str = "speed of a real arm";

/// All of them.
pub(crate) const SCOPES: &[&str] = &[
    ALWAYS,
    PLANNER,
    REPLANNING,
    VIEWPOINT,
    MODEL,
    PATIENCE,
    REMEDIES,
    SHOWN,
    CAMERAS,
    SENSES,
    WORLD,
    TIME,
    RECORD,
    RECORDED_FRAMES,
    RECORDED_PICTURES,
    KEPT,
    MOTION,
    RECOVERY,
    TIMEOUT,
    FAILURE_PICTURES,
    ARM_SPEED,
];
