//! Typed reading of a YAML tree: every error has the line and the allowed values.

use std::fmt::Display;
use std::ops::RangeBounds;

use crate::yaml::{Entry, Node, Value};
use crate::{Problem, Result, SceneError};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Located<T> {
    pub(crate) line: usize,
    pub(crate) value: T,
}

/// Constraint on a number. All numbers are finite and below 1e9 in magnitude, so that no result
/// overflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Any,
    NotNegative,
    Positive,
    Length,
    Coordinate,
}

impl Sign {
    fn holds(self, x: f64) -> bool {
        let in_bounds = match self {
            Self::Any => true,
            Self::NotNegative => x >= 0.0,
            Self::Positive => x > 0.0,
            Self::Length => (1e-4..=10.0).contains(&x),
            Self::Coordinate => x.abs() <= 100.0,
        };
        in_bounds && x.abs() < 1e9
    }

    /// Allowed values, for a message about `x`.
    fn describe(self, x: f64) -> &'static str {
        match self {
            Self::Any | Self::NotNegative | Self::Positive if x.abs() >= 1e9 => match self {
                Self::Any => "a number between -1e9 and 1e9",
                Self::NotNegative => "a number from 0 to below 1e9",
                _ => "a number greater than 0 and below 1e9",
            },
            Self::Any => "a finite number",
            Self::NotNegative => "a number that is 0 or greater",
            Self::Positive => "a number greater than 0",
            Self::Length => "a length greater than 0 (0.0001 to 10 m)",
            Self::Coordinate => "a coordinate from -100 to 100 m",
        }
    }
}

/// Largest angle: two turns. A greater one is taken for degrees.
const MAX_ANGLE_RAD: f64 = 2.0 * std::f64::consts::TAU;

/// A key's value, with all that an error message needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) file: &'a str,
    pub(crate) key: &'a str,
    pub(crate) node: &'a Node,
}

/// The keys of one mapping.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'a> {
    pub(crate) file: &'a str,
    /// Name of the mapping in messages: `an object`.
    within: &'a str,
    pub(crate) line: usize,
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// Reads a mapping that may have only the keys `allowed`.
    pub(crate) fn new(
        file: &'a str,
        node: &'a Node,
        within: &'a str,
        allowed: &[&str],
    ) -> Result<Self> {
        let Value::Map(entries) = &node.value else {
            let expected = format!("a mapping with the keys {}", allowed.join(", "));
            let mut found = node.value.describe();
            if found.starts_with("the text `<") {
                "XML; convert a MuJoCo model with `regrasp import mjcf`, or name a URDF in a robot \
                 file"
                    .clone_into(&mut found);
            }
            let problem = Problem::wrong_type(within, &expected, &found);
            return Err(problem.at(file, node.line));
        };
        for entry in entries {
            if !allowed.contains(&entry.key.as_str()) {
                let problem = Problem::unknown_key(&entry.key, within, allowed);
                return Err(problem.at(file, entry.line));
            }
        }
        Ok(Self {
            file,
            within,
            line: node.line,
            entries,
        })
    }

    /// Returns the value of a key. A key without a value counts as absent.
    pub(crate) fn get(&self, key: &'a str) -> Option<Field<'a>> {
        let entry = self.entries.iter().find(|e| e.key == key)?;
        (!matches!(entry.node.value, Value::Null)).then_some(Field {
            file: self.file,
            key,
            node: &entry.node,
        })
    }

    pub(crate) fn need(&self, key: &'a str) -> Result<Field<'a>> {
        self.get(key)
            .ok_or_else(|| Problem::missing_key(key, self.within).at(self.file, self.line))
    }

    /// Returns the value of the present key, if any; rejects more than one.
    pub(crate) fn one_of(&self, keys: &[&'a str]) -> Result<Option<Field<'a>>> {
        let present: Vec<_> = keys.iter().filter_map(|&k| self.get(k)).collect();
        match present.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            [_, second, ..] => {
                let found: Vec<_> = present.iter().map(|f| f.key).collect();
                let needs = format!("at most one of {}", keys.join(", "));
                let found = found.join(" and ");
                let problem = Problem::key_combination(self.within, &needs, &found);
                Err(problem.at(self.file, second.node.line))
            }
        }
    }

    /// Returns the value of the present key; rejects none or more than one.
    pub(crate) fn just_one_of(&self, keys: &[&'a str]) -> Result<Field<'a>> {
        self.one_of(keys)?.ok_or_else(|| self.none_of(keys))
    }

    /// Returns the error for keys that are all missing.
    pub(crate) fn none_of(&self, keys: &[&str]) -> SceneError {
        let needs = format!("one of {}", keys.join(", "));
        Problem::key_combination(self.within, &needs, "none").at(self.file, self.line)
    }

    /// Returns the error for the value of a key that is present.
    pub(crate) fn refuse<T>(
        &self,
        key: &'a str,
        got: impl Display,
        allowed: impl Display,
    ) -> Result<T> {
        Err(self.need(key)?.not_allowed(got, allowed))
    }

    pub(crate) fn text(&self, key: &'a str) -> Result<String> {
        Ok(self.need(key)?.text()?.to_owned())
    }

    pub(crate) fn number(&self, key: &'a str, sign: Sign) -> Result<f64> {
        self.need(key)?.number(sign)
    }

    pub(crate) fn number_or(&self, key: &'a str, sign: Sign, default: f64) -> Result<f64> {
        self.get(key).map_or(Ok(default), |f| f.number(sign))
    }

    /// Reads a number in a range, which `allowed` describes in words.
    pub(crate) fn number_in(
        &self,
        key: &'a str,
        sign: Sign,
        default: f64,
        range: impl RangeBounds<f64>,
        allowed: impl Display,
    ) -> Result<f64> {
        let x = self.number_or(key, sign, default)?;
        match range.contains(&x) {
            true => Ok(x),
            false => self.refuse(key, x, allowed),
        }
    }

    pub(crate) fn array_or<const N: usize>(
        &self,
        key: &'a str,
        sign: Sign,
        default: [f64; N],
    ) -> Result<[f64; N]> {
        self.get(key).map_or(Ok(default), |f| f.array(sign))
    }

    pub(crate) fn text_or(&self, key: &'a str, default: &str) -> Result<String> {
        let text = self.get(key).map_or(Ok(default), |f| f.text());
        text.map(str::to_owned)
    }

    /// Applies a reader to a key's value if the key is present.
    pub(crate) fn maybe<T>(
        &self,
        key: &'a str,
        read: impl FnOnce(Field<'a>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.get(key).map(read).transpose()
    }

    /// Applies a reader to each item of a list; an absent key is an empty list.
    pub(crate) fn each<T>(
        &self,
        key: &'a str,
        read: impl FnMut(Field<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let list = self.maybe(key, |field| field.items()?.map(read).collect())?;
        Ok(list.unwrap_or_default())
    }

    /// Rejects any of these keys that is present; `when` follows "is not allowed".
    pub(crate) fn without(&self, keys: &[&'a str], when: impl Display) -> Result<()> {
        let present = keys.iter().find_map(|key| self.get(key));
        present.map_or(Ok(()), |field| Err(field.misplaced(when)))
    }

    pub(crate) fn flag(&self, key: &'a str) -> Result<bool> {
        match self.get(key).map(|f| (f, &f.node.value)) {
            None => Ok(false),
            Some((_, Value::Bool(b))) => Ok(*b),
            Some((f, _)) => Err(f.wrong_type("`true` or `false`")),
        }
    }
}

impl<'a> Field<'a> {
    pub(crate) fn new(file: &'a str, key: &'a str, node: &'a Node) -> Self {
        Self { file, key, node }
    }

    pub(crate) fn error(&self, problem: impl Into<Problem>) -> SceneError {
        problem.into().at(self.file, self.node.line)
    }

    pub(crate) fn wrong_type(&self, expected: &str) -> SceneError {
        let got = self.node.value.describe();
        self.error(Problem::wrong_type(self.key, expected, &got))
    }

    pub(crate) fn not_allowed(&self, got: impl Display, allowed: impl Display) -> SceneError {
        self.error(Problem::not_allowed(self.key, got, allowed))
    }

    /// Returns the error for a key that is not allowed in its context, which `when` names.
    pub(crate) fn misplaced(&self, when: impl Display) -> SceneError {
        self.error(format!("`{}` is not allowed {when}", self.key))
    }

    /// Returns the keys of this mapping, which may only be those in `allowed`.
    pub(crate) fn fields(&self, allowed: &[&str]) -> Result<Fields<'a>> {
        Fields::new(self.file, self.node, self.key, allowed)
    }

    /// Returns the keys of this mapping without checking their names.
    pub(crate) fn entries(&self) -> Result<impl Iterator<Item = Field<'a>> + use<'a>> {
        let Value::Map(entries) = &self.node.value else {
            return Err(self.wrong_type("a mapping"));
        };
        let file = self.file;
        Ok(entries.iter().map(move |e| Field {
            file,
            key: &e.key,
            node: &e.node,
        }))
    }

    pub(crate) fn text(&self) -> Result<&'a str> {
        match &self.node.value {
            Value::Text(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(self.wrong_type("a word or text")),
        }
    }

    pub(crate) fn choice<T: Copy>(&self, what: &str, of: &[(&str, T)]) -> Result<T> {
        let of_word = |word: &str| of.iter().find(|(known, _)| *known == word);
        let known = of.iter().map(|(known, _)| *known);
        self.known(what, known, |word| Some(of_word(word)?.1))
    }

    /// Reads a word for which there is a value; `known` are all such words.
    pub(crate) fn known<'k, T>(
        &self,
        what: &str,
        known: impl IntoIterator<Item = &'k str>,
        find: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T> {
        let word = self.text()?;
        find(word).ok_or_else(|| self.error(Problem::unknown_word(what, word, known)))
    }

    /// Reads a number that satisfies a condition, which `allowed` describes in words.
    pub(crate) fn number_if(
        &self,
        sign: Sign,
        holds: impl FnOnce(f64) -> bool,
        allowed: impl Display,
    ) -> Result<f64> {
        let x = self.number(sign)?;
        match holds(x) {
            true => Ok(x),
            false => Err(self.not_allowed(x, allowed)),
        }
    }

    pub(crate) fn number(&self, sign: Sign) -> Result<f64> {
        let Value::Number(x) = self.node.value else {
            return Err(self.wrong_type(sign.describe(0.0)));
        };
        let key = self.key.split('[').next().unwrap_or_default();
        let is_angle = key.ends_with("_rad") && !key.ends_with("_per_rad");
        if is_angle && x.abs() > MAX_ANGLE_RAD {
            let radians = x.to_radians();
            let allowed = format!("in radians ({x} degrees are {radians:.4} rad)");
            return Err(self.not_allowed(x, allowed));
        }
        if x.is_finite() && sign.holds(x) {
            Ok(x)
        } else {
            Err(self.not_allowed(x, sign.describe(x)))
        }
    }

    pub(crate) fn items(&self) -> Result<impl Iterator<Item = Field<'a>> + use<'a>> {
        let Value::List(items) = &self.node.value else {
            return Err(self.wrong_type("a list"));
        };
        let (file, key) = (self.file, self.key);
        Ok(items.iter().map(move |node| Field { file, key, node }))
    }

    pub(crate) fn numbers(&self, sign: Sign) -> Result<Vec<f64>> {
        let Value::List(_) = &self.node.value else {
            return Err(self.wrong_type("a list of numbers"));
        };
        let number = |(i, item): (usize, Self)| {
            let key = format!("{}[{i}]", self.key);
            Field { key: &key, ..item }.number(sign)
        };
        self.items()?.enumerate().map(number).collect()
    }

    pub(crate) fn array<const N: usize>(&self, sign: Sign) -> Result<[f64; N]> {
        let numbers = self.numbers(sign)?;
        let n = numbers.len();
        numbers.try_into().map_err(|_| {
            self.not_allowed(format!("a list of {n}"), format!("a list of {N} numbers"))
        })
    }

    /// Reads a list of words, or one word.
    pub(crate) fn words(&self) -> Result<Vec<Located<String>>> {
        match &self.node.value {
            Value::List(_) => self.items()?.map(|item| item.word()).collect(),
            _ => Ok(vec![self.word()?]),
        }
    }

    pub(crate) fn word(&self) -> Result<Located<String>> {
        Ok(Located {
            line: self.node.line,
            value: self.text()?.to_owned(),
        })
    }

    /// Reads `[low, high]` with low <= high.
    pub(crate) fn range(&self, sign: Sign) -> Result<[f64; 2]> {
        let [low, high] = self.array::<2>(sign)?;
        if low <= high {
            Ok([low, high])
        } else {
            Err(self.not_allowed(format!("[{low}, {high}]"), "[lowest, highest]"))
        }
    }
}
