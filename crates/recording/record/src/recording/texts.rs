//! Incremental encoding of lists.

use serde::Serialize;

/// A list as JSON in which only changed items are encoded again: most objects stand still, and
/// encoding numbers dominates the cost of a recording.
pub(crate) struct Texts<K> {
    items: Vec<(K, Vec<u8>)>,
    text: Vec<u8>,
}

impl<K> Default for Texts<K> {
    fn default() -> Self {
        Self {
            items: vec![],
            text: vec![],
        }
    }
}

impl<K: Serialize> Texts<K> {
    /// Updates the text `{"name":[...]}`. `is` returns true if an item would be encoded as the
    /// cached one, and `of` converts an item for encoding.
    pub(crate) fn update<'a, T: 'a>(
        &mut self,
        name: &str,
        list: impl Iterator<Item = &'a T>,
        is: impl Fn(&K, &T) -> bool,
        of: impl Fn(&T) -> K,
    ) {
        self.text.clear();
        self.text.extend_from_slice(b"{\"");
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(b"\":[");
        let mut n = 0;
        for item in list {
            if n > 0 {
                self.text.push(b',');
            }
            match self.items.get_mut(n) {
                Some((key, _)) if is(key, item) => {}
                Some((key, text)) => {
                    *key = of(item);
                    encode(key, text);
                }
                None => {
                    let key = of(item);
                    let mut text = vec![];
                    encode(&key, &mut text);
                    self.items.push((key, text));
                }
            }
            self.text.extend_from_slice(&self.items[n].1);
            n += 1;
        }
        self.items.truncate(n);
        self.text.extend_from_slice(b"]}");
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }
}

fn encode(value: &impl Serialize, text: &mut Vec<u8>) {
    text.clear();
    // Writing plain numbers and names to memory cannot fail.
    if serde_json::to_writer(&mut *text, value).is_err() {
        text.extend_from_slice(b"null");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_written_as_it_is_however_it_was_before() {
        let mut texts = Texts::<u32>::default();
        let mut said = |list: &[u32]| {
            texts.update("n", list.iter(), |k, i| k == i, |i| *i);
            String::from_utf8_lossy(texts.text()).into_owned()
        };
        assert_eq!(said(&[]), r#"{"n":[]}"#);
        assert_eq!(said(&[1, 2, 3]), r#"{"n":[1,2,3]}"#);
        assert_eq!(said(&[1, 5, 3]), r#"{"n":[1,5,3]}"#);
        assert_eq!(said(&[7]), r#"{"n":[7]}"#);
        assert_eq!(said(&[7, 2, 3]), r#"{"n":[7,2,3]}"#);
    }
}
