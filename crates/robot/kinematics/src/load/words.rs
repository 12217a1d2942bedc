//! Sentences that several checks need.

/// Says that a text is no URDF.
pub(super) fn no_urdf(why: impl std::fmt::Display) -> String {
    format!("this is not a valid URDF: {why}")
}

/// Names in a message.
pub(super) fn listed<T: AsRef<str>>(names: impl IntoIterator<Item = T>, between: &str) -> String {
    let names: Vec<T> = names.into_iter().collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.join(between)
}
