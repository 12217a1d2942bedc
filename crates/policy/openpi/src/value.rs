//! Values of a message, including NumPy arrays.

use crate::NdArray;
use crate::array::Dtype;
use crate::text::shortened;

/// Maximum number of dimensions of an array; NumPy's own limit is 64.
const MAX_DIMENSIONS: usize = 64;

/// A value of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null.
    Nil,
    /// Boolean.
    Bool(bool),
    /// Integer; MessagePack covers -2^63 to 2^64 - 1.
    Int(i128),
    /// Floating-point number.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// List of values.
    List(Vec<Value>),
    /// Map in the order in which its entries were received.
    Map(Vec<(Value, Value)>),
    /// NumPy array.
    Array(NdArray),
}

impl Value {
    /// Returns the value of a key in a map. The key may be text or bytes.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Map(entries) = self else {
            return None;
        };
        let found = entries.iter().find(|(key, _)| key.is_name(name));
        found.map(|(_, value)| value)
    }

    fn is_name(&self, name: &str) -> bool {
        match self {
            Self::Text(text) => text == name,
            Self::Bytes(bytes) => bytes == name.as_bytes(),
            _ => false,
        }
    }

    /// Creates a map with text keys.
    pub fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Self)>) -> Self {
        let named = |(key, value): (K, Self)| (Self::Text(key.into()), value);
        Self::Map(entries.into_iter().map(named).collect())
    }

    /// Creates a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value as a non-negative integer, if it is one.
    pub(crate) fn count(&self) -> Option<u64> {
        match self {
            Self::Int(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Describes the value by its text or number, the type and shape of an array, or a map's keys.
    pub fn described(&self) -> String {
        match self {
            Self::Nil => "nil".into(),
            Self::Bool(yes) => yes.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Text(text) => format!("the text `{}`", shortened(text, 60)),
            Self::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Self::List(values) => format!("a list of {}", values.len()),
            Self::Array(array) => array.described(),
            Self::Map(entries) if entries.is_empty() => "an empty map".into(),
            Self::Map(entries) => {
                const SHOWN: usize = 12;
                let names = entries.iter().take(SHOWN).map(|(key, _)| match key {
                    Self::Text(text) => shortened(text, 60),
                    Self::Bytes(bytes) => shortened(&String::from_utf8_lossy(bytes), 60),
                    other => other.described(),
                });
                let more = entries.len().saturating_sub(SHOWN);
                let names = names.collect::<Vec<_>>().join(", ");
                match more {
                    0 => format!("a map with {names}"),
                    _ => format!("a map with {names} and {more} more"),
                }
            }
        }
    }
}

impl NdArray {
    /// Converts a map that is marked as a NumPy array or number; returns any other map.
    pub(crate) fn from_map(map: Value) -> Result<Value, String> {
        if map.get("__ndarray__").is_some() {
            return Self::in_map(&map).map(Value::Array);
        }
        if map.get("__npgeneric__").is_some() {
            return match map.get("data") {
                Some(number @ (Value::Bool(_) | Value::Int(_) | Value::Float(_))) => {
                    Ok(number.clone())
                }
                other => Err(format!("a NumPy number holds {}", described(other))),
            };
        }
        Ok(map)
    }

    fn in_map(map: &Value) -> Result<Self, String> {
        let dtype = match map.get("dtype") {
            Some(Value::Text(text)) => Dtype::parse(text)?,
            Some(Value::Bytes(text)) => Dtype::parse(&String::from_utf8_lossy(text))?,
            other => return Err(format!("a NumPy array's dtype is {}", described(other))),
        };
        let Some(Value::List(shape)) = map.get("shape") else {
            let shape = described(map.get("shape"));
            return Err(format!("a NumPy array's shape is {shape}"));
        };
        if shape.len() > MAX_DIMENSIONS {
            return Err(format!("a NumPy array has {} dimensions", shape.len()));
        }
        let dimension = |value: &Value| value.count().and_then(|n| usize::try_from(n).ok());
        let dimensions: Option<Vec<usize>> = shape.iter().map(dimension).collect();
        let Some(shape) = dimensions else {
            return Err("a NumPy array's shape is not a list of sizes".into());
        };
        let Some(Value::Bytes(data)) = map.get("data") else {
            let data = described(map.get("data"));
            return Err(format!("a NumPy array's data is {data}; expected bytes"));
        };
        Self::new(dtype, shape, data.clone())
    }

    /// Converts the array to a map as `openpi-client` does: the keys are bytes.
    pub(crate) fn to_map(&self) -> Value {
        let name = |name: &str| Value::Bytes(name.as_bytes().to_vec());
        let shape = self.shape().iter().map(|n| Value::Int(*n as i128));
        Value::Map(vec![
            (name("__ndarray__"), Value::Bool(true)),
            (name("data"), Value::Bytes(self.data().to_vec())),
            (name("dtype"), Value::Text(self.dtype())),
            (name("shape"), Value::List(shape.collect())),
        ])
    }
}

fn described(value: Option<&Value>) -> String {
    value.map_or_else(|| "missing".into(), Value::described)
}
