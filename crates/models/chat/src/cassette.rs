//! Recorded exchanges in a file, replayed without a network.

use std::fs;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::portable::sorted;
use crate::wire::{Form, decode};
use crate::wire_log::digest;
use crate::{ChatAnswer, ChatError, ChatModel, ChatRequest, HttpModel, ModelError};

const FORMAT: &str = "regrasp-cassette-1";

/// Recorded exchanges, in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cassette {
    format: String,
    /// Origin of the answers, for people.
    #[serde(default)]
    note: String,
    exchanges: Vec<Exchange>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Exchange {
    #[serde(flatten)]
    key: Key,
    form: Form,
    answer: Value,
}

/// Parts of a request that identify it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Key {
    model: String,
    system: Vec<String>,
    user: Vec<String>,
    tool_names: Vec<String>,
    /// Digest of the tools' names, descriptions and schemas, and of the answer format.
    tools_digest: String,
    image_digests: Vec<String>,
}

impl Key {
    fn new(model: &str, request: &ChatRequest) -> Self {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        let tools = serde_json::to_value((&request.tools, &request.format));
        let tools = sorted(tools.unwrap_or_default()).to_string();
        Self {
            model: model.to_owned(),
            system: lines(&request.system),
            user: lines(&request.user),
            tool_names: request.tools.iter().map(|t| t.name.clone()).collect(),
            tools_digest: digest(tools.as_bytes()),
            image_digests: request.images.iter().map(|i| digest(&i.png)).collect(),
        }
    }

    /// Differences from a recorded key, each as a sentence.
    fn differences(&self, recorded: &Self) -> Vec<String> {
        let mut found = vec![];
        if self.model != recorded.model {
            let (now, then) = (&self.model, &recorded.model);
            found.push(format!("the model is `{now}`, but `{then}` was recorded"));
        }
        let texts = [
            ("the system prompt", &self.system, &recorded.system),
            ("the user prompt", &self.user, &recorded.user),
        ];
        for (name, now, then) in texts {
            found.extend(first_difference(name, now, then));
        }
        let listed = |names: &[String]| names.join(", ");
        if self.tool_names != recorded.tool_names {
            let (now, then) = (listed(&self.tool_names), listed(&recorded.tool_names));
            found.push(format!("the tools are {now}, but {then} were recorded"));
        } else if self.tools_digest != recorded.tools_digest {
            found.push("the tools or the answer format differ from the recorded ones".into());
        }
        if self.image_digests != recorded.image_digests {
            let [now, then] = [self, recorded].map(|key| listed(&key.image_digests));
            found.push(format!(
                "the pictures are [{now}], but [{then}] were recorded"
            ));
        }
        found
    }
}

fn first_difference(name: &str, now: &[String], then: &[String]) -> Option<String> {
    let n = now.len().max(then.len());
    let idx = (0..n).find(|idx| now.get(*idx) != then.get(*idx))?;
    let line = |lines: &[String]| {
        let line = lines.get(idx).map_or("nothing", String::as_str);
        line.chars().take(160).collect::<String>()
    };
    let (n, now, then) = (idx + 1, line(now), line(then));
    Some(format!(
        "line {n} of {name} is `{now}`, but `{then}` was recorded"
    ))
}

fn unusable(path: &Path, detail: impl std::fmt::Display) -> ChatError {
    ChatError::Other(format!("use the cassette `{}`: {detail}", path.display()))
}

impl Cassette {
    /// Reads a cassette.
    ///
    /// # Errors
    ///
    /// [`ChatError`]: the file is missing or has another format.
    pub fn load(path: &Path) -> Result<Self, ChatError> {
        let text = fs::read_to_string(path).map_err(|error| unusable(path, error))?;
        Self::parse(&text).map_err(|detail| unusable(path, detail))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let cassette: Self = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let format = &cassette.format;
        if format != FORMAT {
            return Err(format!("its format is `{format}`; expected `{FORMAT}`"));
        }
        if cassette.exchanges.is_empty() {
            return Err("it has no exchanges".into());
        }
        Ok(cassette)
    }

    /// Returns a model that answers from the cassette. Its name is that of the recorded model if
    /// `model` is `None`. `path` is used in messages only.
    pub fn player(self, path: &Path, model: Option<&str>) -> Player {
        let first = self.exchanges.first().map(|e| e.key.model.clone());
        Player {
            path: path.to_owned(),
            model: model.map(str::to_owned).or(first).unwrap_or_default(),
            n_played: Mutex::new(vec![0; self.exchanges.len()]),
            exchanges: self.exchanges,
        }
    }
}

/// Model that answers from a cassette. Repeated requests get their recorded answers in order, and
/// then the last one again.
#[derive(Debug)]
pub struct Player {
    path: PathBuf,
    model: String,
    exchanges: Vec<Exchange>,
    n_played: Mutex<Vec<usize>>,
}

impl Player {
    fn find(&self, key: &Key) -> Result<&Exchange, ChatError> {
        let same = self.exchanges.iter().enumerate();
        let mut same = same.filter(|(_, exchange)| exchange.key == *key);
        let mut played = self.n_played.lock();
        let fresh = same.clone().find(|(idx, _)| played[*idx] == 0);
        let (idx, exchange) = fresh
            .or_else(|| same.next_back())
            .ok_or_else(|| self.miss(key))?;
        played[idx] += 1;
        Ok(exchange)
    }

    fn miss(&self, key: &Key) -> ChatError {
        let all = self.exchanges.iter().enumerate();
        let all = all.map(|(idx, exchange)| (idx, key.differences(&exchange.key)));
        let nearest = all.min_by_key(|(_, differences)| differences.len());
        let differs = nearest.map_or_else(String::new, |(idx, differences)| {
            format!(
                "; in the nearest, number {}: {}",
                idx + 1,
                differences.join("; ")
            )
        });
        let path = self.path.display();
        ChatError::Other(format!(
            "find the request in cassette `{path}`: no exchange has it{differs}; record it again"
        ))
    }
}

#[async_trait]
impl ChatModel for Player {
    fn model(&self) -> &str {
        &self.model
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
        let exchange = self.find(&Key::new(&self.model, request))?;
        Ok(decode(exchange.form, request, exchange.answer.clone())?)
    }
}

/// Model that asks another model and records its answers. Failures are not recorded.
pub struct Recorder {
    inner: HttpModel,
    path: PathBuf,
    cassette: Mutex<Cassette>,
}

impl Recorder {
    /// Creates a recorder. After every answer, it replaces the file by all exchanges so far.
    pub fn new(inner: HttpModel, path: &Path, note: &str) -> Self {
        Self {
            inner,
            path: path.to_owned(),
            cassette: Mutex::new(Cassette {
                format: FORMAT.into(),
                note: note.into(),
                exchanges: vec![],
            }),
        }
    }

    fn keep(&self, request: &ChatRequest, answer: &ChatAnswer) -> Result<(), ChatError> {
        let mut cassette = self.cassette.lock();
        cassette.exchanges.push(Exchange {
            key: Key::new(self.inner.model(), request),
            form: self.inner.form(),
            answer: sorted(answer.raw.clone()),
        });
        let text = serde_json::to_string_pretty(&*cassette);
        let text = text.map_err(|error| unusable(&self.path, error))?;
        fs::write(&self.path, text + "\n").map_err(|error| unusable(&self.path, error))
    }
}

#[async_trait]
impl ChatModel for Recorder {
    fn model(&self) -> &str {
        self.inner.model()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
        let answer = self.inner.chat(request).await?;
        self.keep(request, &answer)?;
        Ok(answer)
    }

    async fn window(&self) -> Option<u64> {
        self.inner.window().await
    }
}
