//! Protocol between page and server, version 1.
//!
//! # From the page
//!
//! Text messages of at most 16 KiB, each a JSON object with an `id` of the sender's choice (to
//! match answers) and either an `order` or a `control` request:
//!
//! ```json
//! {"id": 7, "order": {"do": "run", "order": {"text": "put the red cube on the plate"}}}
//! {"id": 8, "order": {"do": "stop"}}
//! {"id": 9, "control": "take"}
//! ```
//!
//! Orders are those of [`regrasp_session::Command`]. Unknown fields are rejected.
//!
//! # From the server
//!
//! Text messages are [`ServerMessage`]s: first `hello`, then updates. Every message of the page is
//! answered by `reply` or `error` with its id (`re`); an order that takes time is answered by
//! `reply` when it begins and by `outcome` when it has ended.
//!
//! A run ends with the entry `run_finished`: `kept` is true if the run was saved, and `verdict` is
//! that of the task's judge, `null` unless the text was the prompt of the scene's task:
//! `{"judged": "success"}`, `{"judged": "not_judged"}` for a run that was stopped or failed before
//! it could be judged, or
//! `{"judged": "failure", "unmet": [{"condition": …, "found": …}], "false_success": …}`.
//! Its `outcome` has the same verdict.
//!
//! Binary messages are positions, little endian: number of the world (u32), number of nodes n
//! (u32), simulated time (f64), width of the gripper (f64), then for each node of `/api/scene`
//! position and orientation (x, y, z, qx, qy, qz, qw as f32), NaN for a node that is not there. A
//! slow page misses positions; it misses events only if it is thousands behind (`missed`).
//!
//! # Over HTTP
//!
//! | path | what |
//! |---|---|
//! | `/api/scene` | [`SceneInfo`] as JSON |
//! | `/api/mesh/{hash}?off_mm=MM` | a mesh with as few triangles as keep it within this deviation (default 0.5): number of corners and triangles (u32), positions, normals (f32), indices (u32) |
//! | `/api/history` | all positions so far, each as in a binary message |
//! | `/api/camera/{name}?at=SECS&width=PIXELS` | a picture as PNG, of the present or of a simulated time |
//! | `/api/run/{n}` | the folder of a run as a zip file |
//! | `/api/run/{n}/{export}` | a file made from its recording, such as `video`; the catalogue of `hello` lists them under `exports` |
//! | `/api/status` | the status and a hash over the world's state |

use std::sync::Arc;

use regrasp_session::{Catalogue, Command, LogEntry, Outcome, Status};
use serde::{Deserialize, Serialize};

/// Version of the protocol.
pub const VERSION: u32 = 1;
/// Maximum length of a message of the page, bytes.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024;

/// A message of the page.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ClientMessage {
    /// Number that the answers repeat.
    pub id: u64,
    /// Order for the robot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Command>,
    /// Request about control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlRequest>,
}

/// Request about the control of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlRequest {
    /// Takes control.
    Take,
    /// Gives up control.
    Release,
}

/// A message of the server.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// First message.
    Hello {
        /// Protocol version, [`VERSION`].
        protocol: u32,
        /// Number of this connection.
        you: u64,
        /// Scenes, tasks, planners and so on to choose from.
        catalogue: Box<Catalogue>,
        /// True if the page has its 3D view.
        has_3d: bool,
    },
    /// The connection in control has changed.
    Control {
        /// Number of the connection in control.
        controller: Option<u64>,
        /// Number of connections.
        connections: usize,
    },
    /// The state of the session.
    Status {
        /// The status.
        status: Box<Status>,
    },
    /// New entries of the log.
    Log {
        /// Entries in order.
        entries: Vec<Arc<LogEntry>>,
        /// Number of earlier entries that this connection was too slow for.
        missed: u64,
    },
    /// An accepted message; what it asks for is done or under way.
    Reply {
        /// The id of the message.
        re: u64,
        /// True if an `outcome` will follow.
        begun: bool,
    },
    /// End of an order.
    Outcome {
        /// Id of the message with the order.
        re: u64,
        /// The outcome.
        #[serde(flatten)]
        outcome: Box<Outcome>,
    },
    /// A rejected message; nothing was changed.
    Error {
        /// Id of the message, if it could be read.
        re: Option<u64>,
        /// `malformed`, `too_fast`, `not_in_control`, or the kind of a
        /// [`regrasp_session::Refusal`].
        kind: String,
        /// Reason, as a sentence.
        message: String,
    },
}

/// Objects and links of the scene, and their meshes.
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

/// Link or object.
#[derive(Clone, Debug, Serialize)]
pub struct Node {
    /// Name of the link or object.
    pub name: String,
    /// Category of an object: `cube`, `table`.
    pub category: Option<String>,
    /// True for an object that can be moved.
    pub movable: bool,
    /// Surfaces of the node.
    pub parts: Vec<MeshPart>,
}

/// Surface of one colour.
#[derive(Clone, Debug, Serialize)]
pub struct MeshPart {
    /// Hash of the mesh, for `/api/mesh/{hash}`.
    pub mesh: String,
    /// Red, green, blue, 0 to 1 (sRGB).
    pub rgb: [f32; 3],
    /// Brightness of the highlight, 0 to 1.
    pub gloss: f32,
    /// True for a surface with wood grain.
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
        let message = reads(good).expect("the message is valid");
        let back = serde_json::to_string(&message).expect("the message serialises");
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
