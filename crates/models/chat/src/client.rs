//! Client for a model behind HTTP: attempts, waits and limits.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use backon::BackoffBuilder;
use parking_lot::Mutex;
use regrasp_api::CancelToken;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::endpoint::shown;
use crate::redact::Secrets;
use crate::retry::{asked_wait_secs, until_cancelled};
use crate::status::refusal;
use crate::stream::{Progress, Watch, merged, n_pieces};
use crate::wire::{Form, decode, encode, one_line};
use crate::wire_log::Try;
use crate::{
    ChatAnswer, ChatError, ChatModel, ChatRequest, Clock, Endpoint, Limits, ModelError, Patience,
    SystemClock, WireLog,
};

/// A model behind HTTP.
pub struct HttpModel {
    endpoint: Endpoint,
    limits: Limits,
    client: reqwest::Client,
    clock: Arc<dyn Clock>,
    cancel: CancelToken,
    log: Option<Arc<WireLog>>,
    secrets: Secrets,
    /// Failed attempts in a row, over all calls.
    n_failed: AtomicUsize,
    /// Time before which the server asked not to be called again.
    not_before: Mutex<Option<Instant>>,
    window: OnceCell<Option<u64>>,
    progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
}

impl HttpModel {
    /// Creates a client for an endpoint, without connecting to it.
    ///
    /// # Errors
    ///
    /// [`ChatError::Setup`]: the key cannot be sent in a header, or the machine has no
    /// certificates.
    pub fn new(endpoint: Endpoint, limits: Limits) -> Result<Self, ChatError> {
        // Fails if the program has already installed a crypto provider, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("regrasp/", env!("CARGO_PKG_VERSION")))
            .default_headers(endpoint.headers()?)
            .connect_timeout(limits.connect)
            .read_timeout(limits.read)
            // A redirect must not send the key to another server.
            .redirect(reqwest::redirect::Policy::none())
            // Retries are counted here, not in `reqwest`.
            .retry(reqwest::retry::never())
            // Each call may run on a runtime of its own, and pooled connections end with the
            // runtime that opened them.
            .pool_max_idle_per_host(0);
        if endpoint.is_local() {
            builder = builder.no_proxy();
        }
        let secrets = Secrets::new(endpoint.secrets());
        let client = builder.build();
        let client = client.map_err(|error| ChatError::Setup(chain(&error)))?;
        Ok(Self {
            endpoint,
            limits,
            client,
            clock: Arc::new(SystemClock),
            cancel: CancelToken::new(),
            log: None,
            secrets,
            n_failed: AtomicUsize::new(0),
            not_before: Mutex::default(),
            window: OnceCell::new(),
            progress: None,
        })
    }

    /// Sets the clock for the waits between attempts.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets a token that cancels calls.
    pub fn with_cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Sets a log of every exchange.
    pub fn with_log(mut self, log: Arc<WireLog>) -> Self {
        self.log = Some(log);
        self
    }

    /// Sets a callback for the start of an attempt, each arriving part of its answer, and its end.
    pub fn with_progress(mut self, progress: Arc<dyn Fn(Progress) + Send + Sync>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The endpoint of the model.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(crate) fn form(&self) -> Form {
        Form {
            dialect: self.endpoint.dialect(),
            strict: self.endpoint.is_openai(),
        }
    }

    fn url(&self) -> String {
        shown(&self.endpoint.url())
    }

    /// Sends a request, with the retries that the policy and the time limit of a call allow.
    async fn tried(&self, request: &ChatRequest, so_far: &SoFar) -> Result<ChatAnswer, ChatError> {
        let body = encode(&self.endpoint, request);
        let begun = Instant::now();
        let mut pauses = self.limits.retry.pauses().build();
        self.wait_as_asked(begun).await?;
        loop {
            let n = so_far.n_tries.fetch_add(1, Ordering::Relaxed) + 1;
            let error = match self.attempt(n, request, &body).await {
                Ok(answer) => {
                    self.n_failed.store(0, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(error) => error,
            };
            self.n_failed.fetch_add(1, Ordering::Relaxed);
            self.note_wait(&error);
            if self.is_given_up() {
                return Err(error);
            }
            let Some(pause) = self.pause_after(&error, &mut pauses) else {
                return Err(error);
            };
            // A pause beyond the call's time limit would only hide the error behind a timeout.
            if begun.elapsed() + pause >= self.limits.call {
                return Err(error);
            }
            tracing::info!(%error, pause_secs = pause.as_secs_f64(), "asking the model again");
            *so_far.last.lock() = Some(error.to_string());
            self.clock.sleep(pause).await;
            // The pause included the wait that the server asked for.
            *self.not_before.lock() = None;
        }
    }

    /// Stores the wait that the server asked for, so that the next call keeps it, too.
    fn note_wait(&self, error: &ChatError) {
        if let Some(wait) = asked_wait(error) {
            *self.not_before.lock() = Instant::now().checked_add(wait);
        }
    }

    /// Waits as the server asked, or fails if that exceeds the time limit of a call.
    async fn wait_as_asked(&self, begun: Instant) -> Result<(), ChatError> {
        let until = self.not_before.lock().take();
        let Some(wait) = until.and_then(|at| at.checked_duration_since(begun)) else {
            return Ok(());
        };
        if wait >= self.limits.call {
            let secs = wait.as_secs_f64();
            let last = format!("ask again: the server asks to wait another {secs:.0} s");
            return Err(self.late(Patience::Call, self.limits.call, Some(last)));
        }
        self.clock.sleep(wait).await;
        Ok(())
    }

    /// Returns true if no later call can help.
    fn is_final(&self, error: &ChatError) -> bool {
        let is_late = matches!(
            error,
            ChatError::TimedOut {
                what: Patience::Call | Patience::Read,
                ..
            }
        );
        is_late || error.is_retryable() && self.is_given_up()
    }

    fn is_given_up(&self) -> bool {
        self.n_failed.load(Ordering::Relaxed) >= self.limits.retry.max_in_a_row
    }

    /// Returns the pause before the next attempt; `None` if no attempt should follow.
    fn pause_after(
        &self,
        error: &ChatError,
        pauses: &mut impl Iterator<Item = Duration>,
    ) -> Option<Duration> {
        if !error.is_retryable() {
            return None;
        }
        let usual = pauses.next()?.min(self.limits.retry.longest);
        Some(asked_wait(error).unwrap_or(usual))
    }

    async fn attempt(
        &self,
        n: usize,
        request: &ChatRequest,
        body: &Value,
    ) -> Result<ChatAnswer, ChatError> {
        let begun = Instant::now();
        let mut exchange = Try::new(n, self.url(), body);
        self.tell(Progress::default());
        let outcome = self.exchange(request, body, &mut exchange).await;
        self.tell(Progress {
            is_over: true,
            ..Progress::default()
        });
        if let Some(log) = &self.log {
            exchange.took_secs = begun.elapsed().as_secs_f64();
            exchange.error = outcome.as_ref().err().map(ToString::to_string);
            log.write(&exchange);
        }
        outcome
    }

    async fn exchange(
        &self,
        request: &ChatRequest,
        body: &Value,
        exchange: &mut Try,
    ) -> Result<ChatAnswer, ChatError> {
        let sent = self.client.post(self.endpoint.url()).body(body.to_string());
        let response = sent.send().await.map_err(|e| self.broken(&e))?;
        let status = response.status();
        exchange.status = Some(status.as_u16());
        let wait_secs = asked_wait_secs(response.headers(), self.clock.now());
        let id = response.headers().get("x-request-id");
        let id = id.and_then(|id| id.to_str().ok()).map(one_line);
        exchange.request_id = id.map(|id| self.secrets.out_of_text(id));
        let kind = response.headers().get(CONTENT_TYPE);
        let is_stream = kind
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.starts_with("text/event-stream"));
        let mut watch = is_stream.then(Watch::default);
        let body = self.body(response, watch.as_mut()).await?;
        let stopped = watch.is_some_and(|watch| watch.has_repeated);
        let body = match is_stream {
            false => body,
            true => merged(&body, stopped)
                .ok_or_else(|| ChatError::Broken {
                    url: self.url(),
                    detail: "the stream ended before the answer did".into(),
                })?
                .to_string(),
        };
        // Secrets are removed here, before anything else reads the server's data.
        let parsed = serde_json::from_str::<Value>(body.trim_start_matches('\u{feff}'));
        let parsed = parsed.map(|raw| self.secrets.out_of(raw));
        let text = match &parsed {
            Ok(raw) => raw.to_string(),
            Err(_) => self.secrets.out_of_text(body),
        };
        exchange.answer.clone_from(&text);
        if !status.is_success() {
            let cap_secs = self.limits.retry.wait_cap.as_secs_f64();
            let (url, status) = (self.url(), status.as_u16());
            return Err(refusal(url, status, &text, wait_secs, cap_secs, request));
        }
        let no_json = |why: String| {
            let start = one_line(&text);
            self.unread(format!("it is not JSON ({why}): `{start}`"))
        };
        let raw = parsed.map_err(|error| no_json(error.to_string()))?;
        if !raw.is_object() {
            return Err(no_json("expected an object".into()));
        }
        let answer = decode(self.form(), request, raw)?;
        Ok(self.secrets.out_of_answer(answer))
    }

    /// Reads the body up to the size limit, or until the model only repeats itself.
    async fn body(
        &self,
        mut response: reqwest::Response,
        mut watch: Option<&mut Watch>,
    ) -> Result<String, ChatError> {
        let limit_bytes = self.limits.max_body;
        let too_large = || self.unread(format!("it is longer than {limit_bytes} bytes"));
        let announced = response.content_length();
        if announced.is_some_and(|n| n > limit_bytes as u64) {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        let mut progress = Progress::default();
        while let Some(chunk) = response.chunk().await.map_err(|e| self.broken(&e))? {
            if bytes.len() + chunk.len() > limit_bytes {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
            progress.n_pieces += n_pieces(&chunk);
            self.tell(progress);
            if watch.as_mut().is_some_and(|watch| watch.repeats(&bytes)) {
                tracing::warn!("the model only repeats itself; its answer is cut off");
                break;
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn unread(&self, why: String) -> ChatError {
        ChatError::Other(format!("read the answer of {}: {why}", self.url()))
    }

    fn tell(&self, progress: Progress) {
        if let Some(tell) = &self.progress {
            tell(progress);
        }
    }

    fn late(&self, what: Patience, limit: Duration, last: Option<String>) -> ChatError {
        ChatError::TimedOut {
            url: self.url(),
            what,
            limit_secs: limit.as_secs_f64(),
            last,
        }
    }

    fn broken(&self, error: &reqwest::Error) -> ChatError {
        let url = self.url();
        let timed_out = |what, limit: Duration| self.late(what, limit, None);
        let detail = chain(error);
        if error.is_timeout() && error.is_connect() {
            timed_out(Patience::Connect, self.limits.connect)
        } else if error.is_timeout() {
            timed_out(Patience::Read, self.limits.read)
        } else if error.is_connect() {
            ChatError::Unreachable { url, detail }
        } else if error.is_builder() {
            ChatError::Setup(detail)
        } else {
            ChatError::Broken { url, detail }
        }
    }
}

fn asked_wait(error: &ChatError) -> Option<Duration> {
    match error {
        ChatError::Status { wait_secs, .. } => Duration::try_from_secs_f64((*wait_secs)?).ok(),
        _ => None,
    }
}

#[derive(Default)]
struct SoFar {
    n_tries: AtomicUsize,
    last: Mutex<Option<String>>,
}

impl HttpModel {
    /// Requests JSON about the server; `None` on any failure.
    async fn told(&self, path: &str) -> Option<Value> {
        const PATIENCE: Duration = Duration::from_secs(5);
        let response = self
            .client
            .get(self.endpoint.beside(path))
            .timeout(PATIENCE);
        let response = response.send().await.ok()?;
        let is_good = response.status().is_success();
        let body = self.body(response, None).await.ok().filter(|_| is_good)?;
        let raw = serde_json::from_str(&body).ok()?;
        Some(self.secrets.out_of(raw))
    }

    /// Asks for the context window: from the model list (vLLM, OpenRouter and others), the settings
    /// (llama.cpp) or the loaded models (Ollama).
    async fn ask_window(&self) -> Option<u64> {
        if !self.endpoint.tells_window() {
            return None;
        }
        let is_it = |entry: &&Value| {
            let names = ["id", "name", "model"].map(|key| entry[key].as_str());
            names.contains(&Some(self.endpoint.model.as_str()))
        };
        let of = |list: &Value| {
            let list = list.as_array()?;
            let entry = list.iter().find(is_it).or(list.first())?;
            let keys = ["max_model_len", "context_length", "loaded_context_length"];
            keys.iter().find_map(|key| entry[*key].as_u64())
        };
        let listed = self.told("models").await;
        if let Some(window) = listed.and_then(|raw| of(&raw["data"])) {
            return Some(window);
        }
        let props = self.told("/props").await;
        let n_ctx = props.and_then(|raw| raw["default_generation_settings"]["n_ctx"].as_u64());
        if n_ctx.is_some() {
            return n_ctx;
        }
        let loaded = self.told("/api/ps").await?;
        of(&loaded["models"])
    }
}

#[async_trait]
impl ChatModel for HttpModel {
    async fn window(&self) -> Option<u64> {
        *self.window.get_or_init(|| self.ask_window()).await
    }

    fn model(&self) -> &str {
        &self.endpoint.model
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
        let so_far = SoFar::default();
        let call = tokio::time::timeout(self.limits.call, self.tried(request, &so_far));
        let outcome = match until_cancelled(&self.cancel, call).await {
            None => Err(ChatError::Cancelled),
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) => {
                let last = so_far.last.lock().take();
                Err(self.late(Patience::Call, self.limits.call, last))
            }
        };
        outcome.map_err(|cause| ModelError {
            is_final: self.is_final(&cause),
            cause,
            n_tries: so_far.n_tries.load(Ordering::Relaxed),
        })
    }
}

/// Formats the causes of an error. The error itself names the address, which may contain a secret.
fn chain(error: &reqwest::Error) -> String {
    let mut words: Vec<String> = vec![];
    let mut source = error.source();
    while let Some(inner) = source {
        words.push(inner.to_string());
        source = inner.source();
    }
    words.dedup();
    if words.is_empty() {
        words.push("the request could not be built".into());
    }
    one_line(&words.join(": "))
}
