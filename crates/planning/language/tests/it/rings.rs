//! What is said about rings and pegs, where the scene says what goes over what.

use regrasp_api::{
    ObjectId, ObjectPort, PerceivedObject, Percept, PortKind, Pose, Section, Shape, Viewpoint,
};
use regrasp_language::{ParseContext, understand};

fn thing(id: &str, category: &str, color: &str, y: f64, height: f64) -> PerceivedObject {
    PerceivedObject {
        id: ObjectId::new(id),
        category: category.into(),
        color: Some(color.into()),
        shape: Shape::Box {
            half_extents: [0.02, 0.02, 0.5 * height],
        },
        world_from_object: Pose::translation(0.4, y, 0.5 * height),
        position_std_m: 0.0,
        movable: category != "peg" && category != "post",
    }
}

fn port(id: &str, kind: PortKind, section: Section) -> ObjectPort {
    ObjectPort {
        object: ObjectId::new(id),
        kind,
        object_from_port: Pose::identity(),
        half_size_m: [0.01; 2],
        depth_m: 0.05,
        keyed: false,
        section,
        through: kind == PortKind::Hole,
    }
}

/// A square and a round peg, a post, a nut for each peg, a ring, and a cube.
fn percept() -> Percept {
    Percept {
        objects: vec![
            thing("square_peg", "peg", "gold", 0.1, 0.1),
            thing("round_peg", "peg", "silver", -0.1, 0.1),
            thing("post", "post", "brown", 0.3, 0.1),
            thing("square_nut", "nut", "gold", 0.2, 0.02),
            thing("round_nut", "nut", "silver", -0.2, 0.02),
            thing("blue_ring", "ring", "blue", -0.3, 0.02),
            thing("red_cube", "cube", "red", 0.0, 0.04),
        ],
        ports: vec![
            port("square_peg", PortKind::Plug, Section::Rectangle),
            port("round_peg", PortKind::Plug, Section::Round),
            port("post", PortKind::Plug, Section::Round),
            port("square_nut", PortKind::Hole, Section::Rectangle),
            port("round_nut", PortKind::Hole, Section::Round),
            port("blue_ring", PortKind::Hole, Section::Round),
        ],
        ..Percept::default()
    }
}

fn goal(text: &str) -> String {
    let percept = percept();
    let context = ParseContext {
        percept: &percept,
        held: None,
        base: [0.0, 0.0],
        viewpoint: Viewpoint::Robot,
        answers: &[],
    };
    match understand(text, &context) {
        Ok(understood) => understood.goal(),
        Err(misunderstanding) => format!("{misunderstanding:?}"),
    }
}

#[test]
fn a_ring_on_a_peg_is_a_ring_over_it() {
    for text in [
        "put the ring on the post",
        "put the ring over the post",
        "slide the ring over the post",
        "slide the ring onto the post",
        "drop the blue ring onto the post",
        "lower the ring over the post",
        "fit the ring over the post",
        "thread the ring onto the post",
        "move the ring to the post",
        "pick up the ring and put it on the post",
        "could you please place the hoop over the post",
        "the ring goes on the post",
    ] {
        assert_eq!(goal(text), "inserted(blue_ring, post)", "{text}");
    }
    let text = "put the square nut over the square peg and the round nut over the round peg";
    let both = "inserted(square_nut, square_peg) then inserted(round_nut, round_peg)";
    assert_eq!(goal(text), both);
    assert_eq!(
        goal("put the round nut on the round peg"),
        "inserted(round_nut, round_peg)"
    );
}

#[test]
fn what_has_no_hole_is_put_on_it_or_beside_it() {
    assert_eq!(goal("put the red cube on the post"), "on(red_cube, post)");
    assert_eq!(
        goal("put the ring on the red cube"),
        "on(blue_ring, red_cube)"
    );
    assert_eq!(
        goal("put the ring next to the post"),
        "beside(blue_ring, post)"
    );
}
