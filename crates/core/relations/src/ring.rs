//! Rings: relations that would need each thing to come before itself.

/// Those of some relations that lead around in a ring; none if the things can be put in an order.
/// `ends` gives what comes before and what comes after.
pub fn ring<T>(mut relations: Vec<T>, ends: impl Fn(&T) -> [&str; 2]) -> Vec<T> {
    loop {
        let leads_on = |relation: &T| {
            let [before, after] = ends(relation);
            let is_end = |side: usize, id: &str| relations.iter().any(|r| ends(r)[side] == id);
            is_end(1, before) && is_end(0, after)
        };
        let stay: Vec<bool> = relations.iter().map(leads_on).collect();
        if !stay.contains(&false) {
            return relations;
        }
        let mut stay = stay.into_iter();
        relations.retain(|_| stay.next() == Some(true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_back_to_itself_is_a_ring() {
        let of = |text: &'static str| {
            let pairs = text.split(' ').map(|pair| pair.split_at(1));
            ring(pairs.collect(), |(a, b)| [*a, *b]).len()
        };
        for (text, n) in [
            ("ab bc", 0),
            ("ab ac bd cd", 0),
            ("ab ba", 2),
            ("ab bc ca", 3),
            ("ab ba bc cd", 2),
        ] {
            assert_eq!(of(text), n, "{text}");
        }
    }
}
