//! Turns `data/openings.txt` into a table by position, so that classifying a game is only a lookup.
//! The file contains the hash of each position, because a build script that plays the moves would
//! need `castellan-rules`, which would then be built twice for every profile.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

const SOURCE: &str = "data/openings.txt";
const ECO_CODES: u16 = 500;
/// Entries are found by the top bits of the hash: about one entry for each value.
const BUCKET_BITS: u32 = 12;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={SOURCE}");
    println!("cargo::rerun-if-changed=build.rs");
    let text = fs::read_to_string(SOURCE)?;
    let entries = read_entries(&text)?;
    let folder = env::var("OUT_DIR")?;
    fs::write(Path::new(&folder).join("openings.rs"), table(&entries)?)?;
    Ok(())
}

/// The ECO code, from 0 for A00 to 499 for E99, and the name.
type Entry<'a> = (u16, &'a str);

/// The entries by the hash of their position.
fn read_entries(text: &str) -> Result<BTreeMap<u64, Entry<'_>>, Box<dyn Error>> {
    let mut entries = BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        let (hash, entry) = read_line(line).map_err(|why| format!("{SOURCE}:{}: {why}", i + 1))?;
        if entries.insert(hash, entry).is_some_and(|other| other != entry) {
            return Err(format!("{SOURCE}:{}: this position has another name, too", i + 1).into());
        }
    }
    Ok(entries)
}

fn read_line(line: &str) -> Result<(u64, Entry<'_>), Box<dyn Error>> {
    let fields: Vec<&str> = line.split('|').collect();
    let [eco, name, _moves, hash] = fields[..] else {
        return Err("expected four fields".into());
    };
    let number: u16 = eco.get(1..).unwrap_or_default().parse()?;
    let volume = "ABCDE".find(&eco[..1]).filter(|_| eco.len() == 3).ok_or("no ECO code")?;
    let hash = u64::from_str_radix(hash, 16)?;
    Ok((hash, (u16::try_from(volume)? * 100 + number, name)))
}

/// All names in one text, where a name that is part of another needs no room of its own.
fn name_pool(entries: &BTreeMap<u64, Entry<'_>>) -> String {
    let mut names: Vec<&str> = entries.values().map(|&(_, name)| name).collect();
    names.sort_by_key(|name| (usize::MAX - name.len(), *name));
    names.iter().fold(String::new(), |mut pool, name| {
        if !pool.contains(name) {
            pool.push_str(name);
        }
        pool
    })
}

fn table(entries: &BTreeMap<u64, Entry<'_>>) -> Result<String, Box<dyn Error>> {
    let names = name_pool(entries);
    let ecos: String =
        (0..ECO_CODES).map(|i| format!("{}{:02}", eco_volume(i / 100), i % 100)).collect();
    let mut out = String::new();
    writeln!(out, "const BUCKET_BITS: u32 = {BUCKET_BITS};")?;
    writeln!(out, "static ECOS: &str = {ecos:?};")?;
    writeln!(out, "static NAMES: &str = {names:?};")?;
    writeln!(out, "static BUCKETS: [u16; {}] = {:?};", (1 << BUCKET_BITS) + 1, buckets(entries)?)?;
    writeln!(out, "static ENTRIES: [Entry; {}] = [", entries.len())?;
    for (hash, (eco, name)) in entries {
        let at = names.find(name).ok_or("every name is in the pool")?;
        let len = u8::try_from(name.len())?;
        writeln!(out, "Entry {{ hash: {hash}, name_at: {at}, name_bytes: {len}, eco: {eco} }},")?;
    }
    writeln!(out, "];")?;
    Ok(out)
}

fn eco_volume(volume: u16) -> char {
    char::from(b'A' + volume as u8)
}

/// For each value of the top bits, the first entry that has it or a greater one.
fn buckets(entries: &BTreeMap<u64, Entry<'_>>) -> Result<Vec<u16>, Box<dyn Error>> {
    let mut buckets = vec![0; (1 << BUCKET_BITS) + 1];
    for hash in entries.keys() {
        buckets[(hash >> (u64::BITS - BUCKET_BITS)) as usize + 1] += 1;
    }
    for i in 1..buckets.len() {
        buckets[i] += buckets[i - 1];
    }
    u16::try_from(entries.len())?;
    Ok(buckets)
}
