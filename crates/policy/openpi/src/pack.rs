//! MessagePack values, parsed within limits.
//!
//! Messages from a peer are untrusted: a claimed length is checked against the received bytes
//! before anything is allocated. The number and depth of values are limited, because a byte on the
//! wire can become dozens in memory.

use rmp::{Marker, encode};

use crate::{NdArray, Value};

const MAX_VALUES: usize = 50_000;
/// Maximum depth of nested lists and maps.
const MAX_DEPTH: usize = 16;

/// Reason why bytes cannot be parsed or a value cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PackError(String);

impl PackError {
    fn too_long(len: usize) -> Self {
        Self(format!(
            "a value of {len} bytes or entries does not fit the format"
        ))
    }
}

/// Parses exactly one value.
///
/// # Errors
///
/// [`PackError`] if the bytes are not a single valid value within the limits.
pub fn decode(bytes: &[u8]) -> Result<Value, PackError> {
    let mut reader = Reader {
        bytes,
        at: 0,
        n_values: 0,
    };
    let value = reader.value(0)?;
    match bytes.len() - reader.at {
        0 => Ok(value),
        left => Err(PackError(format!("{left} more bytes follow the value"))),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    n_values: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, PackError> {
        if depth > MAX_DEPTH {
            let why = format!("values are nested deeper than {MAX_DEPTH}");
            return Err(PackError(why));
        }
        self.n_values += 1;
        if self.n_values > MAX_VALUES {
            return Err(PackError(format!(
                "it has more than {MAX_VALUES} values; send arrays of numbers as NumPy arrays"
            )));
        }
        let at = self.at;
        let [marker] = self.fixed()?;
        Ok(match Marker::from_u8(marker) {
            Marker::Null => Value::Nil,
            Marker::True => Value::Bool(true),
            Marker::False => Value::Bool(false),
            Marker::FixPos(number) => Value::Int(number.into()),
            Marker::FixNeg(number) => Value::Int(number.into()),
            Marker::U8 => Value::Int(u8::from_be_bytes(self.fixed()?).into()),
            Marker::U16 => Value::Int(u16::from_be_bytes(self.fixed()?).into()),
            Marker::U32 => Value::Int(u32::from_be_bytes(self.fixed()?).into()),
            Marker::U64 => Value::Int(u64::from_be_bytes(self.fixed()?).into()),
            Marker::I8 => Value::Int(i8::from_be_bytes(self.fixed()?).into()),
            Marker::I16 => Value::Int(i16::from_be_bytes(self.fixed()?).into()),
            Marker::I32 => Value::Int(i32::from_be_bytes(self.fixed()?).into()),
            Marker::I64 => Value::Int(i64::from_be_bytes(self.fixed()?).into()),
            Marker::F32 => Value::Float(f32::from_be_bytes(self.fixed()?).into()),
            Marker::F64 => Value::Float(f64::from_be_bytes(self.fixed()?)),
            Marker::FixStr(len) => self.text(len.into())?,
            Marker::Str8 => self.length::<1>().and_then(|len| self.text(len))?,
            Marker::Str16 => self.length::<2>().and_then(|len| self.text(len))?,
            Marker::Str32 => self.length::<4>().and_then(|len| self.text(len))?,
            Marker::Bin8 => self.length::<1>().and_then(|len| self.binary(len))?,
            Marker::Bin16 => self.length::<2>().and_then(|len| self.binary(len))?,
            Marker::Bin32 => self.length::<4>().and_then(|len| self.binary(len))?,
            Marker::FixArray(len) => self.list(len.into(), depth)?,
            Marker::Array16 => self.length::<2>().and_then(|len| self.list(len, depth))?,
            Marker::Array32 => self.length::<4>().and_then(|len| self.list(len, depth))?,
            Marker::FixMap(len) => self.map(len.into(), depth)?,
            Marker::Map16 => self.length::<2>().and_then(|len| self.map(len, depth))?,
            Marker::Map32 => self.length::<4>().and_then(|len| self.map(len, depth))?,
            other => {
                let what = match other {
                    Marker::Reserved => "the byte 0xc1",
                    _ => "an extension of MessagePack",
                };
                let why = format!("at byte {at}, {what} is not supported");
                return Err(PackError(why));
            }
        })
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], PackError> {
        self.has(len)?;
        let taken = &self.bytes[self.at..][..len];
        self.at += len;
        Ok(taken)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], PackError> {
        let mut fixed = [0; N];
        fixed.copy_from_slice(self.take(N)?);
        Ok(fixed)
    }

    fn length<const N: usize>(&mut self) -> Result<usize, PackError> {
        let digits = self.fixed::<N>()?.into_iter();
        Ok(digits.fold(0, |len, digit| len << 8 | usize::from(digit)))
    }

    fn text(&mut self, len: usize) -> Result<Value, PackError> {
        let at = self.at;
        let text = std::str::from_utf8(self.take(len)?);
        let text = text.map_err(|_| PackError(format!("at byte {at}, a text is not UTF-8")))?;
        Ok(Value::Text(text.to_owned()))
    }

    fn binary(&mut self, len: usize) -> Result<Value, PackError> {
        Ok(Value::Bytes(self.take(len)?.to_vec()))
    }

    /// Checks the length against the remaining bytes: every entry has at least one byte.
    fn has(&self, len: usize) -> Result<(), PackError> {
        let left = self.bytes.len() - self.at;
        match len <= left {
            true => Ok(()),
            false => Err(PackError(format!(
                "at byte {}, {len} bytes or values are announced, but only {left} bytes follow",
                self.at
            ))),
        }
    }

    fn list(&mut self, len: usize, depth: usize) -> Result<Value, PackError> {
        self.has(len)?;
        let values = (0..len).map(|_| self.value(depth + 1));
        values.collect::<Result<_, _>>().map(Value::List)
    }

    fn map(&mut self, len: usize, depth: usize) -> Result<Value, PackError> {
        self.has(len.saturating_mul(2))?;
        let entries = (0..len).map(|_| Ok((self.value(depth + 1)?, self.value(depth + 1)?)));
        let map = Value::Map(entries.collect::<Result<_, _>>()?);
        NdArray::from_map(map).map_err(PackError)
    }
}

/// Encodes a value. The keys of NumPy arrays are bytes, as `openpi-client` expects.
///
/// # Errors
///
/// [`PackError`] if it is too long for the format.
pub fn encode(value: &Value) -> Result<Vec<u8>, PackError> {
    let mut bytes = Vec::new();
    write(&mut bytes, value)?;
    Ok(bytes)
}

fn length(len: usize) -> Result<u32, PackError> {
    u32::try_from(len).map_err(|_| PackError::too_long(len))
}

fn write(bytes: &mut Vec<u8>, value: &Value) -> Result<(), PackError> {
    // Only a length can be invalid: writing to a vector cannot fail.
    let full = |len: usize| move |_| PackError::too_long(len);
    match value {
        Value::Nil => bytes.push(Marker::Null.to_u8()),
        Value::Bool(true) => bytes.push(Marker::True.to_u8()),
        Value::Bool(false) => bytes.push(Marker::False.to_u8()),
        Value::Int(number) => match (i64::try_from(*number), u64::try_from(*number)) {
            (Ok(number), _) => drop(encode::write_sint(bytes, number).map_err(full(8))?),
            (_, Ok(number)) => drop(encode::write_uint(bytes, number).map_err(full(8))?),
            _ => return Err(PackError::too_long(16)),
        },
        Value::Float(number) => encode::write_f64(bytes, *number).map_err(full(8))?,
        Value::Text(text) => {
            length(text.len())?;
            encode::write_str(bytes, text).map_err(full(text.len()))?;
        }
        Value::Bytes(data) => {
            length(data.len())?;
            encode::write_bin(bytes, data).map_err(full(data.len()))?;
        }
        Value::List(values) => {
            let len = values.len();
            encode::write_array_len(bytes, length(len)?).map_err(full(len))?;
            values.iter().try_for_each(|value| write(bytes, value))?;
        }
        Value::Map(entries) => {
            let len = entries.len();
            encode::write_map_len(bytes, length(len)?).map_err(full(len))?;
            for (key, value) in entries {
                write(bytes, key)?;
                write(bytes, value)?;
            }
        }
        Value::Array(array) => write(bytes, &array.to_map())?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn there_and_back(value: &Value) {
        let bytes = encode(value).expect("an encodable value");
        assert_eq!(&decode(&bytes).expect("encoded bytes"), value);
    }

    #[test]
    fn everything_survives_the_wire() {
        there_and_back(&Value::Nil);
        for number in [0, -1, 127, 128, -32, -33, 65_536, i128::from(i64::MIN)] {
            there_and_back(&Value::Int(number));
        }
        there_and_back(&Value::Int(u64::MAX.into()));
        there_and_back(&Value::Float(-0.125));
        there_and_back(&Value::text("a".repeat(70_000)));
        there_and_back(&Value::Bytes(vec![7; 300]));
        there_and_back(&Value::List(vec![Value::Bool(true); 20]));
        there_and_back(&Value::map([
            ("actions", Value::Array(NdArray::f64(&[2, 3], &[0.5; 6]))),
            ("more", Value::map([("deep", Value::List(vec![]))])),
        ]));
        assert!(encode(&Value::Int(i128::MAX)).is_err());
    }

    #[track_caller]
    fn refused(bytes: &[u8], says: &str) {
        let error = decode(bytes).expect_err(says).to_string();
        assert!(error.contains(says), "{error}");
    }

    #[test]
    fn what_is_claimed_is_compared_with_what_is_there() {
        // Each marker is followed by a length of 4 billion bytes or entries.
        for marker in [0xc6, 0xdb, 0xdd, 0xdf] {
            let claim = [marker, 0xff, 0xff, 0xff, 0xff, 0x00];
            let counted = allocation_counter::measure(|| {
                refused(&claim, "bytes or values are announced");
            });
            assert!(counted.bytes_max < 1000, "{counted:?}");
        }
    }

    #[test]
    fn a_bomb_of_small_values_is_bounded() {
        let mut bomb = vec![0xdd, 0x00, 0x10, 0x00, 0x00];
        bomb.resize(5 + (1 << 20), 0xc0);
        let counted = allocation_counter::measure(|| {
            refused(&bomb, "more than 50000 values");
        });
        // A value has 32 to 56 bytes, and a vector grows by doubling.
        assert!(counted.bytes_max < 16 << 20, "{counted:?}");
        let deep = vec![0x91; 5000];
        refused(&deep, "deeper than 16");
    }

    #[test]
    fn half_a_message_is_none() {
        let whole = encode(&Value::map([(
            "actions",
            Value::Array(NdArray::f64(&[1, 2], &[1.0, 2.0])),
        )]));
        let whole = whole.expect("an encodable value");
        for len in 0..whole.len() {
            assert!(decode(&whole[..len]).is_err(), "{len} bytes");
        }
        let mut more = whole;
        more.push(0xc0);
        refused(&more, "1 more bytes follow the value");
        refused(&[0xc1], "the byte 0xc1");
        refused(&[0xd4, 1, 2], "an extension of MessagePack");
        refused(&[0xa1, 0xff], "not UTF-8");
    }
}
