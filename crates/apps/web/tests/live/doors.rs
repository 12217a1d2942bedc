//! Admission: host, origin, token.

use std::net::Ipv4Addr;

use regrasp_web::{ServeError, Server, ServerOptions};

use crate::common::{connect_with, get, live, live_with};

#[tokio::test]
async fn pages_from_elsewhere_and_names_that_were_rebound_are_not_let_in() {
    let live = live("pick_cube", 0.0).await;
    let port = live.address.port();
    for (origin, status) in [
        (format!("http://127.0.0.1:{port}"), 200),
        (format!("http://localhost:{port}"), 403),
        ("http://evil.example".to_owned(), 403),
        (format!("http://127.0.0.1:{}", port ^ 1), 403),
        ("null".to_owned(), 403),
    ] {
        let connected = connect_with(live.address, &[("origin", origin.clone())]).await;
        assert_eq!(connected.map_or_else(|s| s, |_| 200), status, "{origin}");
        let got = get(live.address, "/api/scene", &[("Origin", &origin)]).await;
        assert_eq!(got.0, status, "{origin}");
    }
    for (host, status) in [
        (format!("localhost:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        (format!("rebound.example:{port}"), 403),
        ("rebound.example".to_owned(), 403),
    ] {
        let (got, ..) = get(live.address, "/api/status", &[("Host", &host)]).await;
        assert_eq!(got, status, "{host}");
        let headers = [("host", host.clone())];
        let connected = connect_with(live.address, &headers).await;
        assert_eq!(connected.map_or_else(|s| s, |_| 200), status, "{host}");
    }
    let cross = [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "no-cors"),
    ];
    assert_eq!(get(live.address, "/api/camera/scene", &cross).await.0, 403);
}

#[tokio::test]
async fn a_token_is_needed_where_one_is_set_and_beyond_loopback() {
    let token = "a-token-of-a-test".to_owned();
    let options = ServerOptions {
        token: Some(token.clone()),
        ..ServerOptions::default()
    };
    let live = live_with("pick_cube", 0.0, |_| {}, options).await;
    for path in "/ /?token=wrong-token-of-a-test /api/status /page/main.js".split(' ') {
        assert_eq!(get(live.address, path, &[]).await.0, 401, "{path}");
    }
    let unknown = connect_with(live.address, &[]).await;
    assert_eq!(unknown.err(), Some(401));
    let bearer = [("authorization", format!("Bearer {token}"))];
    assert!(connect_with(live.address, &bearer).await.is_ok());
    let (status, head, _) = get(live.address, &format!("/?token={token}"), &[]).await;
    assert_eq!(status, 303);
    let mut lines = head.lines();
    let cookie = lines.find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.expect("a token is exchanged for a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    let pair = cookie.split(';').next().expect("a cookie has a value");
    assert_eq!(get(live.address, "/", &[("Cookie", pair)]).await.0, 200);
    let brought = [("cookie", pair.to_owned())];
    assert!(connect_with(live.address, &brought).await.is_ok());

    let everywhere = ServerOptions {
        bind: Ipv4Addr::UNSPECIFIED.into(),
        port: 0,
        ..ServerOptions::default()
    };
    let open = Server::bind(live.session.clone(), &everywhere).await;
    assert!(matches!(open.err(), Some(ServeError::NoToken { .. })));
    let weak = ServerOptions {
        token: Some("short".into()),
        ..everywhere
    };
    let weak = Server::bind(live.session.clone(), &weak).await;
    assert!(matches!(weak.err(), Some(ServeError::WeakToken { .. })));
}

#[tokio::test]
async fn the_page_loads_nothing_from_elsewhere() {
    let live = live("pick_cube", 0.0).await;
    let (status, head, body) = get(live.address, "/", &[]).await;
    assert_eq!(status, 200);
    assert!(head.contains("default-src 'none'") && head.contains("frame-ancestors 'none'"));
    let page = String::from_utf8(body).expect("a page is text");
    let mut todo: Vec<String> = links(&page);
    let mut seen = vec![];
    while let Some(path) = todo.pop() {
        if seen.contains(&path) {
            continue;
        }
        let (status, _, body) = get(live.address, &path, &[]).await;
        assert_eq!(status, 200, "{path}");
        let text = String::from_utf8(body).expect("a file of the page is text");
        todo.extend(imports(&text));
        seen.push(path);
    }
    let linked = seen.iter().any(|path| path.ends_with("/link.js"));
    assert!(linked, "{seen:?}");
    assert_eq!(get(live.address, "/page/../Cargo.toml", &[]).await.0, 404);
}

fn links(page: &str) -> Vec<String> {
    let parts = page.split(['"', '\'']);
    let parts = parts.filter(|part| part.starts_with("/page/"));
    parts.map(str::to_owned).collect()
}

fn imports(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with("import "));
    let names = lines.filter_map(|line| line.split("\"./").nth(1)?.split('"').next());
    names.map(|name| format!("/page/{name}")).collect()
}
