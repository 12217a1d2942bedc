//! A model behind HTTP.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use backon::BackoffBuilder;
use regrasp_api::CancelToken;
use serde_json::Value;

use crate::cancel::until_cancelled;
use crate::endpoint::shown;
use crate::headers::headers;
use crate::key::redacted;
use crate::retry::asked_wait_secs;
use crate::status::Refusal;
use crate::wire::{Form, decode, encode, one_line};
use crate::wire_log::Try;
use crate::{
    ChatAnswer, ChatModel, ChatRequest, Clock, Endpoint, Fault, Limits, ModelError, Patience,
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
}

impl HttpModel {
    /// A client for one endpoint. Connects to nothing yet.
    ///
    /// # Errors
    ///
    /// [`Fault::Setup`]: the key is no header, or the machine has no certificates.
    pub fn new(endpoint: Endpoint, limits: Limits) -> Result<Self, Fault> {
        // Another part of the program may have chosen one already; that is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("regrasp/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers(&endpoint)?)
            .connect_timeout(limits.connect)
            .read_timeout(limits.read)
            // A key must not follow a server's word to another server.
            .redirect(reqwest::redirect::Policy::none())
            // Tries are counted here, not below.
            .retry(reqwest::retry::never())
            // Each plan is waited for on a runtime of its own, with which the tasks that
            // kept a connection alive are gone.
            .pool_max_idle_per_host(0);
        if endpoint.is_local() {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| Fault::Setup {
            detail: chain(&error),
        })?;
        Ok(Self {
            endpoint,
            limits,
            client,
            clock: Arc::new(SystemClock),
            cancel: CancelToken::new(),
            log: None,
        })
    }

    /// Waits by this clock between tries.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Ends calls when this token is cancelled.
    pub fn with_cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Writes every exchange there.
    pub fn with_log(mut self, log: Arc<WireLog>) -> Self {
        self.log = Some(log);
        self
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub(crate) fn form(&self) -> Form {
        Form::from(&self.endpoint)
    }

    fn url(&self) -> String {
        shown(&self.endpoint.url())
    }

    /// Tries as often as the policy says, within the time that is left.
    async fn tried(&self, request: &ChatRequest, so_far: &SoFar) -> Result<ChatAnswer, Fault> {
        let body = encode(&self.endpoint, request);
        let begun = Instant::now();
        let mut pauses = self.limits.retry.pauses().build();
        loop {
            let n = so_far.n_tries.fetch_add(1, Ordering::Relaxed) + 1;
            let fault = match self.attempt(n, request, &body).await {
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            let Some(pause) = self.pause_after(&fault, &mut pauses) else {
                return Err(fault);
            };
            // A pause that outlasts the call would only hide what is wrong.
            if begun.elapsed() + pause >= self.limits.call {
                return Err(fault);
            }
            tracing::info!(%fault, pause_secs = pause.as_secs_f64(), "asking the model again");
            if let Ok(mut last) = so_far.last.lock() {
                *last = Some(fault.to_string());
            }
            self.clock.sleep(pause).await;
        }
    }

    /// How long to wait before the next try; `None` if there is none.
    fn pause_after(
        &self,
        fault: &Fault,
        pauses: &mut impl Iterator<Item = Duration>,
    ) -> Option<Duration> {
        if !fault.is_retryable() {
            return None;
        }
        let usual = pauses.next()?.min(self.limits.retry.longest);
        let asked = match fault {
            Fault::Status { wait_secs, .. } => *wait_secs,
            _ => None,
        };
        let asked = asked.and_then(|secs| Duration::try_from_secs_f64(secs).ok());
        Some(asked.unwrap_or(usual))
    }

    async fn attempt(
        &self,
        n: usize,
        request: &ChatRequest,
        body: &Value,
    ) -> Result<ChatAnswer, Fault> {
        let begun = Instant::now();
        let mut exchange = Try::new(n, self.url(), body);
        let outcome = self.exchange(request, body, &mut exchange).await;
        if let Some(log) = &self.log {
            exchange.took_secs = begun.elapsed().as_secs_f64();
            exchange.fault = outcome.as_ref().err().map(ToString::to_string);
            log.write(&exchange);
        }
        outcome
    }

    async fn exchange(
        &self,
        request: &ChatRequest,
        body: &Value,
        exchange: &mut Try,
    ) -> Result<ChatAnswer, Fault> {
        let sent = self.client.post(self.endpoint.url()).body(body.to_string());
        let response = sent.send().await.map_err(|e| self.broken(&e))?;
        let status = response.status();
        exchange.status = Some(status.as_u16());
        let wait_secs = asked_wait_secs(response.headers(), self.clock.now());
        let id = response.headers().get("x-request-id");
        let id = id.and_then(|id| id.to_str().ok()).map(one_line);
        exchange.request_id = id.map(|id| redacted(id, self.endpoint.key.as_ref()));
        let text = self.body(response).await?;
        exchange.answer.clone_from(&text);
        if !status.is_success() {
            let refusal = Refusal {
                url: self.url(),
                status: status.as_u16(),
                body: &text,
                wait_secs,
                cap_secs: self.limits.retry.wait_cap.as_secs_f64(),
            };
            return Err(refusal.fault(request));
        }
        let raw = serde_json::from_str(&text).map_err(|error| Fault::NotJson {
            url: self.url(),
            detail: error.to_string(),
            start: one_line(text.get(..200).unwrap_or(&text)),
        })?;
        decode(self.form(), request, raw)
    }

    /// The body, without keys, up to the cap.
    async fn body(&self, mut response: reqwest::Response) -> Result<String, Fault> {
        let limit_bytes = self.limits.max_body;
        let too_large = || Fault::TooLarge {
            url: self.url(),
            limit_bytes,
        };
        if response
            .content_length()
            .is_some_and(|n| n > limit_bytes as u64)
        {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| self.broken(&e))? {
            if bytes.len() + chunk.len() > limit_bytes {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(redacted(text, self.endpoint.key.as_ref()))
    }

    /// What went wrong below HTTP.
    fn broken(&self, error: &reqwest::Error) -> Fault {
        let url = self.url();
        let timed_out = |what, limit: Duration| Fault::TimedOut {
            url: self.url(),
            what,
            limit_secs: limit.as_secs_f64(),
            last: None,
        };
        let detail = chain(error);
        if error.is_timeout() && error.is_connect() {
            timed_out(Patience::Connect, self.limits.connect)
        } else if error.is_timeout() {
            timed_out(Patience::Read, self.limits.read)
        } else if error.is_connect() {
            Fault::Unreachable { url, detail }
        } else if error.is_builder() {
            Fault::Setup { detail }
        } else {
            Fault::Broken { url, detail }
        }
    }
}

/// What became of a call until now.
#[derive(Default)]
struct SoFar {
    n_tries: AtomicUsize,
    last: Mutex<Option<String>>,
}

#[async_trait]
impl ChatModel for HttpModel {
    fn model(&self) -> &str {
        &self.endpoint.model
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
        let so_far = SoFar::default();
        let call = tokio::time::timeout(self.limits.call, self.tried(request, &so_far));
        let outcome = match until_cancelled(&self.cancel, call).await {
            None => Err(Fault::Cancelled),
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) => Err(Fault::TimedOut {
                url: self.url(),
                what: Patience::Call,
                limit_secs: self.limits.call.as_secs_f64(),
                last: so_far.last.lock().ok().and_then(|mut last| last.take()),
            }),
        };
        outcome.map_err(|fault| ModelError {
            fault,
            n_tries: so_far.n_tries.load(Ordering::Relaxed),
        })
    }
}

/// An error with what is behind it, and without the address, which may hold a secret.
fn chain(error: &reqwest::Error) -> String {
    let mut words: Vec<String> = vec![];
    let mut source = error.source();
    while let Some(inner) = source {
        words.push(inner.to_string());
        source = inner.source();
    }
    words.dedup();
    if words.is_empty() {
        words.push("it could not be built".into());
    }
    one_line(&words.join(": "))
}
