//! Reading JSON values that know where in the file they stand.

use serde_json::Value;

/// A value and where in the file it stands.
pub(super) struct At<'a> {
    pub(super) value: &'a Value,
    pub(super) field: String,
}

/// Why a field cannot be read.
pub(super) struct Wrong {
    pub(super) field: String,
    pub(super) expected: String,
}

pub(super) type Read<T> = Result<T, Wrong>;

impl<'a> At<'a> {
    pub(super) fn refuse<T>(&self, expected: impl Into<String>) -> Read<T> {
        Err(Wrong {
            field: self.field.clone(),
            expected: expected.into(),
        })
    }

    pub(super) fn get(&self, name: &str) -> Read<At<'a>> {
        let dot = if self.field.is_empty() { "" } else { "." };
        let field = format!("{}{dot}{name}", self.field);
        match self.value.get(name) {
            Some(value) => Ok(At { value, field }),
            None => Err(Wrong {
                field,
                expected: "it to be there".into(),
            }),
        }
    }

    /// The entries of a list that may be left out.
    pub(super) fn items_of(&self, name: &str) -> Read<Vec<At<'a>>> {
        match self.value.get(name) {
            None => Ok(vec![]),
            Some(_) => self.get(name)?.items(),
        }
    }

    pub(super) fn items(&self) -> Read<Vec<At<'a>>> {
        let Some(items) = self.value.as_array() else {
            return self.refuse("a list");
        };
        let at = |(i, value)| At {
            value,
            field: format!("{}[{i}]", self.field),
        };
        Ok(items.iter().enumerate().map(at).collect())
    }

    pub(super) fn number(&self) -> Read<f64> {
        self.value
            .as_f64()
            .map_or_else(|| self.refuse("a number"), Ok)
    }

    pub(super) fn length(&self) -> Read<f64> {
        match self.number()? {
            length if length > 0.0 => Ok(length),
            _ => self.refuse("a length above zero"),
        }
    }

    pub(super) fn numbers<const N: usize>(&self) -> Read<[f64; N]> {
        let numbers: Vec<f64> = self.items()?.iter().map(At::number).collect::<Read<_>>()?;
        numbers
            .try_into()
            .or_else(|_| self.refuse("a list of another length"))
    }

    pub(super) fn text(&self) -> Read<String> {
        let text = self.value.as_str().map(str::to_owned);
        text.map_or_else(|| self.refuse("a text"), Ok)
    }

    pub(super) fn integer(&self) -> Read<u64> {
        self.value
            .as_u64()
            .map_or_else(|| self.refuse("a whole number"), Ok)
    }

    pub(super) fn truth(&self) -> Read<bool> {
        self.value
            .as_bool()
            .map_or_else(|| self.refuse("true or false"), Ok)
    }
}
