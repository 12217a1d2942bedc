//! Which pairs may touch.

/// Pairs of things that may touch: names of links, of obstacles, and of what is held.
/// An allowed-collision matrix of which only the entries that allow are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedContacts {
    pairs: Vec<[String; 2]>,
}

impl AllowedContacts {
    /// Lets two things touch, in either order.
    pub fn allow(&mut self, a: &str, b: &str) {
        if !self.allows(a, b) {
            self.pairs.push([a.to_owned(), b.to_owned()]);
        }
    }

    /// Returns true if two things may touch.
    pub fn allows(&self, a: &str, b: &str) -> bool {
        let mut pairs = self.pairs.iter();
        pairs.any(|[x, y]| (x == a && y == b) || (x == b && y == a))
    }

    /// Returns true if nothing may touch anything.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Lets touch what another one does.
    pub fn extend(&mut self, other: &Self) {
        for [a, b] in &other.pairs {
            self.allow(a, b);
        }
    }
}
