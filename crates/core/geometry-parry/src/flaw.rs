//! Reasons why a shape cannot be converted to parry's shapes.

/// Reason why a shape cannot be converted to parry's shapes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Flaw {
    /// A length is negative or not finite, or zero for [`Use::Contacts`](crate::Use::Contacts).
    #[error("its shape has a size of {0} m; expected a positive length")]
    BadLength(f64),
    /// The points have no hull with volume.
    #[error("its {0} points span no volume, so they have no convex hull")]
    Flat(usize),
    /// The height field has no valid surface.
    #[error("its height field is invalid: {0}")]
    HeightField(String),
    /// The point cloud is empty or has invalid numbers.
    #[error("it has no points, or some that are not finite numbers")]
    BadPoints,
    /// The shape has no parts.
    #[error("its shape has no parts")]
    Empty,
}
