//! Errors of the conversion to parry's shapes.

/// Reason why a shape cannot be converted to parry's shapes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Flaw {
    /// A length is negative or not finite, or zero for [`Use::Contacts`](crate::Use::Contacts).
    #[error("its shape has a size of {0} m; expected a positive length")]
    BadLength(f64),
    /// The points have no hull with volume, or some are not finite.
    #[error("its {0} points have no convex hull: they span no volume, or some are not finite")]
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
