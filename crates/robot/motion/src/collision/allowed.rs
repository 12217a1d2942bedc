//! Pairs that may touch.

/// Names of links, obstacles and held objects that may touch each other: an allowed-collision
/// matrix that keeps only the allowing entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedContacts {
    pairs: Vec<[String; 2]>,
}

impl AllowedContacts {
    /// Allows two objects to touch, in either order.
    pub fn allow(&mut self, a: &str, b: &str) {
        if !self.allows(a, b) {
            self.pairs.push([a.to_owned(), b.to_owned()]);
        }
    }

    /// Returns true if two objects may touch.
    pub fn allows(&self, a: &str, b: &str) -> bool {
        let mut pairs = self.pairs.iter();
        pairs.any(|[x, y]| (x == a && y == b) || (x == b && y == a))
    }

    /// Returns true if no pair may touch.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Adds all pairs of another set.
    pub fn extend(&mut self, other: &Self) {
        for [a, b] in &other.pairs {
            self.allow(a, b);
        }
    }
}
