//! The transposition table, shared by all threads.
//!
//! This module is responsible for the memory and the replacement strategy. Threads read and write
//! without locks: an entry consists of two words, the content and the content XORed with the key,
//! so a torn entry does not match its key and is ignored.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use castellan_rules::{Move, Position};

use crate::packed::Packed;
use crate::score::{Value, from_stored, to_stored};

/// What a stored score means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// No score, only an evaluation and a move.
    None,
    /// The true score is at most this.
    Upper,
    /// The true score is at least this.
    Lower,
    /// The score itself.
    Exact,
}

impl Bound {
    fn from_bits(bits: u64) -> Bound {
        match bits & 3 {
            0 => Bound::None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        }
    }

    /// Returns `true` if a score with this bound proves on which side of `limit` the true score
    /// lies.
    pub(crate) fn proves(self, value: Value, limit: Value) -> bool {
        match self {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => value >= limit,
            Bound::Upper => value < limit,
        }
    }

    /// Returns `true` if the true score is at least the stored one.
    pub(crate) fn is_lower(self) -> bool {
        matches!(self, Bound::Lower | Bound::Exact)
    }
}

/// What the table knows about a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableHit {
    /// The best move, which is legal in the position that was looked up.
    pub(crate) mv: Option<Move>,
    /// The score. If it is a mate, its distance is counted from the root.
    pub(crate) value: Value,
    /// The static evaluation, or [`NO_EVALUATION`] in check.
    pub(crate) evaluation: Value,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    /// Whether the position has been on a principal variation.
    pub(crate) was_pv: bool,
}

/// Stands for an evaluation that was not computed, for example because of a check.
pub(crate) const NO_EVALUATION: Value = 32_100;

/// What to store about a position.
pub(crate) struct TableEntry {
    pub(crate) mv: Option<Move>,
    pub(crate) value: Value,
    pub(crate) evaluation: Value,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    pub(crate) is_pv: bool,
}

/// The memory of one entry.
struct Slot {
    check: AtomicU64,
    content: AtomicU64,
}

/// The slots that share a cache line.
#[repr(align(64))]
struct Cluster([Slot; ENTRIES]);

const ENTRIES: usize = 4;
const _: () = assert!(size_of::<Cluster>() == 64);

impl Cluster {
    const fn empty() -> Cluster {
        Cluster([const { Slot { check: AtomicU64::new(0), content: AtomicU64::new(0) } }; ENTRIES])
    }
}

// The layout of the content: where each field begins.
const MOVE_SHIFT: u32 = 0;
const VALUE_SHIFT: u32 = 16;
const EVALUATION_SHIFT: u32 = 32;
const DEPTH_SHIFT: u32 = 48;
const AGE_SHIFT: u32 = 56;
const PV_SHIFT: u32 = 61;
const BOUND_SHIFT: u32 = 62;
/// The number of different ages; after that they repeat.
const AGES: u64 = 32;
/// Added to depths, so that those from -8 are stored without a sign.
const DEPTH_OFFSET: i32 = 8;
/// The depth that an entry loses in value for each search since it was stored.
const AGE_WEIGHT: i32 = 6;
/// A new result for the same position replaces an entry of the current search unless the entry is
/// more than this much deeper.
const MAX_DEPTH_LOSS: i32 = 4;

/// A lock-free transposition table.
pub(crate) struct Table {
    clusters: Vec<Cluster>,
    age: AtomicU8,
}

impl Table {
    /// Creates an empty table of about this many megabytes, at least one.
    pub(crate) fn new(megabytes: usize) -> Table {
        let count = (megabytes.max(1) << 20) / size_of::<Cluster>();
        let mut clusters = Vec::with_capacity(count);
        castellan_arch::advise_large_pages(clusters.spare_capacity_mut());
        clusters.resize_with(count, Cluster::empty);
        Table { clusters, age: AtomicU8::new(0) }
    }

    /// Clears the table.
    pub(crate) fn clear(&mut self) {
        for cluster in &mut self.clusters {
            *cluster = Cluster::empty();
        }
        self.age = AtomicU8::new(0);
    }

    /// Marks the start of a new search, so that entries of older ones are replaced first.
    pub(crate) fn advance_age(&self) {
        let next = (u64::from(self.age.load(Ordering::Relaxed)) + 1) % AGES;
        self.age.store(next as u8, Ordering::Relaxed);
    }

    fn cluster(&self, hash: u64) -> &Cluster {
        let index = (u128::from(hash) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Prefetches the cluster of a position that will be looked up soon.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        castellan_arch::prefetch(self.cluster(hash));
    }

    /// Looks up a position at a ply.
    pub(crate) fn get(&self, position: &Position, ply: usize) -> Option<TableHit> {
        let hash = position.hash();
        let content = self.cluster(hash).0.iter().find_map(|slot| {
            let content = slot.content.load(Ordering::Relaxed);
            let is_same = slot.check.load(Ordering::Relaxed) ^ content == hash;
            (is_same && content != 0).then_some(content)
        })?;
        Some(TableHit {
            mv: Packed((content >> MOVE_SHIFT) as u16).unpack(position),
            value: from_stored(signed(content, VALUE_SHIFT), ply),
            evaluation: signed(content, EVALUATION_SHIFT),
            depth: depth_of(content),
            bound: Bound::from_bits(content >> BOUND_SHIFT),
            was_pv: content >> PV_SHIFT & 1 == 1,
        })
    }

    /// Stores a result for a position at a ply.
    pub(crate) fn put(&self, position: &Position, ply: usize, entry: &TableEntry) {
        let hash = position.hash();
        let age = u64::from(self.age.load(Ordering::Relaxed));
        let (slot, old) = self.slot(hash, age);
        let mut mv = Packed::of(entry.mv);
        if let Some(old) = old {
            if mv == Packed::NONE {
                mv = Packed((old >> MOVE_SHIFT) as u16);
            }
            let is_fresh = age_of(old) == age;
            let is_kept = entry.bound != Bound::Exact
                && is_fresh
                && entry.depth + MAX_DEPTH_LOSS < depth_of(old);
            if is_kept {
                return;
            }
        }
        let value = to_stored(entry.value, ply);
        let content = u64::from(mv.0) << MOVE_SHIFT
            | u64::from(value as i16 as u16) << VALUE_SHIFT
            | u64::from(entry.evaluation as i16 as u16) << EVALUATION_SHIFT
            | ((entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64) << DEPTH_SHIFT
            | age << AGE_SHIFT
            | u64::from(entry.is_pv) << PV_SHIFT
            | (entry.bound as u64) << BOUND_SHIFT;
        slot.content.store(content, Ordering::Relaxed);
        slot.check.store(content ^ hash, Ordering::Relaxed);
    }

    /// Returns the slot of a position with its content, or the slot with the least valuable content
    /// in its cluster.
    fn slot(&self, hash: u64, age: u64) -> (&Slot, Option<u64>) {
        let cluster = self.cluster(hash);
        let mut least = &cluster.0[0];
        let mut least_worth = i32::MAX;
        for slot in &cluster.0 {
            let content = slot.content.load(Ordering::Relaxed);
            if content != 0 && slot.check.load(Ordering::Relaxed) ^ content == hash {
                return (slot, Some(content));
            }
            let worth = if content == 0 { i32::MIN } else { worth(content, age) };
            if worth < least_worth {
                (least, least_worth) = (slot, worth);
            }
        }
        (least, None)
    }

    /// Returns how full the table is with entries of the current search, in thousandths.
    pub(crate) fn fullness_permille(&self) -> u32 {
        let age = u64::from(self.age.load(Ordering::Relaxed));
        let sample = &self.clusters[..self.clusters.len().min(1000)];
        let is_used = |slot: &&Slot| {
            let content = slot.content.load(Ordering::Relaxed);
            content != 0 && age_of(content) == age
        };
        let used = sample.iter().flat_map(|cluster| &cluster.0).filter(is_used).count();
        (used * 1000 / (sample.len() * ENTRIES)) as u32
    }
}

fn signed(content: u64, shift: u32) -> i32 {
    i32::from((content >> shift) as i16)
}

fn depth_of(content: u64) -> i32 {
    (content >> DEPTH_SHIFT & 255) as i32 - DEPTH_OFFSET
}

fn age_of(content: u64) -> u64 {
    content >> AGE_SHIFT & (AGES - 1)
}

/// Returns how valuable an entry is, in plies of depth.
fn worth(content: u64, age: u64) -> i32 {
    let searches_ago = (AGES + age - age_of(content)) % AGES;
    depth_of(content) - AGE_WEIGHT * searches_ago as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::mate_at;

    fn entry(depth: i32, value: Value) -> TableEntry {
        TableEntry { mv: None, value, evaluation: -7, depth, bound: Bound::Exact, is_pv: true }
    }

    #[test]
    fn a_stored_entry_is_found() {
        let table = Table::new(1);
        let position = Position::start();
        assert!(table.get(&position, 0).is_none());
        let mv = position.legal_moves()[3];
        table.put(&position, 2, &TableEntry { mv: Some(mv), ..entry(9, mate_at(7)) });
        let hit = table.get(&position, 4).unwrap();
        assert_eq!(hit.mv, Some(mv));
        assert_eq!(hit.value, mate_at(9));
        assert_eq!((hit.evaluation, hit.depth), (-7, 9));
        assert_eq!(hit.bound, Bound::Exact);
        assert!(hit.was_pv);
    }

    #[test]
    fn an_entry_without_a_move_keeps_the_old_move() {
        let table = Table::new(1);
        let position = Position::start();
        let mv = position.legal_moves()[5];
        table.put(&position, 0, &TableEntry { mv: Some(mv), ..entry(3, 10) });
        table.put(&position, 0, &entry(4, 20));
        let hit = table.get(&position, 0).unwrap();
        assert_eq!((hit.mv, hit.value), (Some(mv), 20));
    }

    #[test]
    fn a_full_table_returns_no_entry_of_another_position() {
        let table = Table::new(1);
        let mut positions = vec![Position::start()];
        for index in 0..3000 {
            let next = &positions[index];
            let played: Vec<_> =
                next.legal_moves().iter().map(|&mv| next.play_unchecked(mv)).collect();
            positions.extend(played);
        }
        for (index, position) in positions.iter().enumerate() {
            table.put(position, 0, &entry((index % 50) as i32, index as i32 % 1000));
        }
        let mut found = 0;
        for position in &positions {
            if let Some(hit) = table.get(position, 0) {
                found += 1;
                let is_own = |&index: &usize| index as i32 % 1000 == hit.value;
                let indexes = positions.iter().enumerate().filter(|(_, other)| *other == position);
                assert!(indexes.map(|(index, _)| index).any(|index| is_own(&index)));
                if found > 200 {
                    break;
                }
            }
        }
        assert!(found > 100);
        assert!(table.fullness_permille() > 300);
        table.advance_age();
        assert_eq!(table.fullness_permille(), 0);
    }
}
