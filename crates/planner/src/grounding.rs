use regrasp_api::{ObjectId, PerceivedObject, Percept, Resolution, is_supported_by, resolve};

/// The one object that a phrase names: by what it stands on ("the cube on the
/// plate", "the cup from the tray"), or as [`resolve`] reads it.
pub(crate) fn ground(percept: &Percept, phrase: &str) -> Option<ObjectId> {
    // First, since [`resolve`] knows no relations: to it, "the cube on the red cube"
    // is a cube that is red.
    if let Some((upper, lower)) = relation(percept, phrase) {
        let mut on_it = upper.into_iter().filter(|o| is_supported_by(o, lower));
        return match (on_it.next(), on_it.next()) {
            (Some(object), None) => Some(object.id.clone()),
            _ => None,
        };
    }
    match resolve(&percept.objects, phrase) {
        Resolution::One(object) => Some(object.id.clone()),
        Resolution::None { .. } => holder(percept, phrase),
        Resolution::Ambiguous(_) => None,
    }
}

/// What holds the small things that a phrase names: to pour "the beads" is to pour what they
/// are in.
fn holder(percept: &Percept, phrase: &str) -> Option<ObjectId> {
    let groups: Vec<_> = percept.groups.iter().map(|g| g.as_object()).collect();
    let Resolution::One(named) = resolve(&groups, phrase) else {
        return None;
    };
    let group = percept.groups.iter().find(|g| g.id == named.id)?;
    let movable = percept.objects.iter().filter(|o| o.movable);
    let counts = movable.map(|o| (group.inside(o).len(), o));
    let (n, holder) = counts.max_by_key(|(n, _)| *n)?;
    (n > 0).then(|| holder.id.clone())
}

/// "X on Y" as the candidates for X and the one Y, if both sides name something.
fn relation<'p>(
    percept: &'p Percept,
    phrase: &str,
) -> Option<(Vec<&'p PerceivedObject>, &'p PerceivedObject)> {
    const RELATIONS: [&str; 5] = ["on", "in", "from", "off", "inside"];
    let words: Vec<&str> = phrase.split_whitespace().collect();
    let find = |words: &[&str]| resolve(&percept.objects, &words.join(" "));
    (1..words.len()).find_map(|idx| {
        if !RELATIONS.contains(&words[idx].to_lowercase().as_str()) {
            return None;
        }
        let Resolution::One(lower) = find(&words[idx + 1..]) else {
            return None;
        };
        match find(&words[..idx]) {
            Resolution::One(object) => Some((vec![object], lower)),
            Resolution::Ambiguous(objects) => Some((objects, lower)),
            Resolution::None { .. } => None,
        }
    })
}
