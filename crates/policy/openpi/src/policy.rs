//! Client of a policy server.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use regrasp_api::{Action, Policy, PolicyDeadlines, PolicyError, PolicyInput, PolicyStart};
use tokio::time::Instant;

use crate::connection::{Connection, NoMessage};
use crate::pack;
use crate::picture;
use crate::sense;
use crate::{Address, ArmAction, Body, Dialect, Mapping, OpenpiError, Sensed, Value, chunk};

/// Metadata key under which Regrasp's servers name their mapping.
pub(crate) const MAPPING_KEY: &str = "regrasp_mapping";

/// Metadata key under which RoboArena's servers name their action space.
const ACTION_SPACE: &str = "action_space";

/// Creates policies, each with its own connection.
#[derive(Clone, Debug)]
pub struct OpenpiPolicies {
    address: Address,
    mapping: Mapping,
    /// Set if the caller chose the mapping; otherwise, the server must name it.
    is_chosen: bool,
    key: Option<String>,
    deadlines: PolicyDeadlines,
}

impl OpenpiPolicies {
    /// Creates policies of the server at `ws://HOST:PORT`. Without a mapping, the server's metadata
    /// must name the mapping `joints`, as those of Regrasp's server do. The key is sent in the
    /// header `Authorization: Api-Key KEY`.
    ///
    /// # Errors
    ///
    /// [`OpenpiError`] for an invalid address or mapping. No connection is made yet.
    pub fn new(
        address: &str,
        mapping: Option<Mapping>,
        key: Option<String>,
        deadlines: PolicyDeadlines,
    ) -> Result<Self, OpenpiError> {
        let is_chosen = mapping.is_some();
        Ok(Self {
            address: Address::parse(address)?,
            mapping: mapping.map_or_else(|| Mapping::load("joints"), Ok)?,
            is_chosen,
            key,
            deadlines,
        })
    }

    /// Name in reports.
    pub fn name(&self) -> String {
        format!("openpi:{}", self.address)
    }

    /// Mapping of observations and actions.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Creates a policy for one episode. It connects when the episode starts.
    pub fn policy(&self) -> OpenpiPolicy {
        OpenpiPolicy {
            made_by: self.clone(),
            episode: None,
        }
    }
}

/// Policy of one episode behind a WebSocket.
pub struct OpenpiPolicy {
    made_by: OpenpiPolicies,
    episode: Option<Running>,
}

struct Running {
    connection: Connection,
    /// Mapping agreed with the server.
    mapping: Arc<Mapping>,
    session: String,
    body: Body,
    task: String,
    seed: u64,
    chunk: VecDeque<Vec<f64>>,
    /// Set while a reply is outstanding.
    is_owed: bool,
    had_reply: bool,
    n_late: u32,
}

impl Policy for OpenpiPolicy {
    fn name(&self) -> String {
        self.made_by.name()
    }

    fn reset(&mut self, start: &PolicyStart<'_>) -> Result<(), PolicyError> {
        let (address, key) = (&self.made_by.address, self.made_by.key.as_deref());
        let deadline = self.made_by.deadlines.first_deadline;
        let until = Instant::now() + deadline;
        let (mut connection, metadata) = Connection::open(address, key, deadline)?;
        let mapping = self.made_by.agreed(&metadata)?;
        let session = format!("regrasp-{}-{}", start.seed, next_session());
        if mapping.dialect == Dialect::Roboarena {
            let reset = Value::map([
                ("endpoint".to_owned(), Value::text("reset")),
                ("session_id".to_owned(), Value::text(&session)),
            ]);
            let message = pack::encode(&reset);
            let message = message.map_err(unsendable)?;
            let sent = connection.send(message, until);
            let received = sent.and_then(|()| connection.receive_reset(until));
            received.map_err(|why| match why {
                NoMessage::Gone(error) => error,
                NoMessage::Late => self.made_by.late(1, deadline),
            })?;
        }
        let gripper = &start.robot.gripper;
        self.episode = Some(Running {
            connection,
            mapping: Arc::new(mapping),
            session,
            body: Body {
                world_from_base: start.world_from_base,
                n_joints: start.robot.joint_names.len(),
                width_m: [gripper.min_width_m, gripper.max_width_m],
                force_n: gripper.default_force_n,
            },
            task: start.task.to_owned(),
            seed: start.seed,
            chunk: VecDeque::new(),
            is_owed: false,
            had_reply: false,
            n_late: 0,
        });
        Ok(())
    }

    fn wants_images(&self, has_stopped: bool) -> bool {
        // Pictures are not needed while a chunk is being executed.
        has_stopped || self.episode.as_ref().is_none_or(|it| it.chunk.is_empty())
    }

    fn wants_objects(&self) -> bool {
        let episode = self.episode.as_ref();
        episode.is_some_and(|it| !it.mapping.objects.is_empty())
    }

    fn act(&mut self, input: &PolicyInput) -> Result<Option<Action>, PolicyError> {
        let running = self.episode.as_mut().ok_or_else(|| {
            let name = self.made_by.name();
            PolicyError::new(format!("{name} was not reset before the episode"))
        })?;
        let acted = running.act(&self.made_by, input);
        if acted.is_err() {
            self.episode = None;
        }
        Ok(acted?)
    }
}

impl OpenpiPolicies {
    /// Returns the mapping, adapted to the server's metadata, or an error if they do not fit.
    fn agreed(&self, metadata: &Value) -> Result<Mapping, OpenpiError> {
        let mapping = self.mapping.clone();
        let is_roboarena = metadata.get(ACTION_SPACE).is_some();
        match (mapping.dialect, is_roboarena) {
            (Dialect::Openpi, false) => self.agree(metadata).map(|()| mapping),
            (Dialect::Openpi, true) => Err(self.unfit(
                "its metadata are those of RoboArena's servers; choose the mapping `roboarena`"
                    .into(),
            )),
            (Dialect::Roboarena, false) => Err(self.unfit(format!(
                "its metadata ({}) have no `{ACTION_SPACE}`, as RoboArena's servers have",
                metadata.described()
            ))),
            (Dialect::Roboarena, true) => {
                adapted(mapping, metadata).map_err(|detail| self.unfit(detail))
            }
        }
    }

    fn agree(&self, metadata: &Value) -> Result<(), OpenpiError> {
        let named = metadata.get(MAPPING_KEY).and_then(Value::as_text);
        let ours = self.mapping.name.as_str();
        match named {
            Some(theirs) if theirs == ours => Ok(()),
            Some(theirs) => Err(self.unfit(format!("its metadata name the mapping `{theirs}`"))),
            None if self.is_chosen => Ok(()),
            None => Err(self.unfit(format!(
                "its metadata ({}) name no mapping; choose one ({}, or a file; `regrasp schema \
                 {}` describes it)",
                metadata.described(),
                Mapping::built_in().collect::<Vec<_>>().join(", "),
                crate::SCHEMA_NAME,
            ))),
        }
    }

    fn unfit(&self, detail: String) -> OpenpiError {
        OpenpiError::Other(format!(
            "use the message of the policy server at {} with the mapping `{}`: {detail}",
            self.address, self.mapping.name
        ))
    }

    fn late(&self, n_times: u32, deadline: Duration) -> OpenpiError {
        OpenpiError::Other(format!(
            "get an action: the policy server at {} did not answer within {:.2} s (late answers in \
             a row: {n_times})",
            self.address,
            deadline.as_secs_f64()
        ))
    }
}

fn unsendable(why: impl std::fmt::Display) -> OpenpiError {
    OpenpiError::Other(format!("send the observation: {why}"))
}

impl Running {
    fn act(
        &mut self,
        made_by: &OpenpiPolicies,
        input: &PolicyInput,
    ) -> Result<Option<Action>, OpenpiError> {
        if input.stopped.is_some() {
            // The rest of the chunk assumes an arm that did not stop.
            self.chunk.clear();
        }
        let mapping = Arc::clone(&self.mapping);
        let mapping = mapping.as_ref();
        if self.chunk.is_empty() {
            let deadline = match self.had_reply {
                true => made_by.deadlines.deadline,
                false => made_by.deadlines.first_deadline,
            };
            let reply = match self.ask(made_by, input, Instant::now() + deadline) {
                Ok(reply) => reply,
                Err(NoMessage::Gone(error)) => return Err(error),
                // A timeout of the first reply is not tolerated.
                Err(NoMessage::Late) if !self.had_reply => return Err(made_by.late(1, deadline)),
                Err(NoMessage::Late) => {
                    self.n_late += 1;
                    return match self.n_late < made_by.deadlines.max_late {
                        true => Ok(None),
                        false => Err(made_by.late(self.n_late, deadline)),
                    };
                }
            };
            (self.had_reply, self.n_late) = (true, 0);
            if says_done(mapping, &reply) {
                return Ok(Some(Action::Done));
            }
            let rows = chunk::read(mapping, &reply, self.body.n_joints);
            self.chunk = rows.map_err(|detail| made_by.unfit(detail))?.into();
        }
        let row = self.chunk.pop_front();
        Ok(row.map(|row| chunk::action(mapping, &row, &sensed(input), &self.body)))
    }

    fn ask(
        &mut self,
        made_by: &OpenpiPolicies,
        input: &PolicyInput,
        until: Instant,
    ) -> Result<Value, NoMessage> {
        if self.is_owed {
            // A late reply belongs to an earlier state of the world.
            self.connection.receive(until)?;
            self.is_owed = false;
        }
        if self.connection.has_more().map_err(NoMessage::Gone)? {
            let address = &made_by.address;
            return Err(NoMessage::Gone(OpenpiError::Other(format!(
                "match replies to requests: the policy server at {address} sent two replies to one \
                 request"
            ))));
        }
        let observation = self.observation(&self.mapping, input);
        let message = observation.and_then(|o| pack::encode(&o).map_err(|e| e.to_string()));
        let message = message.map_err(|e| NoMessage::Gone(unsendable(e)))?;
        self.is_owed = true;
        self.connection.send(message, until)?;
        let reply = self.connection.receive(until)?;
        self.is_owed = false;
        Ok(reply)
    }

    fn observation(&self, mapping: &Mapping, input: &PolicyInput) -> Result<Value, String> {
        let mut entries = sense::state(mapping, &sensed(input), &self.body);
        entries.extend(sense::objects(mapping, &input.objects, &self.body)?);
        for entry in &mapping.images {
            let named = |image: &&regrasp_api::SceneImage| image.view.name == entry.camera;
            let image = input.images.iter().find(named);
            let image = image.ok_or_else(|| format!("there is no camera `{}`", entry.camera))?;
            let array = picture::array(&image.png, entry)?;
            entries.push((entry.key.clone(), Value::Array(array)));
        }
        let others = [
            (&mapping.prompt, Value::text(&self.task)),
            (&mapping.step, Value::Int(input.step.into())),
            (&mapping.seed, Value::Int(self.seed.into())),
        ];
        for (key, value) in others {
            entries.extend(key.clone().map(|key| (key, value)));
        }
        if mapping.dialect == Dialect::Roboarena {
            let around = [("endpoint", "infer"), ("session_id", self.session.as_str())];
            entries.extend(around.map(|(key, sent)| (key.to_owned(), Value::text(sent))));
        }
        Ok(Value::map(entries))
    }
}

/// Returns the id of an episode, unique within the process.
fn next_session() -> u64 {
    static N_SESSIONS: AtomicU64 = AtomicU64::new(0);
    N_SESSIONS.fetch_add(1, Ordering::Relaxed)
}

/// Adapts a mapping to the metadata of a RoboArena server.
fn adapted(mut mapping: Mapping, metadata: &Value) -> Result<Mapping, String> {
    let asks = |key: &str| match metadata.get(key) {
        Some(Value::Bool(true)) => 1,
        Some(Value::Int(n)) => usize::try_from(*n).unwrap_or_default(),
        _ => 0,
    };
    let images = &mapping.images;
    let count = |word: &str| images.iter().filter(|i| i.key.contains(word)).count();
    for (key, word) in [
        ("needs_wrist_camera", "wrist_image"),
        ("n_external_cameras", "exterior_image"),
        ("needs_stereo_camera", "_right"),
    ] {
        let (asked, there) = (asks(key), count(word));
        if asked > there {
            return Err(format!(
                "its metadata require `{key}` {asked}, but the mapping has {there} pictures with \
                 `{word}` in their keys"
            ));
        }
    }
    let actions = &mut mapping.actions;
    let space = metadata.get(ACTION_SPACE);
    let (arm, scale, clip) = match space.and_then(Value::as_text) {
        Some("joint_position") => (ArmAction::JointPosition, 1.0, None),
        // As for DROID: fractions of 3 rad/s, that is 0.2 rad in 1/15 s.
        Some("joint_velocity") => (ArmAction::JointVelocity, 3.0, Some(1.0)),
        _ => {
            let other = space.map_or("missing".to_owned(), Value::described);
            return Err(format!(
                "`{ACTION_SPACE}` of its metadata is {other}; expected joint_position or \
                 joint_velocity"
            ));
        }
    };
    if actions.arm != arm {
        (actions.arm, actions.scale, actions.clip) = (arm, scale, clip);
    }
    if let Some(Value::List(size)) = metadata.get("image_resolution") {
        let side = |value: &Value| {
            let n = value.count().and_then(|n| u32::try_from(n).ok());
            n.filter(|n| (1..=2048).contains(n))
        };
        let &[Some(rows), Some(columns)] = size.iter().map(side).collect::<Vec<_>>().as_slice()
        else {
            return Err("`image_resolution` of its metadata is not a size from 1 to 2048".into());
        };
        for image in &mut mapping.images {
            image.size = [columns, rows];
        }
    }
    Ok(mapping)
}

fn says_done(mapping: &Mapping, reply: &Value) -> bool {
    let sent = mapping.done.as_deref().and_then(|key| reply.get(key));
    sent == Some(&Value::Bool(true))
}

fn sensed(input: &PolicyInput) -> Sensed {
    Sensed {
        joints: input.joint_positions.clone(),
        velocities: input.joint_velocities.clone(),
        world_from_tool: input.world_from_tool,
        width_m: input.gripper.width_m,
        finger_contact: input.gripper.finger_contact.unwrap_or_default(),
    }
}
