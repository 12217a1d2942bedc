mod common;
use common::*;
use regrasp_api::World;
#[test]
fn prof() {
    let mut ten = vec![table(), cube("cube", 0.04, 0.42, -0.12, 0.3)];
    for i in 0..10 {
        let (row, column) = (f64::from(i / 5), f64::from(i % 5));
        let (x, y) = (0.3 + 0.1 * column, 0.1 + 0.1 * row);
        ten.push(cube(&format!("cube{i}"), 0.05, x, y, 0.3 * column));
    }
    for (name, objs) in [("bare", vec![]), ("table+cube", vec![table(), cube("cube", 0.04, 0.42, -0.12, 0.3)]), ("ten", ten)] {
        let mut lab = Lab::new(objs);
        let mut best = f64::MAX;
        for _ in 0..40 {
            let t = std::time::Instant::now();
            let _ = lab.world.wait(0.5);
            best = best.min(t.elapsed().as_secs_f64() * 1e6 / 250.0);
        }
        eprintln!("{name}: {best:.1} us/step");
    }
    let mut lab = Lab::new(vec![table(), cube("cube", 0.04, 0.42, -0.12, 0.3)]);
    lab.pick_up_at(0.42, -0.12, 0.02, 0.3, 20.0);
    lab.go(&down(0.42, -0.12, 0.2, 0.3), 1.0);
        let mut best = f64::MAX;
        for _ in 0..40 {
            let t = std::time::Instant::now();
            let _ = lab.world.wait(0.5);
            best = best.min(t.elapsed().as_secs_f64() * 1e6 / 250.0);
        }
        eprintln!("held: {best:.1} us/step");
}
