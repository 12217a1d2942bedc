//! Reads success conditions and puts line numbers to their errors.

use regrasp_ground_truth::{Known, Mistake, Step, Success, Wrong};

use crate::fields::Field;
use crate::yaml::Value;
use crate::{Problem, SceneError, reader};

pub(crate) fn read(field: Field<'_>, known: Known<'_>) -> Result<Success, SceneError> {
    let success: Success = reader::read(field, "condition")?;
    success.fitted(known).map_err(|wrong| place(field, wrong))
}

/// Converts an error of a condition to one with file and line.
fn place(field: Field<'_>, wrong: Wrong) -> SceneError {
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
        (Value::Map(_), Step::Key(key)) => field
            .entries()
            .ok()
            .and_then(|mut entries| entries.find(|entry| entry.key == key)),
        (Value::List(_), Step::Item(i)) => field.items().ok().and_then(|mut all| all.nth(i)),
        _ => None,
    };
    inner.unwrap_or(field)
}
