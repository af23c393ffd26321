//! Arrows and circles of a study: reading them, drawing them, keeping them with the move, and
//! removing them.

use serde_json::{Value, json};

use crate::page::Page;
use crate::review::{ANNOTATED, at, edit, find, flat, open, shown, write};
use crate::{ask, reply};

#[test]
fn arrows_and_circles_of_comments_are_drawn_and_stay_when_the_words_change() {
    let page = &mut Page::default();
    let view = open(page, "1. e4 {[%cal Gg1f3,Rd1h5] see [%csl Ye5]} *");
    let e4 = find(&view, &["e4"]);
    let drawn = json!([["g1", "f3", "G"], ["d1", "h5", "R"], ["e5", "e5", "Y"]]);
    assert_eq!(at(page, &view, &e4)["arrows"], drawn);
    let view = edit(page, &view, &e4, &json!({"type": "comment", "text": "look"}));
    assert_eq!(at(page, &view, &e4)["arrows"], drawn);
    assert_eq!(shown(&view, &e4)["comment"], "look");
}

/// Draws at a place, by the names of two squares.
fn draw(page: &mut Page, view: &Value, node: &Value, from: &str, to: &str) -> Value {
    edit(page, view, node, &json!({"type": "draw", "from": from, "to": to, "paint": "G"}))
}

#[test]
fn a_drawing_is_written_with_the_move_and_removed_when_drawn_again() {
    let page = &mut Page::default();
    let view = open(page, ANNOTATED);
    let before = write(page, &view);
    let e4 = find(&view, &["e4"]);
    for (from, to) in [("g1", "f3"), ("e5", "e5"), ("d1", "h5"), ("d5", "d5")] {
        assert_eq!(draw(page, &view, &e4, from, to)["node"], e4);
    }
    let drawn = json!([["g1", "f3", "G"], ["d1", "h5", "G"], ["e5", "e5", "G"], ["d5", "d5", "G"]]);
    assert_eq!(at(page, &view, &e4)["arrows"], drawn);
    let text = flat(&write(page, &view));
    let said = "{[%clk 0:05:00] [%cal Gg1f3,Gd1h5] [%csl Ge5,Gd5] best by test}";
    assert!(text.contains(&format!("1. e4 $1 {said} (1. d4")), "{text}");
    // By the file and by the link it is the same game again.
    let read = open(page, &text);
    assert_eq!(at(page, &read, &e4)["arrows"], drawn);
    let pack = json!({"do": "link_study", "study": view["study"], "is_bare": false});
    let link = ask(page, &pack);
    let sent = ask(page, &json!({"do": "open_link", "link": link}));
    assert_eq!(at(page, &sent, &e4)["arrows"], drawn);
    for (from, to) in [("d1", "h5"), ("e5", "e5"), ("g1", "f3"), ("d5", "d5")] {
        draw(page, &view, &e4, from, to);
    }
    assert_eq!(at(page, &view, &e4)["arrows"], json!([]));
    assert_eq!(write(page, &view), before);
}

#[test]
fn marks_keep_their_paint_and_their_comments() {
    let page = &mut Page::default();
    let text = "1. e4 {[%cal Rd1h5,Yg1f3] one} {two [%cal Be1e2,Rd1h5]} {[%csl Yd5]} *";
    let view = open(page, text);
    let e4 = find(&view, &["e4"]);
    draw(page, &view, &e4, "f1", "c4");
    draw(page, &view, &e4, "e5", "e5");
    let text = flat(&write(page, &view));
    let all = "{[%cal Rd1h5,Yg1f3,Gf1c4] one} {two [%cal Be1e2,Rd1h5]} {[%csl Yd5,Ge5]}";
    assert!(text.contains(all), "{text}");
    // What is written twice goes at once; an arrow the other way round is another arrow.
    draw(page, &view, &e4, "d1", "h5");
    draw(page, &view, &e4, "d5", "d5");
    draw(page, &view, &e4, "e5", "e5");
    draw(page, &view, &e4, "c4", "f1");
    let text = flat(&write(page, &view));
    assert!(text.contains("{[%cal Yg1f3,Gf1c4,Gc4f1] one} {[%cal Be1e2] two} *"), "{text}");
}

#[test]
fn before_the_first_move_there_is_room_for_arrows_and_there_is_an_end_of_them() {
    let page = &mut Page::default();
    let view = open(page, "1. e4 *");
    let start = json!(0);
    let names: Vec<String> =
        (0..64_u8).map(|at| format!("{}{}", (b'a' + at % 8) as char, at / 8 + 1)).collect();
    for name in &names {
        draw(page, &view, &start, name, name);
    }
    assert_eq!(at(page, &view, &start)["arrows"].as_array().unwrap().len(), 64);
    let before = write(page, &view);
    for (from, to, code) in
        [("a1", "a2", "too_many_marks"), ("a1", "i9", "bad_square"), ("", "a1", "bad_square")]
    {
        let request = json!({"do": "edit_study", "study": view["study"], "node": 0,
            "change": {"type": "draw", "from": from, "to": to, "paint": "G"}});
        assert_eq!(reply(page, &request)["error"]["code"], code);
    }
    assert_eq!(write(page, &view), before);
    let read = open(page, &before);
    assert_eq!(at(page, &read, &start), at(page, &view, &start));
}
