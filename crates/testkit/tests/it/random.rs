use castellan_testkit::random::SplitMix64;

#[test]
fn the_numbers_are_those_of_splitmix64() {
    let mut rng = SplitMix64::new(1_234_567);
    let numbers: Vec<u64> = (0..5).map(|_| rng.next_u64()).collect();
    let published = [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
        4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    assert_eq!(numbers, published);
}

#[test]
fn numbers_below_a_limit_reach_all_of_it() {
    let mut rng = SplitMix64::new(1);
    let mut counts = [0; 6];
    for _ in 0..6_000 {
        counts[rng.below(6)] += 1;
    }
    assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
}

#[test]
fn chances_keep_their_promise() {
    let mut rng = SplitMix64::new(1);
    assert!((0..1_000).all(|_| !rng.chance(0)));
    assert!((0..1_000).all(|_| rng.chance(100)));
    let hits = (0..10_000).filter(|_| rng.chance(25)).count();
    assert!((2_300..2_700).contains(&hits), "{hits}");
}

#[test]
fn there_is_nothing_to_pick_from_nothing() {
    assert_eq!(SplitMix64::new(1).pick::<u8>(&[]), None);
    assert_eq!(SplitMix64::new(1).pick(&[7]), Some(&7));
}
