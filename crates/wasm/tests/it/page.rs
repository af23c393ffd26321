//! What the page does with the responses: it keeps the view of each game and applies changes to it.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;

use castellan_wasm::{Api, Host};
use serde_json::{Value, json};

/// Every so many events, a view is compared with that of the game opened again.
const CHECKED_EVENTS: u64 = 5;

/// A host whose clock advances by a millisecond each time it is read.
#[derive(Default)]
struct TestHost {
    reads: std::sync::atomic::AtomicU32,
    told: std::sync::Mutex<Vec<Value>>,
}

impl Host for TestHost {
    fn now_ms(&self) -> f64 {
        f64::from(self.reads.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
    }

    fn tell(&self, report: &str) {
        self.told.lock().unwrap().push(serde_json::from_str(report).expect("reports are JSON"));
    }
}

#[derive(Default)]
pub(crate) struct Page {
    api: Api,
    views: BTreeMap<u64, Value>,
    /// The reports of the last request.
    pub(crate) told: Vec<Value>,
}

impl Page {
    /// Returns the response to a text. A request `{"do": "name", …}` is sent as `{"name": {…}}`.
    pub(crate) fn respond(&mut self, request: &[u8]) -> Value {
        let mut named = serde_json::from_slice::<Value>(request).unwrap_or_default();
        let name = named.as_object_mut().and_then(|fields| fields.remove("do"));
        let host = TestHost::default();
        let response = match name.as_ref().and_then(Value::as_str) {
            Some(name) => {
                let sent = json!({ name: named }).to_string();
                self.api.respond(sent.as_bytes(), &host)
            }
            None => self.api.respond(request, &host),
        };
        self.told = host.told.into_inner().unwrap();
        serde_json::from_str(&response).expect("responses are JSON")
    }

    /// Returns the response to a request. A change is applied to the view of its game, which takes
    /// the place of the change in the response.
    pub(crate) fn reply(&mut self, request: &Value) -> Value {
        let mut reply = self.respond(request.to_string().as_bytes());
        let Some(ok) = reply.get_mut("ok") else { return reply };
        if ok.get("plies").is_some() && ok.get("game").is_some() {
            self.views.insert(ok["game"].as_u64().unwrap(), ok.clone());
        }
        let change = if ok.get("change").is_some() { ok["change"].clone() } else { ok.clone() };
        if change.get("kept").is_some() {
            let view = self.views.get_mut(&request["game"].as_u64().unwrap()).unwrap();
            apply(view, &change);
            *ok = view.clone();
            let version = view["version"].as_u64().unwrap();
            if request["do"] == "act" && version.is_multiple_of(CHECKED_EVENTS) {
                self.assert_same_as_opened(request);
            }
        }
        reply
    }

    /// Checks that the view with all its changes equals that of the game opened from its record.
    fn assert_same_as_opened(&mut self, request: &Value) {
        let (game, now) = (&request["game"], &request["now"]);
        let mut opened = self.opened_again(game, now);
        opened["game"] = game.clone();
        assert_eq!(opened, self.views[&game.as_u64().unwrap()], "{request}");
    }

    /// Opens a game again from its record, closes it, and returns its view.
    pub(crate) fn opened_again(&mut self, game: &Value, now: &Value) -> Value {
        let stored = self.reply(&json!({"do": "record", "game": game, "now": now}));
        let load = json!({"do": "load_game", "stored": stored["ok"], "now": now});
        let opened = self.respond(load.to_string().as_bytes())["ok"].clone();
        let close = json!({"do": "close", "game": opened["game"]});
        assert_eq!(self.respond(close.to_string().as_bytes())["ok"], true);
        opened
    }
}

/// Applies a change as the page does.
pub(crate) fn apply(view: &mut Value, change: &Value) {
    let kept = usize::try_from(change["kept"].as_u64().unwrap()).unwrap();
    let plies = view["plies"].as_array_mut().unwrap();
    assert!(kept <= plies.len(), "{change}");
    plies.truncate(kept);
    plies.extend(change["added"].as_array().unwrap().iter().cloned());
    for (field, value) in change["state"].as_object().unwrap() {
        view[field] = value.clone();
    }
}
