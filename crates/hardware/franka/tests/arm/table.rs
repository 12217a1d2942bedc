//! Table of faults, the reasons with which they are reported, and the stopping times, for the docs.

use std::time::Duration;

use regrasp_api::{Monitor, MotionEnd, Trajectory, Watch, World};

use crate::bench::{Bench, HOME, bench_with, knot, safety, swing};
use crate::fake::Mishap;
use crate::stops::lag_and_push;

const AT: u64 = 1000;

/// Outcome of a motion with this fault, as a word, and the stop as the fake measured it.
fn row(
    bench: &mut Bench,
    mishap: Option<Mishap>,
    watch: &Watch,
    motion: &Trajectory,
) -> [String; 2] {
    if let Some(mishap) = mishap {
        bench.fake.plan(AT, mishap);
    }
    let end = match bench.arm.follow(motion, watch) {
        Ok(report) => match report.end {
            MotionEnd::Completed => "completed".to_owned(),
            MotionEnd::Cancelled { .. } => "cancelled".to_owned(),
            MotionEnd::Stopped(stop) => match stop.monitor {
                Monitor::ExternalTorque { .. } => "path_blocked".to_owned(),
                _ => "tracking_error".to_owned(),
            },
        },
        Err(error) => error.kind.reason().slug().to_owned(),
    };
    let arm = bench.fake.arm();
    let stood = match (arm.n_cycles, arm.stood_after) {
        (0, _) => "did not move".to_owned(),
        _ if end == "completed" => "went on".to_owned(),
        (_, Some(cycles)) => format!("{cycles} ms"),
        (_, None) => "by itself".to_owned(),
    };
    [end, stood]
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is for the page")]
fn each_mishap_has_its_reason() {
    let motion = swing(0.6, 0.8);
    let elsewhere = Trajectory::new(vec![knot(0.0, [0.1; 7]), knot(1.0, HOME)]);
    let mut below = HOME;
    (below[1], below[3], below[5]) = (1.2, -1.2, 2.4);
    let below = Trajectory::new(vec![knot(0.0, HOME), knot(4.0, below)]);
    println!("| planted | Panda: outcome | stood after | FR3: outcome | stood after |");
    println!("|---|---|---|---|---|");
    type Plan = fn(&Bench, &Watch) -> Option<Mishap>;
    let stop: Plan = |bench, _| {
        let stop = bench.arm.stop_handle();
        Some(Mishap::Call(Box::new(move || stop.stop())))
    };
    let cancel: Plan = |_, watch| {
        let cancel = watch.cancel.clone();
        Some(Mishap::Call(Box::new(move || cancel.cancel())))
    };
    let push: Plan = |_, _| Some(Mishap::Push(4, 16.5));
    let hold: Plan = |_, _| Some(Mishap::Hold);
    let reflex: Plan = |_, _| Some(Mishap::Reflex);
    let button: Plan = |_, _| Some(Mishap::EmergencyStop);
    let lose_commands: Plan = |_, _| Some(Mishap::LoseCommands(25));
    let lose_states: Plan = |_, _| Some(Mishap::LoseStates(10));
    let silence: Plan = |_, _| Some(Mishap::Silence(Duration::from_millis(600)));
    let none: Plan = |_, _| None;
    let pushed = "16.5 N m from outside at joint 5";
    let lost = "25 commands lost in a row";
    let begins = "the motion begins elsewhere";
    let below_base = "the tool would go below the base";
    let plans = [
        ("stop from another thread", stop, &motion, "cancelled"),
        ("the skill is cancelled", cancel, &motion, "cancelled"),
        (pushed, push, &motion, "path_blocked"),
        ("the joints are held", hold, &motion, "tracking_error"),
        ("reflex", reflex, &motion, "reflex"),
        ("stop button", button, &motion, "emergency_stop"),
        (lost, lose_commands, &motion, "stale_state"),
        ("10 states lost in a row", lose_states, &motion, "completed"),
        ("silence", silence, &motion, "stale_state"),
        (begins, none, &elsewhere, "start_mismatch"),
        (below_base, none, &below, "limit_violated"),
    ];
    for (what, plan, motion, expected) in plans {
        let cells = [5, 10].map(|version| {
            let mut safety = safety();
            if what == "silence" {
                safety.stale_secs = 0.2;
            }
            let mut bench = bench_with(version, safety);
            let watch = lag_and_push();
            let mishap = plan(&bench, &watch);
            row(&mut bench, mishap, &watch, motion)
        });
        let [[panda, panda_stood], [fr3, fr3_stood]] = &cells;
        println!("| {what} | `{panda}` | {panda_stood} | `{fr3}` | {fr3_stood} |");
        assert_eq!([panda.as_str(), fr3], [expected; 2], "{what}");
    }
}
