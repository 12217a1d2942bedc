//! Files that are made from a run's recording.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use regrasp_api::{Plan, PlanRequest, Planner, PlannerError};
use regrasp_record::Recording;
use regrasp_session::{Export, MakeExport, PlannerMaker, StationOptions};
use regrasp_testkit::says;
use regrasp_web::{ExportLimits, ServerOptions};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::common::{Live, get, live_with, met, run};

const QUICK: &str = "go home";

fn only(make: MakeExport) -> Vec<Export> {
    vec![Export {
        name: "thing",
        label: "thing",
        extension: "txt",
        media_type: "text/plain",
        feature: "things",
        make: Some(make),
    }]
}

/// A server after a short run, with this export.
async fn after_a_run(make: MakeExport, limits: ExportLimits) -> Live {
    let options = ServerOptions {
        exports: limits,
        ..ServerOptions::default()
    };
    let live = live_with("covered", 0.0, |it| it.exports = only(make), options).await;
    let mut client = live.connect().await;
    client.carry_out(run(QUICK)).await;
    client.close().await;
    live
}

/// Requests the export, and checks the status and words of the answer.
async fn check_export(live: &Live, run: u8, status: u16, words: &str) {
    let path = format!("/api/run/{run}/thing");
    let (said, _, body) = get(live.address, &path, &[]).await;
    let text = String::from_utf8_lossy(&body);
    assert!(said == status && text.contains(words), "{said}: {text}");
}

fn write(out: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    fs::write(out, bytes).map_err(|error| error.to_string())
}

/// Number of pictures, according to ISO 14496-12.
fn n_pictures(mp4: &[u8]) -> u32 {
    let at = mp4.windows(4).position(|w| w == b"stsz");
    let at = at.expect("the video has the box `stsz`") + 12;
    u32::from_be_bytes(mp4[at..at + 4].try_into().expect("four bytes"))
}

#[tokio::test]
async fn what_this_build_can_make_is_made_and_of_the_rest_it_says_the_feature() {
    let (live, mut client) = met("covered", 0.0).await;
    // The second run begins where the first ended: its video does not begin at 0.
    let put = run("put the blue cube on the plate");
    client.carry_out(put).await;
    let began_secs = live.session.status().sim_secs;
    assert!(began_secs > 2.0, "{began_secs}");
    client.carry_out(run(QUICK)).await;
    let ran_secs = live.session.status().sim_secs - began_secs;
    let exports = live.session.exports();
    let names: Vec<_> = exports.iter().map(|export| export.name).collect();
    assert_eq!(names, ["video", "rerun"]);
    for export in exports {
        let path = format!("/api/run/2/{}", export.name);
        let (status, head, body) = get(live.address, &path, &[]).await;
        if export.make.is_none() {
            let said = String::from_utf8_lossy(&body);
            let feature = format!("--features {}", export.feature);
            assert!(status == 501 && said.contains(&feature), "{status}: {said}");
            continue;
        }
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        assert!(head.contains(export.media_type), "{head}");
        let file = format!(".{}\"", export.extension);
        says(&head, &["attachment; filename=\"covered-seed0-", &file]);
        match export.name {
            "video" => {
                assert_eq!(&body[4..8], b"ftyp");
                let n_expected = ran_secs * 30.0;
                let n = f64::from(n_pictures(&body));
                let is_near = (n - n_expected).abs() < 4.0;
                assert!(is_near, "{n} pictures of {ran_secs:.2} s");
            }
            _ => assert!(body.starts_with(b"RRF2"), "a file of the Rerun viewer"),
        }
    }
    let said = get(live.address, "/api/run/2/song", &[]).await;
    assert_eq!(said.0, 404);
    assert!(String::from_utf8_lossy(&said.2).contains("video, rerun"));
}

#[tokio::test]
async fn a_run_that_is_not_recorded_or_not_over_has_no_other_files() {
    let make: MakeExport = Arc::new(|_, out, _| write(out, "made"));
    let options = ServerOptions::default();
    let live = live_with("covered", 0.0, |it| it.exports = only(make), options).await;
    let mut client = live.connect().await;
    client.order(json!({"do": "record", "on": false})).await;
    client.carry_out(run(QUICK)).await;
    check_export(&live, 1, 404, "run 1 was not recorded").await;
    assert!(!live.session.status().recorded);
    client.order(json!({"do": "record", "on": true})).await;
    let text = "put the blue cube on the plate";
    let order = json!({"do": "run", "order": {"text": text, "step_by_step": true}});
    let id = client.tell(json!({"order": order})).await;
    client.status(|status| status["flow"] == "paused").await;
    check_export(&live, 2, 409, "under way").await;
    client.order(json!({"do": "resume"})).await;
    client.outcome(id).await;
    check_export(&live, 2, 200, "made").await;
    check_export(&live, 3, 404, "").await;
}

#[tokio::test]
async fn what_takes_too_long_or_becomes_too_large_is_ended() {
    let endless: MakeExport = Arc::new(|_, _, is_wanted| {
        while is_wanted() {
            std::thread::sleep(Duration::from_millis(2));
        }
        Err("go on".into())
    });
    let limits = ExportLimits {
        time: Duration::from_millis(50),
        bytes: 100_000,
    };
    let live = after_a_run(endless, limits).await;
    check_export(&live, 1, 413, "takes longer").await;

    let growing: MakeExport = Arc::new(|_, out, is_wanted| {
        // Exporters, too, write under another name until the file is complete.
        let part = out.with_extension("part");
        for n in 1_usize.. {
            if !is_wanted() {
                break;
            }
            write(&part, vec![0; n * 10_000])?;
        }
        Err("go on".into())
    });
    let limits = ExportLimits {
        bytes: 100_000,
        ..ExportLimits::default()
    };
    let live = after_a_run(growing, limits).await;
    check_export(&live, 1, 413, "larger than").await;

    let at_once: MakeExport = Arc::new(|_, out, _| write(out, vec![0; 100_001]));
    let live = after_a_run(at_once, limits).await;
    check_export(&live, 1, 413, "larger than").await;
}

#[tokio::test]
async fn what_goes_wrong_is_said() {
    let failing: MakeExport = Arc::new(|recording, _, _| {
        assert!(recording.ends_with("recording.mcap"));
        Err("find the paint".into())
    });
    let live = after_a_run(failing, ExportLimits::default()).await;
    check_export(&live, 1, 500, "failed to find the paint").await;
    let broken: MakeExport = Arc::new(|_, _, _| panic!("a bug, on purpose"));
    let live = after_a_run(broken, ExportLimits::default()).await;
    check_export(&live, 1, 500, "a bug").await;
    // A failure does not block the next request.
    check_export(&live, 1, 500, "").await;
}

struct Breaks;

#[async_trait::async_trait]
impl Planner for Breaks {
    fn name(&self) -> &'static str {
        "breaks"
    }

    async fn plan(&mut self, _: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        panic!("a bug, on purpose")
    }
}

#[tokio::test]
async fn the_recording_of_a_run_that_a_bug_ended_is_there() {
    let make: MakeExport = Arc::new(|recording, out, _| {
        let recording = Recording::open(recording).map_err(|error| error.to_string())?;
        write(out, format!("complete: {}", recording.is_complete()))
    });
    let options = ServerOptions::default();
    let change = |it: &mut StationOptions| {
        it.exports = only(make);
        let planner: PlannerMaker = Box::new(|| Box::new(Breaks));
        it.planners = vec![("breaks".to_owned(), planner)];
    };
    let live = live_with("covered", 0.0, change, options).await;
    let mut client = live.connect().await;
    let ended = client.carry_out(run(QUICK)).await;
    assert_eq!(ended["outcome"], "trouble", "{ended}");
    check_export(&live, 1, 200, "complete: true").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_is_made_at_a_time() {
    let (now, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let make: MakeExport = Arc::new(move |_, out, _| {
        let n = now.fetch_add(1, Ordering::SeqCst) + 1;
        seen.fetch_max(n, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(50));
        now.fetch_sub(1, Ordering::SeqCst);
        write(out, "made")
    });
    let live = after_a_run(make, ExportLimits::default()).await;
    let thing = || check_export(&live, 1, 200, "made");
    tokio::join!(thing(), thing(), thing());
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

/// Export that runs as long as it is wanted; reports its beginning and its end.
fn patient() -> (MakeExport, mpsc::Receiver<&'static str>) {
    let (tell, told) = mpsc::channel();
    let tell = Mutex::new(tell);
    let make: MakeExport = Arc::new(move |_, _, is_wanted| {
        let tell = tell.lock().map_err(|error| error.to_string())?;
        tell.send("began").map_err(|error| error.to_string())?;
        while is_wanted() {
            std::thread::sleep(Duration::from_millis(2));
        }
        tell.send("ended").map_err(|error| error.to_string())?;
        Err("go on".into())
    });
    (make, told)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_when_the_client_or_the_server_is_gone() {
    let (make, told) = patient();
    let live = after_a_run(make, ExportLimits::default()).await;
    let wait = |told: mpsc::Receiver<&'static str>| {
        tokio::task::spawn_blocking(move || (told.recv_timeout(crate::common::PATIENCE), told))
    };
    let host = live.address;
    let request = format!("GET /api/run/1/thing HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let ask = async || {
        let mut stream = TcpStream::connect(host).await.expect("the server listens");
        let sent = stream.write_all(request.as_bytes()).await;
        sent.expect("the server listens");
        stream
    };
    let gone = ask().await;
    let (began, told) = wait(told).await.expect("the waiting thread returns");
    assert_eq!(began, Ok("began"));
    drop(gone);
    let (ended, told) = wait(told).await.expect("the waiting thread returns");
    assert_eq!(ended, Ok("ended"), "the export goes on without its client");

    let _waits = ask().await;
    let (began, told) = wait(told).await.expect("the waiting thread returns");
    assert_eq!(began, Ok("began"));
    live.stopper.stop();
    let (ended, _told) = wait(told).await.expect("the waiting thread returns");
    assert_eq!(ended, Ok("ended"), "the export goes on after the server");
    live.served.await.expect("the server ends");
}
