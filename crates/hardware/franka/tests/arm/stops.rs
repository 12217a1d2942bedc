//! Stops by this program: by hand, by cancelling, by monitors.

use regrasp_api::{Monitor, MotionEnd, Watch, World};

use crate::bench::{Bench, bench, bench_with, safety, swing};
use crate::fake::Mishap;

/// Schedules a fault that requests a stop at cycle 1000, near the greatest speed. Returns the
/// number of cycles until the arm stood, and the motion's end.
fn stopped(bench: &mut Bench, watch: &Watch, mishap: Mishap) -> (u64, MotionEnd) {
    bench.fake.plan(1000, mishap);
    let report = bench.arm.follow(&swing(0.6, 0.8), watch).unwrap();
    let stood_after = bench.fake.arm().stood_after.expect("the arm stands");
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
        bench.used_at_most(1.0);
        let n_cycles = bench.fake.arm().n_cycles;
        let on = bench.on();
        let report = bench.follow(&on).unwrap();
        assert_eq!(report.end, MotionEnd::Cancelled { at_secs: 0.0 });
        assert_eq!(
            bench.fake.arm().n_cycles,
            n_cycles,
            "a stopped arm stays at rest"
        );
        stop.release();
        bench.complete(&on);
    }
}

/// Monitors of joint lag and of external torque.
pub(crate) fn lag_and_push() -> Watch {
    let lag = Monitor::TrackingError {
        max_error: 0.01,
        for_secs: 0.01,
    };
    let push = Monitor::ExternalTorque {
        max_torque_nm: 15.0,
        for_secs: 0.005,
    };
    Watch::of([lag, push])
}

#[test]
fn cancelling_stops_and_monitors_fire_in_the_cycle() {
    let mut one = bench();
    let watch = Watch::default();
    let token = watch.cancel.clone();
    let cancelled = Mishap::Call(Box::new(move || token.cancel()));
    let (cycles, end) = stopped(&mut one, &watch, cancelled);
    let is_cancelled = matches!(end, MotionEnd::Cancelled { .. });
    assert!(is_cancelled && cycles <= 50, "{cycles}: {end:?}");

    let watch = lag_and_push();
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
