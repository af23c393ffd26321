//! Types that still share their name with another type of their package. The list only shrinks.

/// The folder of a package, and names that are declared more than once in it.
#[rustfmt::skip]
pub(super) const KNOWN_DUPLICATES: [(&str, &[&str]); 4] = [
    ("crates/legality", &["Goal", "Part", "Row", "Men", "Node"]),
    ("crates/rules", &["Input", "Line"]),
    ("crates/server", &["Inner", "Asked", "News", "Place", "Connection", "Talk", "Incoming", "Heard", "Busy"]),
    ("crates/store", &["Options", "Pool", "Fate", "Writer"]),
];
