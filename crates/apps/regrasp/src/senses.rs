//! Which senses a robot has.

/// Which perception a robot has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PerceptionKind {
    /// Objects as they are, through the one door to the world's truth.
    #[default]
    GroundTruth,
    /// Objects from colour and depth pictures; nothing is read from the truth.
    #[cfg(feature = "pixels")]
    Rgbd,
}

impl PerceptionKind {
    /// The name that command line and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::GroundTruth => "ground_truth",
            #[cfg(feature = "pixels")]
            Self::Rgbd => "rgbd",
        }
    }
}
