//! Reasons why a shape is none of parry's.

/// Why a shape is none of parry's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Flaw {
    /// A length that is none.
    #[error("a size of its shape is {0} m, not a positive length")]
    Size(f64),
    /// Points without a hull.
    #[error("{0} points that span no volume have no convex hull")]
    Flat(usize),
    /// A height field without a surface.
    #[error("as a height field it is wrong: {0}")]
    Relief(String),
    /// A cloud without points.
    #[error("its points are none, or not all of them are numbers")]
    Cloud,
    /// Nothing at all.
    #[error("its shape has no parts")]
    Empty,
}
