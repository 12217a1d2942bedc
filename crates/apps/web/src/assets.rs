//! Files of the page, embedded in the program.

/// The 3D view; empty if the program was built without npm.
const SCENE_3D: &str = include_str!(concat!(env!("OUT_DIR"), "/scene3d.js"));

/// True if the page has its 3D view.
pub const HAS_3D: bool = !SCENE_3D.is_empty();

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Page for a browser without a token.
pub(crate) const LOGIN: &str = include_str!("../page/login.html");

macro_rules! page {
    ($($path:literal: $kind:expr),* $(,)?) => {
        &[$(($path, $kind, include_str!(concat!("../page/", $path)))),*]
    };
}

const FILES: &[(&str, &str, &str)] = page! {
    "index.html": HTML,
    "style.css": CSS,
    "icon.svg": SVG,
    "main.js": JS,
    "link.js": JS,
    "dom.js": JS,
    "setup.js": JS,
    "story.js": JS,
    "downloads.js": JS,
    "timeline.js": JS,
    "hands.js": JS,
    "faults.js": JS,
    "view.js": JS,
    "cameras.js": JS,
};

/// Content type and text of a file of the page.
pub(crate) fn find(path: &str) -> Option<(&'static str, &'static str)> {
    if path == "scene3d.js" {
        return HAS_3D.then_some((JS, SCENE_3D));
    }
    let file = FILES.iter().find(|(name, ..)| *name == path)?;
    Some((file.1, file.2))
}
