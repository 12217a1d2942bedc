mod common;
use common::*;
use regrasp_api::*;
#[test]
fn fig() {
    let e = |n: &str, d: f64| std::env::var(n).ok().and_then(|p| p.parse().ok()).unwrap_or(d);
    let opt = regrasp_sim::SimOptions { dt_secs: e("DT", 0.0025), ..Default::default() };
    let mut objs = vec![table()];
    for (i, s) in [0.05, 0.04, 0.04, 0.03].iter().enumerate() {
        let z: f64 = [0.05, 0.04, 0.04, 0.03][..i].iter().sum::<f64>() + s/2.0;
        let mut c = cube(&format!("c{i}"), *s, 0.45 + 0.004*(i as f64), 0.1, 0.2*i as f64);
        c.world_from_object.translation.z = z;
        objs.push(c);
    }
    let mut lab = Lab::with(panda(), &scene(objs), opt);
    let p0: Vec<_> = (0..4).map(|i| lab.object(&format!("c{i}")).world_from_object).collect();
    lab.world.wait(10.0).unwrap();
    let d: Vec<_> = (0..4).map(|i| (p0[i].inverse()*lab.object(&format!("c{i}")).world_from_object).translation.vector.norm()*1e3).collect();
    eprint!("FIG stack {d:.3?} ");
    for s in [0.024, 0.04] {
        let mut lab = Lab::with(panda(), &scene(vec![table(), cube("thing", s, 0.42, -0.12, 0.3)]), opt);
        lab.pick_up_at(0.42, -0.12, s/2.0, 0.3, 20.0);
        let _=lab.world.wait(0.3);
        let w = lab.world.observe().gripper.width_m;
        let b = lab.in_hand("thing"); lab.go(&down(0.42,-0.12,0.18+s/2.0,0.3),1.0); let m1=b.inverse()*lab.in_hand("thing");
        let b = lab.in_hand("thing"); let _=lab.world.wait(2.0); let m2=b.inverse()*lab.in_hand("thing");
        let b = lab.in_hand("thing"); lab.go(&down(0.42,0.18,0.18+s/2.0,0.3),1.0); let m3=b.inverse()*lab.in_hand("thing");
        let t = std::time::Instant::now();
        let _ = lab.world.wait(2.0);
        eprint!("| sink {:.2} slip {:.3} {:.4} {:.3} us {:.0}", 1e3*(s-w), m1.translation.vector.norm()*1e3, m2.translation.vector.norm()*1e3, m3.translation.vector.norm()*1e3, t.elapsed().as_secs_f64()*1e6/800.0);
    }
    eprintln!();
}
