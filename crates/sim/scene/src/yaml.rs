//! Parses YAML into a tree in which every value knows its line.
//!
//! serde's derives would be shorter, but stop at the parser's own messages. With this tree every
//! check, even of the whole file, can name the line, the allowed keys and the nearest spelling.

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Error, Spanned};

use crate::{Problem, Result};

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

/// Empty mapping, used for a mapping that a file leaves out.
pub(crate) static EMPTY: Node = Node {
    line: 1,
    value: Value::Map(vec![]),
};

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) node: Node,
}

pub(crate) fn parse(file: &str, text: &str) -> Result<Node> {
    // Only `true` and `false` are booleans: `on` and `y` are keys here.
    let options = serde_saphyr::options! {
        with_snippet: false,
        strict_booleans: true,
    };
    serde_saphyr::from_str_with_options::<Node>(text, options).map_err(|error| {
        let line = error.location().map_or(1, |l| to_line(l.line()));
        let problem = match error.without_snippet() {
            Error::DuplicateMappingKey { key: Some(key), .. } => {
                format!("the key `{key}` is given twice").into()
            }
            Error::MultipleDocuments { .. } => {
                "a second document begins here, but only one is allowed; remove `---`, or split the file"
                    .into()
            }
            Error::NonFiniteFloat { value, .. } => {
                format!("`{value}` is not a finite number").into()
            }
            other => Problem::not_yaml(other),
        };
        problem.at(file, line)
    })
}

fn to_line(line: u64) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX).max(1)
}

impl Value {
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Null => "empty".to_owned(),
            Self::Bool(b) => format!("`{b}`"),
            Self::Number(x) => format!("the number {x}"),
            Self::Text(text) => format!("the text `{text}`"),
            Self::List(items) => format!("a list of {}", items.len()),
            Self::Map(_) => "a mapping".to_owned(),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Value>::deserialize(deserializer)?;
        Ok(Self {
            line: to_line(spanned.referenced.line()),
            value: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<Node>()? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Node>()? {
            let Value::Text(name) = key.value else {
                return Err(A::Error::custom(format!(
                    "a key must be a word, but is {}",
                    key.value.describe()
                )));
            };
            entries.push(Entry {
                key: name,
                line: key.line,
                node: map.next_value()?,
            });
        }
        Ok(Value::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_knows_its_line() {
        let text = "# a comment\nname: x\nlist:\n  - 1\n  - {a: 2.5}\nquoted: \"3\"\nnothing:\n";
        let node = parse("f", text).unwrap();
        let Value::Map(entries) = &node.value else {
            panic!("a mapping expected, got {node:?}")
        };
        let lines: Vec<_> = entries.iter().map(|e| (e.key.as_str(), e.line)).collect();
        let expected = [("name", 2), ("list", 3), ("quoted", 6), ("nothing", 7)];
        assert_eq!(lines, expected);
        let Value::List(items) = &entries[1].node.value else {
            panic!("a list expected")
        };
        assert_eq!((items[0].line, items[1].line), (4, 5));
        assert!(matches!(&entries[2].node.value, Value::Text(t) if t == "3"));
        assert!(matches!(entries[3].node.value, Value::Null));
    }

    #[test]
    fn broken_yaml_names_its_line() {
        for (text, line) in [("a: 1\nb: [1, 2\n", 2..=3), ("a: 1\na: 2\n", 2..=2)] {
            let error = parse("f.yaml", text).unwrap_err();
            let at = error.line().unwrap();
            assert!(line.contains(&at), "{error} is at line {at}, not {line:?}");
        }
    }
}
