//! Names of objects in requests.

use std::collections::{BTreeMap, BTreeSet};

use regrasp_api::{ObjectId, PerceivedObject, PlanRequest};
use regrasp_language::{Misunderstanding, ParseContext, named};
use serde_json::Value;

use crate::{MAX_SENTENCE, clean};

/// Longest id that is used unchanged, characters.
const MAX_PLAIN: usize = 48;
/// Largest number of known objects that a message lists.
const MAX_LISTED: usize = 40;
/// Shortest id that is replaced in sentences, characters. Shorter ones are parts of many words.
const MIN_SOUGHT: usize = 3;

/// Names of objects in requests: the id if it is a plain word, otherwise a generated name, because
/// an id may contain any text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Generated names by id.
    own: BTreeMap<ObjectId, String>,
    ids: BTreeMap<String, ObjectId>,
    plain: BTreeSet<ObjectId>,
}

impl Names {
    pub(crate) fn new(request: &PlanRequest<'_>) -> Self {
        let seen = request.percept.objects.iter().map(|o| &o.id);
        let held = request.held.iter().map(|held| &held.id);
        let involved = request.attempts.iter().flat_map(|a| &a.entities);
        let all = seen.chain(held).chain(involved);
        let (plain, strange): (Vec<_>, Vec<_>) = all.partition(|id| is_plain(id));
        let mut names = Self {
            plain: plain.into_iter().cloned().collect(),
            ..Self::default()
        };
        for id in strange {
            if !names.own.contains_key(id) {
                let own = names.unused();
                names.own.insert(id.clone(), own.clone());
                names.ids.insert(own, id.clone());
            }
        }
        names
    }

    fn unused(&self) -> String {
        let free = (self.own.len() + 1..).map(|n| format!("unnamed_{n}"));
        let mut free = free.filter(|name| !self.plain.contains(&ObjectId::new(name.as_str())));
        free.next().unwrap_or_default()
    }

    pub(crate) fn name(&self, id: &ObjectId) -> String {
        let own = self.own.get(id).cloned();
        own.unwrap_or_else(|| clean(id.as_str(), MAX_PLAIN))
    }

    pub(crate) fn all(&self) -> Vec<String> {
        let plain = self.plain.iter().map(|id| self.name(id));
        plain.chain(self.ids.keys().cloned()).collect()
    }

    /// Replaces ids in a sentence by names.
    pub(crate) fn sentence(&self, text: &str) -> String {
        let mut text = text.to_owned();
        // Long ids first, because a short id may be a part of a longer one.
        let mut strange: Vec<_> = self.own.iter().collect();
        strange.sort_by_key(|(id, _)| std::cmp::Reverse(id.as_str().len()));
        for (id, own) in strange {
            if id.as_str().chars().count() >= MIN_SOUGHT {
                text = text.replace(id.as_str(), own);
            }
        }
        clean(&text, MAX_SENTENCE)
    }

    /// Replaces generated names in a text by ids.
    pub(crate) fn ids_in(&self, text: &str) -> String {
        let names = self.ids.iter().rev();
        names.fold(text.to_owned(), |text, (own, id)| {
            text.replace(own.as_str(), id.as_str())
        })
    }

    /// Replaces ids in arguments or figures by names.
    pub(crate) fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.sentence(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let named = |(k, v): (&String, &Value)| (self.sentence(k), self.value(v));
                fields.iter().map(named).collect()
            }
            other => other.clone(),
        }
    }

    /// Returns the id for a name in an answer: that of a generated name, or of the only object that
    /// any other text names.
    pub(crate) fn meant(&self, said: &str, request: &PlanRequest<'_>) -> Result<String, String> {
        if let Some(id) = self.ids.get(said) {
            return Ok(id.as_str().to_owned());
        }
        let id = ObjectId::new(said);
        if request.held.is_some_and(|held| held.id == id) && is_plain(&id) {
            return Ok(said.to_owned());
        }
        let objects = &request.percept.objects;
        let context = ParseContext {
            answers: &[],
            ..ParseContext::from(request)
        };
        match named(said, &context) {
            Ok(id) => Ok(id.as_str().to_owned()),
            Err(Misunderstanding::Ambiguous { candidates, .. }) if candidates.len() > 1 => {
                let ids = candidates.iter().map(ObjectId::new);
                let names: Vec<_> = ids.map(|id| self.name(&id)).collect();
                Err(format!("names more than one object: {}", names.join(", ")))
            }
            Err(_) => Err(format!("is not known ({})", self.known(objects))),
        }
    }

    fn known(&self, objects: &[PerceivedObject]) -> String {
        let names = objects.iter().take(MAX_LISTED).map(|o| self.name(&o.id));
        let names: Vec<_> = names.collect();
        let more = match objects.len().saturating_sub(MAX_LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("known objects: {}{more}", names.join(", "))
    }
}

fn is_plain(id: &ObjectId) -> bool {
    let text = id.as_str();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !text.is_empty()
        && text.len() <= MAX_PLAIN
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(is_word)
}
