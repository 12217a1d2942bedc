//! Reads one array of numbers from a Python pickle, without running it.
//!
//! A pickle is a program that can call any Python function. This reader implements only the three
//! calls that rebuild a `NumPy` array, and rejects everything else with the operation and its
//! position. Readers on crates.io either support no such calls (`serde-pickle`), return only
//! tensors (`pytorch-reader`, `candle-core`), or are no longer maintained (`repugnant-pickle`).

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Largest accepted number of operations; LIBERO's files have about 50.
const MAX_OPERATIONS: usize = 10_000;

/// Numbers with their shape, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) numbers: Vec<f64>,
}

/// A callable, or an argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Reconstruct,
    ArrayType,
    Dtype,
    Encode,
}

/// A value. All values are in one list and refer to each other by index, so that a hostile file
/// cannot multiply a value by nesting it.
#[derive(Debug)]
enum Item<'a> {
    None,
    Bool(bool),
    Int(i64),
    Text(&'a str),
    Bytes(Cow<'a, [u8]>),
    Tuple(Vec<usize>),
    Known(Known),
    /// Number of bytes of an element.
    Dtype(usize),
    Array(Option<Array>),
}

#[derive(Default)]
struct Machine<'a> {
    /// Bytes that are still to be read.
    rest: &'a [u8],
    items: Vec<Item<'a>>,
    stack: Vec<usize>,
    /// Heights of the stack at the marks that are still open.
    marks: Vec<usize>,
    memo: BTreeMap<u64, usize>,
}

/// Returns the array in a pickle, or the mistake with the byte at which it is.
pub(crate) fn array(bytes: &[u8]) -> Result<Array, String> {
    let mut machine = Machine {
        rest: bytes,
        ..Machine::default()
    };
    for _ in 0..MAX_OPERATIONS {
        let began = bytes.len() - machine.rest.len();
        let placed = |message| format!("at byte {began}: {message}");
        if machine.step().map_err(placed)? {
            let last = machine.pop().map_err(placed)?;
            return match machine.items.swap_remove(last) {
                Item::Array(Some(array)) if machine.stack.is_empty() => Ok(array),
                _ => Err("it holds something other than one array of numbers".to_owned()),
            };
        }
    }
    Err(format!(
        "it has more than {MAX_OPERATIONS} operations; an array needs about 50"
    ))
}

impl<'a> Machine<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or_else(|| {
            let left = self.rest.len();
            format!("expected {n} more bytes, found {left}: the file is truncated")
        })?;
        self.rest = rest;
        Ok(taken)
    }

    fn line(&mut self) -> Result<&'a str, String> {
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let n = end.ok_or("a name does not end: the file is truncated")?;
        let line = std::str::from_utf8(self.take(n)?);
        self.take(1)?;
        Ok(line.map_err(|_| "a name that is not UTF-8")?)
    }

    fn push(&mut self, item: Item<'a>) {
        self.items.push(item);
        self.stack.push(self.items.len() - 1);
    }

    fn pop(&mut self) -> Result<usize, String> {
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.pop() {
            Some(top) if self.stack.len() >= floor => Ok(top),
            _ => Err("a value is missing on the stack".to_owned()),
        }
    }

    fn tuple(&self, index: usize) -> Option<Vec<&Item<'a>>> {
        match &self.items[index] {
            Item::Tuple(parts) => Some(parts.iter().map(|part| &self.items[*part]).collect()),
            _ => None,
        }
    }

    /// Executes one operation, coded as in Python's `pickletools`. Returns true if it was the last.
    fn step(&mut self) -> Result<bool, String> {
        let operation = self.take(1)?[0];
        let number = self.operand(operation)?;
        match operation {
            0x80 if !(2..=4).contains(&number) => {
                return Err(format!(
                    "protocol {number} is not supported; expected 2 to 4 (`torch.save` writes 2)"
                ));
            }
            // Protocol and frame length do not affect the values.
            0x80 | 0x95 => {}
            b'.' => return Ok(true),
            b'(' => self.marks.push(self.stack.len()),
            b't' => {
                let mark = self.marks.pop().ok_or("a tuple ends that did not begin")?;
                let parts = self.stack.split_off(mark.min(self.stack.len()));
                self.push(Item::Tuple(parts));
            }
            b')' => self.push(Item::Tuple(vec![])),
            0x85..=0x87 => {
                let parts = (0x85..=operation).map(|_| self.pop());
                let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
                parts.reverse();
                self.push(Item::Tuple(parts));
            }
            b'N' => self.push(Item::None),
            0x88 | 0x89 => self.push(Item::Bool(operation == 0x88)),
            b'K' | b'M' => self.push(Item::Int(number.cast_signed())),
            b'J' => self.push(Item::Int(i64::from((number as u32).cast_signed()))),
            b'X' | 0x8c => {
                let text = std::str::from_utf8(self.take(number as usize)?);
                self.push(Item::Text(text.map_err(|_| "a text that is not UTF-8")?));
            }
            b'B' | b'C' => {
                let bytes = self.take(number as usize)?;
                self.push(Item::Bytes(bytes.into()));
            }
            b'q' | b'r' | 0x94 => {
                let next = self.memo.len() as u64;
                let key = if operation == 0x94 { next } else { number };
                let top = self.stack.last().ok_or("there is no value to store")?;
                self.memo.insert(key, *top);
            }
            b'h' | b'j' => {
                let index = self.memo.get(&number);
                let missing = || format!("no value was stored as {number}");
                self.stack.push(*index.ok_or_else(missing)?);
            }
            b'c' => {
                let known = global(self.line()?, self.line()?)?;
                self.push(Item::Known(known));
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let [Item::Text(module), Item::Text(name)] = [module, name].map(|i| &self.items[i])
                else {
                    return Err("a name that is not a text".to_owned());
                };
                let known = global(module, name)?;
                self.push(Item::Known(known));
            }
            b'R' => self.reduce()?,
            b'b' => self.build()?,
            other => {
                let letter = match other.is_ascii_graphic() {
                    true => format!(" (`{}`)", char::from(other)),
                    false => String::new(),
                };
                return Err(format!(
                    "operation 0x{other:02x}{letter} does not occur in an array of numbers"
                ));
            }
        }
        Ok(false)
    }

    /// Reads the number that follows an operation: a value, a length or a key; 0 if none follows.
    fn operand(&mut self, operation: u8) -> Result<u64, String> {
        let n_bytes = match operation {
            0x80 | b'K' | 0x8c | b'C' | b'q' | b'h' => 1,
            b'M' => 2,
            b'J' | b'X' | b'B' | b'r' | b'j' => 4,
            0x95 => 8,
            _ => 0,
        };
        let bytes = self.take(n_bytes)?.iter().rev();
        Ok(bytes.fold(0, |all, byte| (all << 8) | u64::from(*byte)))
    }

    fn reduce(&mut self) -> Result<(), String> {
        let (args, called) = (self.pop()?, self.pop()?);
        let args = self.tuple(args).ok_or("a call without its arguments")?;
        let made = match (&self.items[called], args.as_slice()) {
            (Item::Known(Known::Reconstruct), [Item::Known(Known::ArrayType), ..]) => {
                Item::Array(None)
            }
            (Item::Known(Known::Encode), [Item::Text(text), Item::Text("latin1")]) => {
                let bytes = text.chars().map(|c| u8::try_from(u32::from(c)));
                let bytes: Result<Vec<u8>, _> = bytes.collect();
                let bytes = bytes.map_err(|_| "a letter that is not in latin1")?;
                Item::Bytes(bytes.into())
            }
            (Item::Known(Known::Dtype), [Item::Text(name), ..]) => match *name {
                "f8" | "<f8" => Item::Dtype(8),
                "f4" | "<f4" => Item::Dtype(4),
                other => {
                    return Err(format!(
                        "numbers of type `{other}` are not supported; expected `f8` or `f4`"
                    ));
                }
            },
            _ => return Err("a call that does not make an array of numbers".to_owned()),
        };
        self.push(made);
        Ok(())
    }

    fn build(&mut self) -> Result<(), String> {
        let state = self.pop()?;
        let target = *self.stack.last().ok_or("a state without an object")?;
        let state = self.tuple(state);
        let state = state.ok_or("the state of an object is not a tuple")?;
        match (&self.items[target], state.as_slice()) {
            // Version and byte order; the other fields matter only for compound types.
            (Item::Dtype(_), [Item::Int(_), Item::Text("<"), Item::None, ..]) => Ok(()),
            (Item::Dtype(_), [Item::Int(_), Item::Text(order), Item::None, ..]) => Err(format!(
                "byte order `{order}` is not supported; expected `<`"
            )),
            (
                Item::Array(None),
                [
                    Item::Int(_),
                    Item::Tuple(shape),
                    Item::Dtype(size),
                    by,
                    data,
                ],
            ) => {
                let is_by_column = matches!(by, Item::Bool(true));
                let Item::Bytes(data) = data else {
                    return Err("an array whose data are not bytes".to_owned());
                };
                let shape = shape.iter().map(|n| match self.items[*n] {
                    Item::Int(n) => usize::try_from(n).ok(),
                    _ => None,
                });
                let shape = shape.collect::<Option<Vec<_>>>();
                let shape = shape.ok_or("a shape that is not whole numbers")?;
                let made = filled(shape, *size, is_by_column, data)?;
                self.items[target] = Item::Array(Some(made));
                Ok(())
            }
            _ => Err("an object other than an array of numbers".to_owned()),
        }
    }
}

fn global(module: &str, name: &str) -> Result<Known, String> {
    match (module, name) {
        ("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct") => {
            Ok(Known::Reconstruct)
        }
        ("numpy", "ndarray") => Ok(Known::ArrayType),
        ("numpy", "dtype") => Ok(Known::Dtype),
        ("_codecs", "encode") => Ok(Known::Encode),
        _ => Err(format!(
            "it names `{module}.{name}`; only NumPy arrays are read, and no code in the file is run"
        )),
    }
}

fn filled(
    shape: Vec<usize>,
    size: usize,
    is_by_column: bool,
    data: &[u8],
) -> Result<Array, String> {
    let n = shape.iter().try_fold(size, |n, side| n.checked_mul(*side));
    if n != Some(data.len()) {
        return Err(format!(
            "an array of shape {shape:?} needs {} bytes, but has {}",
            n.map_or("too many".to_owned(), |n| n.to_string()),
            data.len()
        ));
    }
    let numbers = data.chunks_exact(size).map(|chunk| match chunk {
        [a, b, c, d] => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
        _ => f64::from_le_bytes(chunk.try_into().unwrap_or_default()),
    });
    let mut numbers: Vec<f64> = numbers.collect();
    if let ([rows, columns], true) = (shape.as_slice(), is_by_column) {
        let from = |i: usize| numbers[i % columns * rows + i / columns];
        numbers = (0..numbers.len()).map(from).collect();
    }
    Ok(Array { shape, numbers })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a pickle of an array of 2 x 2 numbers, without its last operations.
    fn array_of(numbers: &[f64], is_by_column: bool) -> Vec<u8> {
        let mut out = b"\x80\x04\x95\0\0\0\0\0\0\0\0\x8c\x16numpy._core.multiarray\x94".to_vec();
        out.extend(b"\x8c\x0c_reconstruct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94");
        out.extend(b"K\0\x85\x94C\x01b\x94\x87\x94R\x94(K\x01K\x02K\x02\x86\x94");
        out.extend(b"h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02f4\x94\x89\x88\x87\x94R\x94");
        out.extend(b"(K\x03\x8c\x01<\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0t\x94b");
        out.extend([if is_by_column { 0x88 } else { 0x89 }]);
        out.push(b'C');
        out.push(u8::try_from(4 * numbers.len()).unwrap_or(u8::MAX));
        out.extend(numbers.iter().flat_map(|n| (*n as f32).to_le_bytes()));
        out
    }

    fn whole(numbers: &[f64], is_by_column: bool) -> Vec<u8> {
        let mut bytes = array_of(numbers, is_by_column);
        bytes.extend(b"\x94t\x94b.");
        bytes
    }

    #[test]
    fn single_precision_by_columns_and_protocol_4_are_read() {
        for (is_by_column, expected) in
            [(false, [1.0, 2.0, 3.0, 4.0]), (true, [1.0, 3.0, 2.0, 4.0])]
        {
            let read = array(&whole(&[1.0, 2.0, 3.0, 4.0], is_by_column)).expect("an array");
            assert_eq!((read.shape, read.numbers), (vec![2, 2], expected.to_vec()));
        }
    }

    #[track_caller]
    fn check_refused(bytes: &[u8], part: &str) {
        let message = array(bytes).expect_err("refused");
        assert!(message.contains(part), "{message}");
    }

    #[test]
    fn what_is_no_array_of_numbers_is_refused_with_its_place() {
        check_refused(&whole(&[1.0, 2.0, 3.0], false), "16 bytes, but has 12");
        check_refused(b"\x80\x05.", "protocol 5");
        check_refused(b"\x80\x02]q\x00.", "at byte 2: operation 0x5d (`]`)");
        check_refused(b"\x80\x02cbuiltins\neval\n", "`builtins.eval`");
        check_refused(b"\x80\x02K\x01.", "something other");
        check_refused(b"\x80\x02h\x07.", "no value was stored as 7");
        check_refused(b"\x80\x02R.", "missing on the stack");
        check_refused(b"\x80\x02(t", "truncated");
        check_refused(&[b'N'; 20_000], "more than 10000 operations");
        check_refused(b"X\xff\xff\xff\xffa", "truncated");
    }

    #[test]
    fn no_byte_that_is_changed_or_cut_off_makes_it_panic() {
        let good = whole(&[1.0, 2.0, 3.0, 4.0], false);
        for i in 0..good.len() {
            assert!(array(&good[..i]).is_err(), "cut off at {i}");
            for bit in 0..8 {
                let mut bytes = good.clone();
                bytes[i] ^= 1 << bit;
                drop(array(&bytes));
            }
        }
    }
}
