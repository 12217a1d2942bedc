//! Kinds of perception.

/// Kind of perception.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PerceptionKind {
    /// Objects as they are, from the world's true state.
    #[default]
    GroundTruth,
    /// Objects from colour and depth pictures, without the true state.
    #[cfg(feature = "pixels")]
    Rgbd,
}

impl PerceptionKind {
    /// Name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::GroundTruth => "ground_truth",
            #[cfg(feature = "pixels")]
            Self::Rgbd => "rgbd",
        }
    }
}
