//! serde over a YAML tree: derived readers, with the error messages of this crate.
//!
//! Beyond serde's data model, as everywhere in these files, a key without a value counts as absent,
//! and one word may stand for a list of one.

use std::fmt::Display;

use regrasp_ground_truth::{Known, Mistake, Step, Success, Wrong};
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::fields::Field;
use crate::yaml::Value;
use crate::{Problem, Result, SceneError};

/// Reads a value. In messages, `what` names the kind of key that selects a variant: `condition`.
pub(crate) fn read<'a, T: de::Deserialize<'a>>(field: Field<'a>, what: &'static str) -> Result<T> {
    let reader = Reader { field, what };
    T::deserialize(reader).map_err(|error| reader.place(error))
}

/// An error of a derived reader. The innermost enclosing value adds its line.
#[derive(Debug, thiserror::Error)]
enum Complaint {
    #[error("{0}")]
    Placed(Box<SceneError>),
    #[error("unknown word `{0}`")]
    UnknownWord(String, &'static [&'static str]),
    #[error("the key `{0}` is missing")]
    MissingKey(&'static str),
    #[error("it must be {0}")]
    WrongType(String),
    #[error("it is {0}, but must be {1}")]
    NotAllowed(String, String),
    #[error("{0}")]
    Other(String),
}

impl From<SceneError> for Complaint {
    fn from(error: SceneError) -> Self {
        Self::Placed(Box::new(error))
    }
}

impl de::Error for Complaint {
    fn custom<T: Display>(message: T) -> Self {
        Self::Other(message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::WrongType(expected.to_string())
    }

    fn invalid_length(n: usize, expected: &dyn Expected) -> Self {
        Self::NotAllowed(format!("a list of {n}"), expected.to_string())
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Self {
        Self::UnknownWord(word.to_owned(), known)
    }

    fn missing_field(key: &'static str) -> Self {
        Self::MissingKey(key)
    }
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    field: Field<'a>,
    what: &'static str,
}

impl<'a> Reader<'a> {
    fn place(&self, complaint: Complaint) -> SceneError {
        let field = &self.field;
        match complaint {
            Complaint::Placed(error) => *error,
            Complaint::UnknownWord(word, known) => {
                let is_key = matches!(field.node.value, Value::Map(_));
                let what = if is_key { self.what } else { field.key };
                field.error(Problem::unknown_word(what, &word, known.iter().copied()))
            }
            Complaint::MissingKey(key) => field.error(Problem::missing_key(key, field.key)),
            Complaint::WrongType(expected) => field.wrong_type(&expected),
            Complaint::NotAllowed(got, allowed) => field.not_allowed(got, allowed),
            Complaint::Other(message) => field.error(message),
        }
    }

    /// Reads an enclosed value and adds its line to an error.
    fn read<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Complaint> {
        let read = seed.deserialize(self);
        read.map_err(|complaint| self.place(complaint).into())
    }

    fn items(self, fields: Vec<Field<'a>>) -> Items<'a> {
        let what = self.what;
        let readers = fields.into_iter().map(move |field| Reader { field, what });
        Items {
            left: readers.collect::<Vec<_>>().into_iter(),
            value: None,
        }
    }
}

impl<'de> de::Deserializer<'de> for Reader<'de> {
    type Error = Complaint;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        match &self.field.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Number(x) => visitor.visit_f64(*x),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(_) => visitor.visit_seq(self.items(self.field.items()?.collect())),
            Value::Map(_) => visitor.visit_map(self.items(self.field.entries()?.collect())),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        match self.field.node.value {
            Value::Number(x) => visitor.visit_f64(x),
            _ => Err(Complaint::WrongType("a number".to_owned())),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        const WHOLE: &str = "a whole number, 0 or greater";
        match self.field.node.value {
            Value::Number(x) if x.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&x) => {
                visitor.visit_u32(x as u32)
            }
            Value::Number(x) => Err(Complaint::NotAllowed(x.to_string(), WHOLE.to_owned())),
            _ => Err(Complaint::WrongType(WHOLE.to_owned())),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        visitor.visit_borrowed_str(self.field.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Complaint> {
        match &self.field.node.value {
            Value::Text(_) => visitor.visit_seq(OneWord(Some(self))),
            _ => visitor.visit_seq(self.items(self.field.items()?.collect())),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        n: usize,
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        let Value::List(items) = &self.field.node.value else {
            return Err(Complaint::WrongType("a list of numbers".to_owned()));
        };
        if items.len() != n {
            let got = format!("a list of {}", items.len());
            let right = format!("a list of {n} numbers");
            return Err(Complaint::NotAllowed(got, right));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Complaint> {
        let fields = match &self.field.node.value {
            Value::Null => vec![],
            _ => {
                self.field.fields(keys)?;
                let is_there = |field: &Field<'_>| !matches!(field.node.value, Value::Null);
                self.field.entries()?.filter(is_there).collect()
            }
        };
        visitor.visit_map(self.items(fields))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u64 u128 f32 char bytes byte_buf unit unit_struct
        tuple_struct map enum identifier ignored_any
    }
}

struct Items<'a> {
    left: std::vec::IntoIter<Reader<'a>>,
    value: Option<Reader<'a>>,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = Complaint;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Complaint> {
        let next = self.left.next();
        next.map(|reader| reader.read(seed)).transpose()
    }
}

impl<'de> de::MapAccess<'de> for Items<'de> {
    type Error = Complaint;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Complaint> {
        self.value = self.left.next();
        let key = self.value.as_ref().map(|reader| {
            let key: StrDeserializer<'_, Complaint> = reader.field.key.into_deserializer();
            seed.deserialize(key)
        });
        key.transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Complaint> {
        let missing = || Complaint::Other("a value was requested before its key".to_owned());
        self.value.take().ok_or_else(missing)?.read(seed)
    }
}

/// A word in place of a list of words.
struct OneWord<'a>(Option<Reader<'a>>);

impl<'de> de::SeqAccess<'de> for OneWord<'de> {
    type Error = Complaint;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Complaint> {
        let only = self.0.take();
        let read = only.map(|reader| {
            let word = seed.deserialize(reader);
            word.map_err(|_| Complaint::WrongType("a list".to_owned()))
        });
        read.transpose()
    }
}

pub(crate) fn success(field: Field<'_>, known: Known<'_>) -> Result<Success> {
    let success: Success = read(field, "condition")?;
    success.fitted(known).map_err(|wrong| placed(field, wrong))
}

/// Converts an error of a condition to one with file and line.
fn placed(field: Field<'_>, wrong: Wrong) -> SceneError {
    let at = wrong.path.iter().fold(field, |at, step| inside(at, *step));
    match wrong.mistake {
        Mistake::Unknown { what, word, known } => {
            let known = known.iter().map(String::as_str);
            at.error(Problem::unknown_word(what, &word, known))
        }
        Mistake::NotAllowed { got, allowed } => at.not_allowed(got, allowed),
        Mistake::Missing(key) => at.error(Problem::missing_key(key, at.key)),
        Mistake::Keys { needs, found } => {
            at.error(Problem::key_combination(at.key, &needs, &found))
        }
    }
}

/// Follows one step of a path; stays at `field` for short forms: a list for `all`, a word for a
/// list.
fn inside(field: Field<'_>, step: Step) -> Field<'_> {
    let inner = match (&field.node.value, step) {
        (Value::Map(_), Step::Key(key)) => {
            let mut entries = field.entries().into_iter().flatten();
            entries.find(|entry| entry.key == key)
        }
        (Value::List(_), Step::Item(i)) => field.items().ok().and_then(|mut all| all.nth(i)),
        _ => None,
    };
    inner.unwrap_or(field)
}
