//! The messages that are sent, in the languages of the page.
//!
//! A message is plain text. It names the account and the code, and the public address of the server
//! only if the operator has set it: an address that comes from a client could lead to an attacker's
//! page.

use serde::Deserialize;
use utoipa::ToSchema;

/// A language of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    /// English.
    #[default]
    En,
    /// Slovak.
    Sk,
    /// Czech.
    Cs,
    /// Polish.
    Pl,
    /// Finnish.
    Fi,
}

/// What a message is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Topic {
    /// Confirming an address.
    Confirm,
    /// Choosing a new password.
    Reset,
}

/// A message for a user.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct MailText {
    pub(super) subject: &'static str,
    pub(super) body: String,
}

/// What a message is filled with.
pub(super) struct MailFacts<'a> {
    /// Name of the account.
    pub(super) name: &'a str,
    /// The code, in plain text.
    pub(super) code: &'a str,
    /// How long the code is valid.
    pub(super) minutes: u64,
    /// Public address of the server.
    pub(super) site: Option<&'a str>,
}

impl MailText {
    /// Writes a message.
    pub(super) fn new(topic: Topic, language: Language, facts: &MailFacts<'_>) -> MailText {
        let (subject, template) = match topic {
            Topic::Confirm => confirm(language),
            Topic::Reset => reset(language),
        };
        let site = facts.site.map(|site| format!(" ({site})")).unwrap_or_default();
        let body = template
            .replace("{minutes}", &facts.minutes.to_string())
            .replace("{site}", &site)
            .replace("{code}", facts.code)
            .replace("{name}", facts.name);
        MailText { subject, body }
    }
}

fn confirm(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::En => (
            "Confirm your e-mail address",
            "To use this address for the account {name}{site}, enter this code in the account \
             settings:\n\n    {code}\n\nThe code works once, within the next {minutes} minutes. If \
             you do not have this account, you can ignore this message.\n",
        ),
        Language::Sk => (
            "Potvrďte svoju e-mailovú adresu",
            "Ak chcete túto adresu používať pre účet {name}{site}, zadajte tento kód v \
             nastaveniach účtu:\n\n    {code}\n\nKód platí {minutes} minút a dá sa použiť raz. Ak \
             tento účet nemáte, správu si nevšímajte.\n",
        ),
        Language::Cs => (
            "Potvrďte svou e-mailovou adresu",
            "Chcete-li tuto adresu používat pro účet {name}{site}, zadejte tento kód v nastavení \
             účtu:\n\n    {code}\n\nKód platí {minutes} minut a lze ho použít jednou. Pokud tento \
             účet nemáte, zprávy si nevšímejte.\n",
        ),
        Language::Pl => (
            "Potwierdź swój adres e-mail",
            "Aby używać tego adresu na koncie {name}{site}, wpisz ten kod w ustawieniach konta:\
             \n\n    {code}\n\nKod jest ważny przez {minutes} minut i działa tylko raz. Jeśli nie \
             masz takiego konta, zignoruj tę wiadomość.\n",
        ),
        Language::Fi => (
            "Vahvista sähköpostiosoitteesi",
            "Jos haluat käyttää tätä osoitetta tilillä {name}{site}, anna tämä koodi tilin \
             asetuksissa:\n\n    {code}\n\nKoodi on voimassa {minutes} minuuttia, ja sitä voi \
             käyttää kerran. Jos tili ei ole sinun, voit jättää tämän viestin huomiotta.\n",
        ),
    }
}

fn reset(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::En => (
            "Your code for a new password",
            "Someone, hopefully you, asked for a new password for the account {name}{site}. To \
             choose it, enter this code under \"Forgot your password?\":\n\n    {code}\n\nThe code \
             works once, within the next {minutes} minutes. If you did not ask for it, you can \
             ignore this message: your password stays as it is.\n",
        ),
        Language::Sk => (
            "Kód na nastavenie nového hesla",
            "Niekto, zrejme vy, požiadal o nové heslo k účtu {name}{site}. Nastavíte si ho týmto \
             kódom v časti „Zabudli ste heslo?“:\n\n    {code}\n\nKód platí {minutes} minút a dá \
             sa použiť raz. Ak ste oň nežiadali, správu si nevšímajte: heslo zostane nezmenené.\n",
        ),
        Language::Cs => (
            "Kód k nastavení nového hesla",
            "Někdo, zřejmě vy, požádal o nové heslo k účtu {name}{site}. Nastavíte si ho tímto \
             kódem v části „Zapomněli jste heslo?“:\n\n    {code}\n\nKód platí {minutes} minut a \
             lze ho použít jednou. Pokud jste o něj nežádali, zprávy si nevšímejte: heslo zůstane \
             beze změny.\n",
        ),
        Language::Pl => (
            "Kod do ustawienia nowego hasła",
            "Ktoś, zapewne Ty, poprosił o nowe hasło do konta {name}{site}. Aby je ustawić, wpisz \
             ten kod w miejscu „Nie pamiętasz hasła?”:\n\n    {code}\n\nKod jest ważny przez \
             {minutes} minut i działa tylko raz. Jeśli to nie Ty, zignoruj tę wiadomość: hasło \
             pozostanie bez zmian.\n",
        ),
        Language::Fi => (
            "Koodi uutta salasanaa varten",
            "Joku, toivottavasti sinä, pyysi uutta salasanaa tilille {name}{site}. Voit asettaa \
             sen antamalla tämän koodin kohdassa ”Unohditko salasanan?”:\n\n    {code}\n\nKoodi on \
             voimassa {minutes} minuuttia, ja sitä voi käyttää kerran. Jos et pyytänyt sitä, voit \
             jättää tämän viestin huomiotta: salasanasi ei muutu.\n",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_has_all_facts() {
        let facts = MailFacts {
            name: "Anna {code}",
            code: "7QK2-M9XA-0FTD-V3HR",
            minutes: 30,
            site: Some("https://chess.example.org"),
        };
        for language in [Language::En, Language::Sk, Language::Cs, Language::Pl, Language::Fi] {
            for topic in [Topic::Confirm, Topic::Reset] {
                let MailText { subject, body } = MailText::new(topic, language, &facts);
                assert!(!subject.is_empty());
                let lines: Vec<&str> = body.lines().collect();
                assert!(lines.contains(&"    7QK2-M9XA-0FTD-V3HR"), "{body}");
                assert!(body.contains("Anna {code} (https://chess.example.org)"), "{body}");
                assert!(body.contains(" 30 "), "{body}");
                let plain = MailText::new(topic, language, &MailFacts { site: None, ..facts });
                assert!(!plain.body.contains("()") && !plain.body.contains("{site}"));
            }
        }
    }
}
