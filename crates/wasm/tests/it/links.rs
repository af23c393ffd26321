//! Games as links: a link restores the whole game and is short, and a damaged link is an error or
//! a valid game.

use serde_json::json;

use crate::page::Page;
use crate::review::{ANNOTATED, flat, open, write};
use crate::{ask, reply};

#[test]
fn a_link_is_short_and_restores_the_whole_game() {
    let page = &mut Page::default();
    for text in [
        ANNOTATED,
        "1. e4 -- 2. d4 *",
        "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 3 9\"]\n\n1. a8=N Kd8 (1... Kf8 2. Nb6) 1/2-1/2",
        "*",
        "{only words} 0-1",
    ] {
        let view = open(page, text);
        let pack = json!({"do": "link_study", "study": view["study"], "is_bare": false});
        let link = ask(page, &pack);
        let letters = link.as_str().unwrap();
        assert!(letters.len() < text.len() * 3 / 2 + 8, "{letters}");
        assert!(letters.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it)));
        let again = ask(page, &json!({"do": "open_link", "link": link}));
        assert_eq!(again["moves"], view["moves"], "{text}");
        let written = write(page, &view);
        assert_eq!(write(page, &again), written);
        for closed in [&view, &again] {
            ask(page, &json!({"do": "close_study", "study": closed["study"]}));
        }
    }
    // Sixty plies of a game without comments take about as many letters as a line of text.
    let knights = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(15);
    let view = open(page, &knights);
    let pack = json!({"do": "link_study", "study": view["study"], "is_bare": false});
    assert!(ask(page, &pack).as_str().unwrap().len() <= 90);
}

#[test]
fn a_game_that_is_too_long_for_a_link_can_be_sent_without_its_comments() {
    let page = &mut Page::default();
    let view = open(page, &format!("1. e4 {{{}}} (1. d4) e5 2. Nf3 *", "word ".repeat(2000)));
    let pack = |is_bare| json!({"do": "link_study", "study": view["study"], "is_bare": is_bare});
    assert_eq!(reply(page, &pack(false))["error"]["code"], "too_long");
    let link = ask(page, &pack(true));
    let again = ask(page, &json!({"do": "open_link", "link": link}));
    assert!(flat(&write(page, &again)).ends_with(" 1. e4 e5 2. Nf3 *"));
}

/// Returns pseudo-random numbers, which are the same in every run.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

#[test]
fn any_link_is_a_game_or_an_error() {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+%";
    let page = &mut Page::default();
    let view = open(page, ANNOTATED);
    let good = ask(page, &json!({"do": "link_study", "study": view["study"], "is_bare": false}));
    let good = good.as_str().unwrap().as_bytes().to_vec();
    let mut seed = 5;
    let (mut games, mut errors) = (0, 0);
    for _ in 0..3_000 {
        let mut link = good.clone();
        for _ in 0..1 + random(&mut seed) % 3 {
            let index = random(&mut seed) as usize % link.len();
            link[index] = LETTERS[random(&mut seed) as usize % LETTERS.len()];
        }
        link.truncate(link.len() - random(&mut seed) as usize % 3);
        let link = String::from_utf8(link).unwrap();
        let answer = reply(page, &json!({"do": "open_link", "link": link}));
        if let Some(opened) = answer.get("ok") {
            games += 1;
            // A link that opens is a game that can be written.
            assert!(write(page, opened).contains("[Result "));
            ask(page, &json!({"do": "close_study", "study": opened["study"]}));
        } else {
            errors += 1;
            assert_eq!(answer["error"]["code"], "bad_link", "{answer}");
        }
    }
    assert!(games > 100 && errors > 100, "{games} {errors}");
    for link in ["", "A", "žluť", &"A".repeat(9_000)] {
        let answer = reply(page, &json!({"do": "open_link", "link": link}));
        assert_eq!(answer["error"]["code"], "bad_link");
    }
}
