//! A client of Foxglove's WebSocket protocol receives the frames of a world.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use futures_util::SinkExt;
use futures_util::StreamExt;
use regrasp_foxglove::{LiveError, LiveServer};
use regrasp_ground_truth::Frame;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

type Client =
    tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

async fn connect(port: u16) -> Client {
    let mut request = format!("ws://127.0.0.1:{port}")
        .into_client_request()
        .unwrap();
    let protocol = "foxglove.sdk.v1".parse().unwrap();
    let headers = request.headers_mut();
    headers.insert("Sec-WebSocket-Protocol", protocol);
    tokio_tungstenite::connect_async(request).await.unwrap().0
}

async fn next(client: &mut Client) -> Message {
    let message = timeout(Duration::from_secs(20), client.next()).await;
    message
        .expect("no message arrived in 20 s")
        .unwrap()
        .unwrap()
}

/// Waits for a text message with this `op`, and returns it.
async fn told(client: &mut Client, op: &str) -> Value {
    loop {
        if let Message::Text(text) = next(client).await {
            let message: Value = serde_json::from_str(&text).unwrap();
            if message["op"] == op {
                return message;
            }
        }
    }
}

/// Time in nanoseconds and value of the next message of a subscription.
async fn data(client: &mut Client, subscription: u32) -> (u64, Value) {
    loop {
        if let Message::Binary(bytes) = next(client).await {
            let (kind, rest) = bytes.split_first().unwrap();
            let (id, rest) = rest.split_at(4);
            let (time, json) = rest.split_at(8);
            if *kind == 1 && id == subscription.to_le_bytes() {
                let time = u64::from_le_bytes(time.try_into().unwrap());
                return (time, serde_json::from_slice(json).unwrap());
            }
        }
    }
}

#[test]
fn a_client_gets_what_it_subscribes_to_and_the_scene_although_it_is_late() {
    let mut server = LiveServer::start(HERE, 0).unwrap();
    let frame = Frame {
        time_secs: 1.5,
        ..Frame::default()
    };
    // The scene is sent only with the first frame, which precedes the client's subscription.
    server.frame(&frame).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(async {
        let mut client = connect(server.port()).await;
        let name = told(&mut client, "serverInfo").await["name"].clone();
        assert!(name.as_str().unwrap().starts_with("regrasp "), "{name}");
        let channels = told(&mut client, "advertise").await["channels"].clone();
        let channels = channels.as_array().unwrap();
        let id = |topic: &str, schema: &str| {
            let channel = channels.iter().find(|channel| channel["topic"] == topic);
            let channel =
                channel.unwrap_or_else(|| panic!("no channel has the topic {topic}: {channels:?}"));
            assert_eq!(
                (&channel["schemaName"], &channel["encoding"]),
                (&json!(schema), &json!("json"))
            );
            channel["id"].clone()
        };
        let wanted = json!({ "op": "subscribe", "subscriptions": [
            { "id": 7, "channelId": id("/tf", "foxglove.FrameTransforms") },
            { "id": 8, "channelId": id("/scene", "foxglove.SceneUpdate") },
        ] });
        client
            .send(Message::text(wanted.to_string()))
            .await
            .unwrap();
        let shown = tokio::task::spawn_blocking(move || {
            // Frames before the server has processed the subscription are not sent.
            for _ in 0..100 {
                server.frame(&frame).unwrap();
                std::thread::sleep(Duration::from_millis(20));
            }
            server
        });
        let (time, scene) = data(&mut client, 8).await;
        assert_eq!(time, 1_500_000_000);
        assert_eq!(
            scene["deletions"][0]["type"], 1,
            "the scene update deletes all earlier entities"
        );
        let (_, transforms) = data(&mut client, 7).await;
        assert_eq!(
            transforms["transforms"][0]["child_frame_id"],
            "regrasp/tool"
        );
        drop(shown.await.unwrap());
    });
}

#[test]
fn a_port_that_is_taken_is_named() {
    let server = LiveServer::start(HERE, 0).unwrap();
    let taken = LiveServer::start(HERE, server.port()).err().unwrap();
    assert!(matches!(taken, LiveError::Start { .. }), "{taken}");
    assert!(
        taken.to_string().contains(&server.port().to_string()),
        "{taken}"
    );
}
