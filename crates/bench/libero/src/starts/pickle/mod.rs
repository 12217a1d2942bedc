//! Reads one array of numbers from a Python pickle, without running it.
//!
//! A pickle is a program that can call any Python function. This reader implements only the three
//! calls that rebuild a `NumPy` array, and rejects everything else with the operation and its
//! position. Readers on crates.io either support no such calls (`serde-pickle`), return only
//! tensors (`pytorch-reader`, `candle-core`), or are no longer maintained (`repugnant-pickle`).

use std::collections::BTreeMap;

/// Largest number of operations, more than an array of numbers needs: real files have about 50.
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

/// A value. All values are in one list and refer to each other by index, so that a value which
/// contains others costs no more than itself however often it is used.
#[derive(Clone, Debug)]
enum Item {
    None,
    Bool(bool),
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    Tuple(Vec<usize>),
    Known(Known),
    /// Number of bytes of an element.
    Dtype(usize),
    Array(Option<Array>),
}

struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Index of the current operation.
    began: usize,
    items: Vec<Item>,
    stack: Vec<usize>,
    /// Heights of the stack.
    marks: Vec<usize>,
    memo: BTreeMap<u64, usize>,
}

/// Returns the array in a pickle. Messages give the mistake and its byte.
pub(crate) fn array(bytes: &[u8]) -> Result<Array, String> {
    let mut machine = Machine {
        bytes,
        at: 0,
        began: 0,
        items: vec![],
        stack: vec![],
        marks: vec![],
        memo: BTreeMap::new(),
    };
    for _ in 0..MAX_OPERATIONS {
        machine.began = machine.at;
        if machine.step()? {
            return machine.result();
        }
    }
    Err(format!(
        "it has more than {MAX_OPERATIONS} operations, which no array needs"
    ))
}

impl<'a> Machine<'a> {
    fn wrong(&self, message: &str) -> String {
        format!("at byte {}: {message}", self.began)
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(n);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let Some(taken) = taken else {
            let left = self.bytes.len().saturating_sub(self.at);
            return Err(self.wrong(&format!(
                "{n} bytes should follow, and {left} do: the file is truncated"
            )));
        };
        self.at += n;
        Ok(taken)
    }

    fn unsigned(&mut self, n: usize) -> Result<u64, String> {
        let bytes = self.take(n)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |all, byte| (all << 8) | u64::from(*byte)))
    }

    fn length(&mut self, n: usize) -> Result<usize, String> {
        let length = self.unsigned(n)?;
        usize::try_from(length).map_err(|_| self.wrong("a length beyond the end of the file"))
    }

    fn text(&mut self, n: usize) -> Result<String, String> {
        let bytes = self.take(n)?;
        let text = std::str::from_utf8(bytes);
        text.map(str::to_owned)
            .map_err(|_| self.wrong("a text that is not UTF-8"))
    }

    fn line(&mut self) -> Result<&'a str, String> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(n) = rest.iter().position(|byte| *byte == b'\n') else {
            return Err(self.wrong("a name does not end: the file is truncated"));
        };
        let line = std::str::from_utf8(self.take(n)?);
        self.at += 1;
        line.map_err(|_| self.wrong("a name that is not UTF-8"))
    }

    fn push(&mut self, item: Item) {
        self.items.push(item);
        self.stack.push(self.items.len() - 1);
    }

    fn pop(&mut self) -> Result<usize, String> {
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.pop() {
            Some(top) if self.stack.len() >= floor => Ok(top),
            _ => Err(self.wrong("a value is missing on the stack")),
        }
    }

    fn item(&self, index: usize) -> &Item {
        self.items.get(index).unwrap_or(&Item::None)
    }

    fn remember(&mut self, key: u64) -> Result<(), String> {
        let Some(top) = self.stack.last() else {
            return Err(self.wrong("there is no value to store"));
        };
        self.memo.insert(key, *top);
        Ok(())
    }

    fn recall(&mut self, key: u64) -> Result<(), String> {
        let Some(index) = self.memo.get(&key) else {
            return Err(self.wrong(&format!("no value was stored as {key}")));
        };
        self.stack.push(*index);
        Ok(())
    }

    fn tuple(&mut self, n: usize) -> Result<(), String> {
        let mut parts = (0..n).map(|_| self.pop()).collect::<Result<Vec<_>, _>>()?;
        parts.reverse();
        self.push(Item::Tuple(parts));
        Ok(())
    }

    /// Executes one operation, with the letters of Python's `pickletools`; true if it was the last.
    fn step(&mut self) -> Result<bool, String> {
        let operation = self.unsigned(1)?;
        match u8::try_from(operation).unwrap_or_default() {
            0x80 => {
                let protocol = self.unsigned(1)?;
                if !(2..=4).contains(&protocol) {
                    return Err(self.wrong(&format!(
                        "protocol {protocol} is not supported; expected 2 to 4 (`torch.save` writes 2)"
                    )));
                }
            }
            // The length of a frame, which has no effect.
            0x95 => drop(self.take(8)?),
            b'.' => return Ok(true),
            b'(' => self.marks.push(self.stack.len()),
            b't' => {
                let Some(mark) = self.marks.pop() else {
                    return Err(self.wrong("a tuple ends that did not begin"));
                };
                let parts = self.stack.split_off(mark.min(self.stack.len()));
                self.push(Item::Tuple(parts));
            }
            b')' => self.tuple(0)?,
            0x85 => self.tuple(1)?,
            0x86 => self.tuple(2)?,
            0x87 => self.tuple(3)?,
            b'N' => self.push(Item::None),
            0x88 => self.push(Item::Bool(true)),
            0x89 => self.push(Item::Bool(false)),
            b'K' => self.int(1)?,
            b'M' => self.int(2)?,
            b'J' => {
                let bits = u32::try_from(self.unsigned(4)?).unwrap_or_default();
                self.push(Item::Int(i64::from(bits.cast_signed())));
            }
            b'X' => self.read_text(4)?,
            0x8c => self.read_text(1)?,
            b'B' => self.read_bytes(4)?,
            b'C' => self.read_bytes(1)?,
            b'q' => {
                let key = self.unsigned(1)?;
                self.remember(key)?;
            }
            b'r' => {
                let key = self.unsigned(4)?;
                self.remember(key)?;
            }
            0x94 => self.remember(self.memo.len() as u64)?,
            b'h' => {
                let key = self.unsigned(1)?;
                self.recall(key)?;
            }
            b'j' => {
                let key = self.unsigned(4)?;
                self.recall(key)?;
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.global(module, name)?;
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (Item::Text(module), Item::Text(name)) = (self.item(module), self.item(name))
                else {
                    return Err(self.wrong("a name that is not a text"));
                };
                let (module, name) = (module.clone(), name.clone());
                self.global(&module, &name)?;
            }
            b'R' => self.reduce()?,
            b'b' => self.build()?,
            other => return Err(self.unknown(other)),
        }
        Ok(false)
    }

    fn unknown(&self, operation: u8) -> String {
        let letter = match operation.is_ascii_graphic() {
            true => format!(" (`{}`)", char::from(operation)),
            false => String::new(),
        };
        self.wrong(&format!(
            "operation 0x{operation:02x}{letter} does not occur in an array of numbers"
        ))
    }

    fn int(&mut self, n: usize) -> Result<(), String> {
        let value = self.unsigned(n)?;
        self.push(Item::Int(i64::try_from(value).unwrap_or(i64::MAX)));
        Ok(())
    }

    fn read_text(&mut self, n: usize) -> Result<(), String> {
        let length = self.length(n)?;
        let text = self.text(length)?;
        self.push(Item::Text(text));
        Ok(())
    }

    fn read_bytes(&mut self, n: usize) -> Result<(), String> {
        let length = self.length(n)?;
        let bytes = self.take(length)?.to_vec();
        self.push(Item::Bytes(bytes));
        Ok(())
    }

    fn global(&mut self, module: &str, name: &str) -> Result<(), String> {
        let known = match (module, name) {
            ("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct") => {
                Known::Reconstruct
            }
            ("numpy", "ndarray") => Known::ArrayType,
            ("numpy", "dtype") => Known::Dtype,
            ("_codecs", "encode") => Known::Encode,
            _ => {
                return Err(self.wrong(&format!(
                    "it names `{module}.{name}`; only NumPy arrays are read, and no code in the \
                     file is run"
                )));
            }
        };
        self.push(Item::Known(known));
        Ok(())
    }

    fn reduce(&mut self) -> Result<(), String> {
        let (args, called) = (self.pop()?, self.pop()?);
        let args: Vec<&Item> = match self.item(args) {
            Item::Tuple(args) => args.iter().map(|arg| self.item(*arg)).collect(),
            _ => return Err(self.wrong("a call without its arguments")),
        };
        let made = match (self.item(called), args.as_slice()) {
            (Item::Known(Known::Reconstruct), [Item::Known(Known::ArrayType), ..]) => {
                Item::Array(None)
            }
            (Item::Known(Known::Encode), [Item::Text(text), Item::Text(code)])
                if code == "latin1" =>
            {
                let bytes = text.chars().map(|c| u8::try_from(u32::from(c)));
                let bytes: Result<Vec<u8>, _> = bytes.collect();
                Item::Bytes(bytes.map_err(|_| self.wrong("a letter that is not in latin1"))?)
            }
            (Item::Known(Known::Dtype), [Item::Text(name), ..]) => match name.as_str() {
                "f8" | "<f8" => Item::Dtype(8),
                "f4" | "<f4" => Item::Dtype(4),
                other => {
                    return Err(self.wrong(&format!(
                        "numbers of type `{other}` are not supported; expected `f8` or `f4`"
                    )));
                }
            },
            _ => return Err(self.wrong("a call that does not make an array of numbers")),
        };
        self.push(made);
        Ok(())
    }

    fn build(&mut self) -> Result<(), String> {
        let state = self.pop()?;
        let Some(target) = self.stack.last().copied() else {
            return Err(self.wrong("a state without an object"));
        };
        let state: Vec<&Item> = match self.item(state) {
            Item::Tuple(parts) => parts.iter().map(|part| self.item(*part)).collect(),
            _ => return Err(self.wrong("the state of an object is not a tuple")),
        };
        match (self.item(target), state.as_slice()) {
            // Version, byte order, then fields that only compound types have.
            (Item::Dtype(_), [Item::Int(_), Item::Text(order), Item::None, ..]) => {
                match order.as_str() {
                    "<" => Ok(()),
                    other => Err(self.wrong(&format!(
                        "byte order `{other}` is not supported; expected `<`"
                    ))),
                }
            }
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
                    return Err(self.wrong("an array whose data are not bytes"));
                };
                let shape = shape.iter().map(|n| match self.item(*n) {
                    Item::Int(n) => usize::try_from(*n).ok(),
                    _ => None,
                });
                let shape = shape.collect::<Option<Vec<_>>>();
                let shape = shape.ok_or_else(|| self.wrong("a shape that is not whole numbers"))?;
                let made = filled(shape, *size, is_by_column, data);
                let made = made.map_err(|message| self.wrong(&message))?;
                if let Some(slot) = self.items.get_mut(target) {
                    *slot = Item::Array(Some(made));
                }
                Ok(())
            }
            _ => Err(self.wrong("an object other than an array of numbers")),
        }
    }

    fn result(mut self) -> Result<Array, String> {
        let last = self.pop()?;
        match (self.items.get(last), self.stack.is_empty()) {
            (Some(Item::Array(Some(array))), true) => Ok(array.clone()),
            _ => Err("it holds something other than one array of numbers".to_owned()),
        }
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
mod tests;
