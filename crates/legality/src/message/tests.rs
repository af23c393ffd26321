//! Checks that the message files are complete and agree with each other.

use std::collections::{BTreeMap, BTreeSet};

use super::catalog::{Entry, entries};
use super::template::{Part, parts};
use super::*;
use crate::Code;

/// Returns the names of all messages the program may request.
fn names() -> BTreeSet<&'static str> {
    let codes = Code::ALL.iter().map(|code| code.name());
    codes.chain(Phrase::ALL.iter().map(|phrase| phrase.name())).collect()
}

/// Returns all parts of a template, including those of its forms.
fn all_parts(template: &str) -> Vec<Part<'_>> {
    let mut all = Vec::new();
    for part in parts(template) {
        for form in forms_of(&part) {
            all.extend(all_parts(form));
        }
        all.push(part);
    }
    all
}

fn forms_of<'a>(part: &Part<'a>) -> Vec<&'a str> {
    match part {
        Part::Counted(_, forms)
        | Part::Colored(_, forms)
        | Part::Numbered(_, forms)
        | Part::ByRole(_, forms)
        | Part::Present(_, forms) => forms.clone(),
        Part::Text(_) | Part::Plain(_) | Part::Joined(_) | Part::Either(_) | Part::Moves(_) => {
            Vec::new()
        }
    }
}

/// Returns the placeholders of a template: the index of the value, and the sign of its kind,
/// which is a space if any value can be shown.
fn places(template: &str) -> BTreeSet<(usize, char)> {
    let place = |part: Part<'_>| match part {
        Part::Text(_) => None,
        Part::Plain(index) | Part::Present(index, _) => Some((index, ' ')),
        Part::Counted(index, _) | Part::Joined(index) | Part::Either(index) => Some((index, ':')),
        Part::Colored(index, _) => Some((index, '?')),
        Part::Numbered(index, _) => Some((index, '#')),
        Part::ByRole(index, _) => Some((index, '@')),
        Part::Moves(index) => Some((index, '!')),
    };
    all_parts(template).into_iter().filter_map(place).collect()
}

fn indexes(template: &str) -> BTreeSet<usize> {
    places(template).into_iter().map(|(index, _)| index).collect()
}

fn english() -> BTreeMap<&'static str, &'static str> {
    entries(Language::English).iter().map(|entry| (entry.name, entry.template)).collect()
}

#[track_caller]
fn check_all(what: &str, is_fine: impl Fn(Language, &Entry) -> bool) {
    let bad: Vec<String> = Language::ALL
        .into_iter()
        .flat_map(|language| entries(language).iter().map(move |entry| (language, entry)))
        .filter(|(language, entry)| !is_fine(*language, entry))
        .map(|(language, entry)| {
            format!("{}: {} = {}", language.code(), entry.name, entry.template)
        })
        .collect();
    assert!(bad.is_empty(), "{what}:\n{}", bad.join("\n"));
}

#[test]
fn codes_and_phrases_have_names_of_their_own() {
    assert_eq!(names().len(), Code::ALL.len() + Phrase::ALL.len());
}

#[test]
fn every_message_is_there_in_every_language_once() {
    for language in Language::ALL {
        let mut found = BTreeSet::new();
        for entry in entries(language) {
            assert!(found.insert(entry.name), "{language:?} has {} twice", entry.name);
        }
        let missing: Vec<_> = names().difference(&found).copied().collect();
        let unused: Vec<_> = found.difference(&names()).copied().collect();
        assert!(missing.is_empty(), "{language:?} lacks {missing:?}");
        assert!(unused.is_empty(), "{language:?} has {unused:?}, which nothing uses");
    }
}

#[test]
fn every_language_uses_the_values_that_english_uses() {
    let english = english();
    check_all("other values than in English", |_, entry| {
        english.get(entry.name).is_none_or(|other| indexes(other) == indexes(entry.template))
    });
    let numbered = |template| {
        let count =
            |part| if let Part::Numbered(_, forms) = part { Some(forms.len()) } else { None };
        all_parts(template).into_iter().filter_map(count).max()
    };
    check_all("other forms than in English", |_, entry| {
        english.get(entry.name).is_none_or(|other| numbered(other) == numbered(entry.template))
    });
}

#[test]
fn a_value_is_of_one_kind_in_all_languages() {
    let mut kinds: BTreeMap<(&str, usize), char> = BTreeMap::new();
    for language in Language::ALL {
        for entry in entries(language) {
            for (index, kind) in places(entry.template) {
                let known = kinds.entry((entry.name, index)).or_insert(kind);
                let agree = *known == kind || *known == ' ' || kind == ' ';
                assert!(agree, "{language:?}: {} = {}", entry.name, entry.template);
                if *known == ' ' {
                    *known = kind;
                }
            }
        }
    }
}

#[test]
fn values_are_numbered_without_gaps() {
    check_all("a gap", |_, entry| {
        let used = indexes(entry.template);
        used == (0..used.len()).collect()
    });
}

#[test]
fn there_are_as_many_forms_as_the_language_has() {
    check_all("the wrong number of forms", |language, entry| {
        all_parts(entry.template).iter().all(|part| match part {
            Part::Counted(_, forms) => forms.len() == language.plural_forms(),
            Part::Colored(_, forms) => forms.len() == 2,
            Part::ByRole(_, forms) => forms.len() == 6,
            Part::Present(_, forms) => forms.len() <= 2,
            _ => true,
        })
    });
}

#[test]
fn no_brace_is_left_over() {
    check_all("a stray brace", |_, entry| {
        let is_plain = |text: &str| !text.contains(['{', '}', '|']);
        all_parts(entry.template).iter().all(|part| match part {
            Part::Text(text) => is_plain(text),
            _ => true,
        })
    });
}

#[test]
fn sentences_can_stand_inside_others() {
    check_all("spaces or a full stop at the end", |_, entry| {
        entry.template.trim() == entry.template
            && !entry.template.contains("  ")
            && !entry.template.ends_with('.')
    });
    let codes: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    check_all("a capital at the beginning", |language, entry| {
        let is_small = |c: char| !c.is_uppercase();
        let is_name = |name: &&str| entry.template.starts_with(name);
        !codes.contains(entry.name)
            || entry.template.starts_with(is_small)
            || language == Language::English && ["White ", "Black "].iter().any(is_name)
    });
}

#[test]
fn quotation_marks_are_those_of_the_language() {
    let marks = |language| match language {
        Language::English => ['“', '”'],
        Language::Slovak | Language::Czech => ['„', '“'],
        Language::Polish => ['„', '”'],
        Language::Finnish => ['”', '”'],
    };
    check_all("foreign quotation marks", |language, entry| {
        let found: Vec<char> =
            entry.template.chars().filter(|&c| "\"'„“”‚‘«»".contains(c)).collect();
        found.chunks(2).all(|pair| pair == marks(language))
    });
}

#[test]
fn a_translation_is_not_the_english_sentence() {
    let english = english();
    // These contain no words to translate.
    let alike = ["side", "en-passant-square", "fen-prompt"];
    check_all("still in English", |language, entry| {
        language == Language::English
            || alike.contains(&entry.name)
            || english.get(entry.name) != Some(&entry.template)
    });
}
