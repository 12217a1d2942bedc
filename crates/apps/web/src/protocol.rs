//! What page and server say to each other, version 1.
//!
//! # From the page
//!
//! Text messages of at most 16 KiB, each a JSON object with an `id` of the sender's choice
//! (so that answers can be told apart) and either an `order` or a `control` wish:
//!
//! ```json
//! {"id": 7, "order": {"do": "run", "order": {"text": "put the red cube on the plate"}}}
//! {"id": 8, "order": {"do": "stop"}}
//! {"id": 9, "control": "take"}
//! ```
//!
//! Orders are those of [`regrasp_session::Command`]. Unknown fields are refused.
//!
//! # From the server
//!
//! Text messages are [`ServerMessage`]s: first `hello`, then whatever is new. Every message
//! of the page is answered by `reply` or `error` with its id (`re`); an order that takes time
//! is answered by `reply` when it begins and by `outcome` when it has ended.
//!
//! A run ends with the entry `run_finished`: whether it is `kept`, and the `verdict` of the task's judge, `null` unless the text was the prompt of the scene's task:
//! `{"judged": "success"}`, `{"judged": "not_judged"}` of a run that was stopped, or `{"judged": "failure", "unmet":
//! [{"condition": …, "found": …}], "false_success": …}`. Its `outcome` says the same.
//!
//! Binary messages are positions, little endian: number of the world (u32), number of nodes n
//! (u32), simulated time (f64), width of the gripper (f64), then for each node of `/api/scene`
//! position and orientation (x, y, z, qx, qy, qz, qw as f32), NaN for what is not there. A
//! page that is slow misses positions, never events.
//!
//! # Over HTTP
//!
//! | path | what |
//! |---|---|
//! | `/api/scene` | [`SceneInfo`] as JSON |
//! | `/api/mesh/{hash}?off_mm=MM` | a mesh with as few triangles as it takes to be off by no more (0.5 if left out): number of corners and triangles (u32), positions, normals (f32), indices (u32) |
//! | `/api/history` | all positions so far, each as in a binary message |
//! | `/api/camera/{name}?at=SECS&width=PIXELS` | a picture as PNG, now or as it was |
//! | `/api/run/{n}` | the folder of a run as a zip file |
//! | `/api/run/{n}/{export}` | a file made from its recording, such as `video`; the catalogue of `hello` lists them under `exports` |
//! | `/api/status` | the status and a hash over the world's state |

use std::sync::Arc;

use regrasp_session::{Catalogue, Command, LogEntry, Outcome, Status};
use serde::{Deserialize, Serialize};

/// Version of the protocol.
pub const VERSION: u32 = 1;
/// Longest message of a page, bytes.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024;

/// A message of the page.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ClientMessage {
    /// Comes back in the answers.
    pub id: u64,
    /// What the robot should do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Command>,
    /// Who should be in control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlRequest>,
}

/// What a connection wants of the control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlRequest {
    /// To have it.
    Take,
    /// To give it up.
    Release,
}

/// A message of the server.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The first.
    Hello {
        /// [`VERSION`].
        protocol: u32,
        /// Number of this connection.
        you: u64,
        /// What there is to choose from.
        catalogue: Box<Catalogue>,
        /// True if the page has its 3D view.
        has_3d: bool,
    },
    /// Who is in control.
    Control {
        /// The number of a connection.
        controller: Option<u64>,
        /// How many connections there are.
        connections: usize,
    },
    /// The state of the session.
    Status {
        /// The state.
        status: Box<Status>,
    },
    /// What happened.
    Log {
        /// In order.
        entries: Vec<Arc<LogEntry>>,
        /// Entries before these that this connection was too slow for.
        missed: u64,
    },
    /// A message was understood, and what it asks for is done or begun.
    Reply {
        /// The id of the message.
        re: u64,
        /// True if an `outcome` will follow.
        begun: bool,
    },
    /// An order has ended.
    Outcome {
        /// The id of the message that gave it.
        re: u64,
        /// How.
        #[serde(flatten)]
        outcome: Box<Outcome>,
    },
    /// A message was refused, and nothing was changed.
    Error {
        /// The id of the message, if it could be read.
        re: Option<u64>,
        /// `malformed`, `too_fast`, `not_in_control`, or the kind of a
        /// [`regrasp_session::Refusal`].
        kind: String,
        /// Why, as a sentence.
        message: String,
    },
}

/// What there is to see, and where the meshes are.
#[derive(Clone, Debug, Serialize)]
pub struct SceneInfo {
    /// Number of the world.
    pub world: u64,
    /// Links and objects, in the order of positions.
    pub nodes: Vec<Node>,
    /// Names of the cameras.
    pub cameras: Vec<String>,
    /// Height of the floor, m.
    pub floor_z: Option<f64>,
}

/// A link or an object.
#[derive(Clone, Debug, Serialize)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it is, if it is an object: `cube`, `table`.
    pub category: Option<String>,
    /// True if it is an object that can be moved.
    pub movable: bool,
    /// Its surfaces.
    pub parts: Vec<MeshPart>,
}

/// A surface.
#[derive(Clone, Debug, Serialize)]
pub struct MeshPart {
    /// Its mesh, for `/api/mesh/{hash}`.
    pub mesh: String,
    /// Red, green, blue, 0 to 1 (sRGB).
    pub rgb: [f32; 3],
    /// How bright its highlight is, 0 to 1.
    pub gloss: f32,
    /// True if it has the grain of wood.
    pub wood: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> Result<ClientMessage, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn messages_are_read_strictly() {
        let good = r#"{"id": 3, "order": {"do": "teleoperate", "by_m": [0.01, 0, 0]}}"#;
        let message = reads(good).expect("it is well formed");
        let back = serde_json::to_string(&message).expect("it can be written");
        assert_eq!(reads(&back).expect("as written").order, message.order);
        for bad in [
            r#"{"order": {"do": "stop"}}"#,
            r#"{"id": 1, "order": {"do": "fly"}}"#,
            r#"{"id": 1, "order": {"do": "speed", "times": "fast"}}"#,
            r#"{"id": 1, "order": {"do": "gripper", "open": true, "wide": 3}}"#,
            r#"{"id": 1, "control": "take", "robot": 1}"#,
            r#"{"id": -1, "control": "take"}"#,
        ] {
            assert!(reads(bad).is_err(), "{bad}");
        }
    }
}
