//! Stops from this side: by hand, by cancelling, by monitors.

use regrasp_api::{CancelToken, Monitor, MotionEnd, Trajectory, Watch, World};

use crate::bench::{Bench, bench, bench_with, knot, moved, safety, swing};
use crate::fake::Mishap;

/// Something asks for a stop at cycle 1000, near the greatest speed; the cycles until the arm stood, and how it ended.
fn stopped(bench: &mut Bench, watch: &Watch, mishap: Mishap) -> (u64, MotionEnd) {
    bench.fake.plan(1000, mishap);
    let report = bench.arm.follow(&swing(0.6, 0.8), watch).unwrap();
    let stood_after = bench.fake.arm().stood_after.expect("it stands");
    (stood_after, report.end)
}

#[test]
fn a_stop_from_another_thread_stands_within_50_ms_and_holds() {
    for version in [10, 5] {
        let mut bench = bench_with(version, safety());
        let stop = bench.arm.stop_handle();
        let pressed = stop.clone();
        let press = Mishap::Call(Box::new(move || pressed.stop()));
        let (cycles, end) = stopped(&mut bench, &Watch::default(), press);
        assert!(matches!(end, MotionEnd::Cancelled { .. }), "{end:?}");
        assert!((2..=50).contains(&cycles), "{cycles} cycles");
        let own = bench.arm.last_stop_secs().unwrap();
        assert!(own <= 0.05, "{own} s");
        let arm = bench.fake.arm();
        assert!(
            arm.peak_use.iter().all(|part| *part < 1.0),
            "{:?}",
            arm.peak_use
        );
        let n_cycles = arm.n_cycles;
        drop(arm);
        let now = bench.fake.arm().q;
        let on = Trajectory::new(vec![knot(0.0, now), knot(1.0, moved(now, 0, 0.1))]);
        let report = bench.arm.follow(&on, &Watch::default()).unwrap();
        assert_eq!(report.end, MotionEnd::Cancelled { at_secs: 0.0 });
        assert_eq!(bench.fake.arm().n_cycles, n_cycles, "it was kept standing");
        stop.release();
        let report = bench.arm.follow(&on, &Watch::default()).unwrap();
        assert_eq!(report.end, MotionEnd::Completed);
    }
}

#[test]
fn cancelling_stops_and_monitors_fire_in_the_cycle() {
    let mut one = bench();
    let cancel = CancelToken::new();
    let token = cancel.clone();
    let watch = Watch {
        monitors: vec![],
        cancel,
    };
    let (cycles, end) = stopped(
        &mut one,
        &watch,
        Mishap::Call(Box::new(move || token.cancel())),
    );
    assert!(
        matches!(end, MotionEnd::Cancelled { .. }) && cycles <= 50,
        "{cycles}: {end:?}"
    );

    let push = Monitor::ExternalTorque {
        max_torque_nm: 15.0,
        for_secs: 0.005,
    };
    let lag = Monitor::TrackingError {
        max_error: 0.01,
        for_secs: 0.01,
    };
    let watch = Watch {
        monitors: vec![lag, push],
        ..Watch::default()
    };
    let (cycles, end) = stopped(&mut bench(), &watch, Mishap::Push(4, -16.5));
    let MotionEnd::Stopped(stop) = end else {
        panic!("{end:?}");
    };
    assert_eq!(stop.joint.as_deref(), Some("panda_joint5"));
    assert!((stop.measured - 16.5).abs() < 1e-3);
    assert!((stop.at_secs - 1.005).abs() < 0.003, "{} s", stop.at_secs);
    assert!(cycles <= 56, "{cycles}");

    let (_, end) = stopped(&mut bench(), &watch, Mishap::Hold);
    let MotionEnd::Stopped(stop) = end else {
        panic!("{end:?}");
    };
    assert_eq!(stop.joint.as_deref(), Some("panda_joint1"));
    assert!(matches!(stop.monitor, Monitor::TrackingError { .. }));
}
