//! Messages that several checks share.

pub(super) fn no_urdf(why: impl std::fmt::Display) -> String {
    format!("this is not a valid URDF: {why}")
}

/// Joins names for a message.
pub(super) fn listed<T: AsRef<str>>(names: impl IntoIterator<Item = T>, between: &str) -> String {
    let names: Vec<T> = names.into_iter().collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.join(between)
}
