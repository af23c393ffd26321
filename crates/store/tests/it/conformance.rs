//! The laws that both databases keep.
//!
//! Each law is a function of a rig. SQLite runs each as a test of its own; PostgreSQL runs all
//! in one test, because they share the server that is started for them.

mod emails;
mod games;
mod histories;
mod load;
mod moderation;
mod people;
mod retention;

use std::future::Future;
use std::pin::Pin;

use crate::cluster::Cluster;
use crate::rig::Rig;

type Law = (&'static str, fn(Rig) -> Pin<Box<dyn Future<Output = ()> + Send>>);

macro_rules! laws {
    ($($module:ident::$law:ident,)*) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $law() {
                    super::$module::$law(&crate::rig::Rig::sqlite()).await;
                }
            )*
        }

        const LAWS: &[Law] = &[
            $((stringify!($law), |rig| Box::pin(async move { $module::$law(&rig).await })),)*
        ];
    };
}

laws! {
    games::stored_games_are_there_after_reopening,
    games::versions_follow_each_other,
    games::the_events_after_a_version_are_the_rest_of_the_game,
    games::malformed_batches_are_refused,
    games::a_game_is_created_once,
    games::a_batch_is_stored_as_a_whole,
    games::a_game_begins_with_all_it_claims_or_not_at_all,
    games::some_claims_are_free_again_when_the_game_ends,
    games::a_game_ends_once,
    games::events_may_follow_the_end,
    games::unfinished_games_are_listed_until_they_end,
    games::the_unfinished_games_of_a_player_are_found,
    games::values_that_are_too_large_are_refused,
    games::a_closed_store_refuses,
    histories::history_goes_back_page_by_page,
    histories::pages_stay_in_place_while_games_finish,
    histories::names_are_found_as_people_write_them,
    histories::a_part_of_many_names_finds_all_their_games,
    histories::hostile_names_are_only_names,
    histories::the_longest_games_come_first,
    histories::results_are_counted_by_color,
    people::a_name_belongs_to_one_account,
    people::ratings_change_only_from_what_they_were,
    people::sessions_are_kept_rotated_and_ended,
    people::expired_rows_are_deleted,
    people::an_invitation_is_taken_once,
    people::chat_comes_in_order,
    people::the_heartbeat_never_goes_back,
    people::an_outage_is_written_down_once,
    people::a_database_server_has_a_clock,
    people::player_ids_are_given_once,
    moderation::a_ban_holds_until_it_ends_or_is_lifted,
    moderation::registration_is_open_unless_it_was_closed,
    moderation::accounts_are_listed_by_name,
    moderation::reports_are_open_until_they_are_closed,
    moderation::the_audit_log_goes_back_page_by_page,
    moderation::a_recovery_code_works_once,
    moderation::no_time_step_is_used_twice,
    moderation::deleted_rows_are_gone,
    moderation::a_deleted_account_leaves_no_name_behind,
    retention::what_is_too_old_is_deleted,
    retention::little_is_deleted_at_a_time,
    retention::codes_of_operators_expire,
    emails::an_address_counts_once_it_is_confirmed,
    emails::a_mailed_code_changes_the_password_once,
    emails::codes_end_with_what_they_were_for,
    load::many_writers_lose_nothing_and_share_commits,
    load::writes_of_one_caller_keep_their_order,
    load::one_bad_batch_does_not_spoil_the_others,
    load::of_conflicting_appends_one_wins,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_keeps_the_laws() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let mut broken = Vec::new();
    // A few at a time: most of a law is waiting for the disk.
    for laws in LAWS.chunks(6) {
        let mut running = Vec::new();
        for (name, law) in laws {
            let url = cluster.create_schema(name).await;
            running.push((*name, tokio::spawn(law(Rig::Postgres { url }))));
        }
        for (name, law) in running {
            if law.await.is_err() {
                broken.push(name);
            }
        }
    }
    assert!(broken.is_empty(), "laws that PostgreSQL breaks: {broken:?}");
}
