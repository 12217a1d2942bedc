//! NumPy arrays in a message: a map with `__ndarray__`, `data`, `dtype` and `shape`.

use half::f16;

use crate::text::shortened;

/// Array of numbers in C order.
#[derive(Clone, Debug, PartialEq)]
pub struct NdArray {
    dtype: Dtype,
    /// Sizes of the dimensions; empty for a single number.
    shape: Vec<usize>,
    data: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dtype {
    /// NumPy's kind: `b` boolean, `i` and `u` signed and unsigned integer, `f` float.
    kind: char,
    size: usize,
    big_endian: bool,
}

impl Dtype {
    /// Parses NumPy's notation, such as `<f8` or `|u1`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "a NumPy array has dtype `{}`: expected numbers, such as `<f4`, `<f8`, `|u1`",
                shortened(text, 30)
            )
        };
        let mut chars = text.chars();
        let (order, kind) = (chars.next(), chars.next());
        let size: usize = chars.as_str().parse().map_err(|_| wrong())?;
        let kind = match (kind, size) {
            (Some(kind @ 'b'), 1)
            | (Some(kind @ ('i' | 'u')), 1 | 2 | 4 | 8)
            | (Some(kind @ 'f'), 2 | 4 | 8) => kind,
            _ => return Err(wrong()),
        };
        let big_endian = match order {
            Some('<' | '|' | '=') => false,
            Some('>') => true,
            _ => return Err(wrong()),
        };
        Ok(Self {
            kind,
            size,
            big_endian,
        })
    }

    fn text(self) -> String {
        let order = match (self.size, self.big_endian) {
            (1, _) => '|',
            (_, false) => '<',
            (_, true) => '>',
        };
        format!("{order}{}{}", self.kind, self.size)
    }

    /// Parses one element; `bytes` has its exact size.
    fn number(self, bytes: &[u8]) -> f64 {
        let mut eight = [0; 8];
        for (i, byte) in bytes.iter().enumerate() {
            let at = if self.big_endian {
                self.size - 1 - i
            } else {
                i
            };
            eight[at] = *byte;
        }
        let bits = u64::from_le_bytes(eight);
        match self.kind {
            'b' => f64::from(u8::from(bits != 0)),
            'u' => bits as f64,
            'i' => {
                let unused = 64 - 8 * self.size;
                ((bits << unused).cast_signed() >> unused) as f64
            }
            _ => match self.size {
                2 => f16::from_le_bytes([eight[0], eight[1]]).into(),
                4 => f32::from_le_bytes([eight[0], eight[1], eight[2], eight[3]]).into(),
                _ => f64::from_bits(bits),
            },
        }
    }
}

impl NdArray {
    /// Creates an array of `<f8` from numbers in C order.
    pub fn f64(shape: &[usize], numbers: &[f64]) -> Self {
        let bytes = numbers.iter().flat_map(|n| n.to_le_bytes());
        Self::of('f', 8, shape, bytes.collect())
    }

    /// Creates an array of `<f4` from numbers in C order.
    pub fn f32(shape: &[usize], numbers: &[f64]) -> Self {
        let bytes = numbers.iter().flat_map(|n| (*n as f32).to_le_bytes());
        Self::of('f', 4, shape, bytes.collect())
    }

    /// Creates an array of `|u1`, such as a picture.
    pub fn u8(shape: &[usize], data: Vec<u8>) -> Self {
        Self::of('u', 1, shape, data)
    }

    fn of(kind: char, size: usize, shape: &[usize], data: Vec<u8>) -> Self {
        Self {
            dtype: Dtype {
                kind,
                size,
                big_endian: false,
            },
            shape: shape.to_vec(),
            data,
        }
    }

    /// Sizes of the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Element type in NumPy's notation, such as `<f8`.
    pub fn dtype(&self) -> String {
        self.dtype.text()
    }

    /// Bytes in C order.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Elements in C order.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = f64> {
        let numbers = self.data.chunks_exact(self.dtype.size);
        numbers.map(|bytes| self.dtype.number(bytes))
    }

    /// Describes element type and shape.
    pub fn described(&self) -> String {
        format!("an array {:?} of {}", self.shape, self.dtype.text())
    }

    /// Creates an array from bytes in C order.
    ///
    /// # Errors
    ///
    /// If the number of bytes does not match the shape.
    pub(crate) fn new(dtype: Dtype, shape: Vec<usize>, data: Vec<u8>) -> Result<Self, String> {
        let mut sides = shape.iter();
        let claimed = sides.try_fold(dtype.size, |bytes, n| bytes.checked_mul(*n));
        if claimed != Some(data.len()) {
            let (dtype, n) = (dtype.text(), data.len());
            return Err(format!(
                "a NumPy array of {dtype} has {n} bytes, which does not match its shape {shape:?}"
            ));
        }
        Ok(Self { dtype, shape, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn map(text_names: bool, dtype: &str, shape: &[i128], data: &[u8]) -> Value {
        let name = |name: &str| match text_names {
            true => Value::text(name),
            false => Value::Bytes(name.as_bytes().to_vec()),
        };
        let shape = shape.iter().map(|n| Value::Int(*n)).collect();
        Value::Map(vec![
            (name("__ndarray__"), Value::Bool(true)),
            (name("data"), Value::Bytes(data.to_vec())),
            (name("dtype"), Value::text(dtype)),
            (name("shape"), Value::List(shape)),
        ])
    }

    #[track_caller]
    fn check(dtype: &str, data: &[u8], wanted: &[f64]) {
        for text_names in [false, true] {
            let len = i128::try_from(wanted.len()).expect("a short array");
            let value = NdArray::from_map(map(text_names, dtype, &[len], data));
            let Ok(Value::Array(array)) = value else {
                panic!("{dtype}: {value:?}");
            };
            assert_eq!(array.numbers().collect::<Vec<_>>(), wanted, "{dtype}");
        }
    }

    /// The bytes are from NumPy: `np.array([...], dtype).tobytes()`.
    #[test]
    fn numbers_of_every_kind_are_read() {
        check("|b1", &[0, 1], &[0.0, 1.0]);
        check("|u1", &[0, 255], &[0.0, 255.0]);
        check("|i1", &[1, 255], &[1.0, -1.0]);
        check("<i2", &[0xfe, 0xff], &[-2.0]);
        check(">i2", &[0xff, 0xfe], &[-2.0]);
        check("<u4", &[0, 0, 0, 0x80], &[2_147_483_648.0]);
        check("<i8", &[0xff; 8], &[-1.0]);
        check("<f2", &[0x00, 0x3e, 0x00, 0xc0], &[1.5, -2.0]);
        check("<f4", &[0, 0, 0xc0, 0x3f], &[1.5]);
        check(">f4", &[0x3f, 0xc0, 0, 0], &[1.5]);
        check("<f8", &1.5_f64.to_le_bytes(), &[1.5]);
    }

    #[test]
    fn what_is_no_array_says_why() {
        let huge = [i64::MAX.into(); 2];
        let cases = [
            (map(false, "<c8", &[1], &[0; 8]), "dtype `<c8`"),
            (map(false, "|O", &[1], &[0; 8]), "dtype `|O`"),
            (map(false, "|V2", &[1], &[0; 2]), "dtype `|V2`"),
            (
                map(false, "<f8", &[2], &[0; 8]),
                "<f8 has 8 bytes, which does not match its shape [2]",
            ),
            (map(false, "<f8", &[-1], &[0; 8]), "not a list of sizes"),
            (map(false, "<f8", &huge, &[0; 8]), "has 8 bytes"),
            (map(false, "<f8", &[1; 65], &[0; 8]), "65 dimensions"),
        ];
        for (value, says) in cases {
            let error = NdArray::from_map(value).expect_err(says);
            assert!(error.contains(says), "{error}");
        }
    }
}
