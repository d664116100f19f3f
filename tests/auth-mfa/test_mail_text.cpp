#include "core/fields.hpp"
#include "domain/locale.hpp"
#include "domain/mail_text.hpp"
#include "domain/user_agent.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace auth_mfa {

// The files of mails/messages/.
extern std::string_view const en_json, de_json, fr_json, es_json, pt_json, ja_json;

} // namespace auth_mfa

using namespace auth_mfa;
using namespace std::chrono_literals;

namespace {

constexpr auto kinds = std::to_array({MailKind::verify_email, MailKind::reset_password,
    MailKind::confirm_new_email, MailKind::email_changed, MailKind::invitation, MailKind::new_sign_in,
    MailKind::password_changed, MailKind::factor_added, MailKind::factor_removed, MailKind::identity_linked});
static_assert(kinds.size() == core::names_of<MailKind>.size());

constexpr char const* token = "vY3kq0Zt6mXn2aJ8bS4wE1cR7uH5dL9pG0fT3iK6oQ8";

std::map<std::string_view, std::string_view> message_files()
{
    return {
        {"en", en_json}, {"de", de_json}, {"fr", fr_json}, {"es", es_json}, {"pt", pt_json}, {"ja", ja_json}};
}

MailValues values()
{
    return {.brand = "Acme",
        .email = "ada@example.com",
        .link = std::string("https://demo.auth.example.com/reset?token=") + token,
        .token = token,
        .lifetime = 30min,
        .at = core::parse_rfc3339("2026-03-01T04:05:59Z").value(),
        .user_agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0",
        .ip = "203.0.113.77",
        .factor = MailFactor::passkey};
}

std::vector<std::string> lines_of(std::string const& text)
{
    std::vector<std::string> lines;
    boost::algorithm::split(lines, text, [](char c) { return c == '\n'; });
    return lines;
}

std::size_t count(std::string const& text, std::string_view part)
{
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
        ++found;
    return found;
}

bool contains(std::string const& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

/// The faults of a file of texts; "" if it has none.
std::string faults_of(boost::json::value const& texts)
{
    try {
        MailLanguage const language(boost::json::serialize(texts));
        return "";
    } catch (std::invalid_argument const& faults) {
        return faults.what();
    }
}

/// The placeholders of each text, by its key.
void add_placeholders(boost::json::value const& value, std::string const& key,
    std::map<std::string, std::set<std::string>>& out)
{
    if (auto const* object = value.if_object()) {
        for (auto const& [name, member] : *object)
            add_placeholders(member, key + '/' + std::string(name), out);
        return;
    }
    auto const* text = value.if_string();
    if (text == nullptr) return;
    auto& found = out[key];
    std::string const content(text->c_str());
    for (auto at = content.find("{{"); at != std::string::npos; at = content.find("{{", at + 2))
        found.insert(content.substr(at + 2, content.find("}}", at) - at - 2));
}

} // namespace

TEST_CASE("every language has the texts of all mails, and no others", "[mail]")
{
    CHECK(message_files().size() == mail_locales.size());
    for (auto const& [locale, json] : message_files()) {
        INFO(locale);
        auto const texts = boost::json::parse(json);
        CHECK(faults_of(texts) == "");
        CHECK_NOTHROW(render_mail(MailKind::verify_email, locale, values()));

        auto changed = texts;
        changed.at("invitation").as_object().erase("button");
        CHECK(faults_of(changed) == "missing text: invitation.button");
        changed = texts;
        changed.at("factor").as_object()["voice"] = "Calls";
        CHECK(faults_of(changed) == "unknown text: factor.voice");
        changed = texts;
        changed.at("month").as_array().push_back("Smarch");
        CHECK(faults_of(changed) == "unknown text: month.12");
        changed = texts;
        changed.as_object()["footer"] = 1;
        CHECK(faults_of(changed) == "missing text: footer\nunknown text: footer (not a string)");
        for (auto const* wrong : {"{{user}}", "{{brand", "{{#brand}}", "{{/brand}}", "{{ brand }}"}) {
            changed = texts;
            changed.at("verify_email").as_object()["subject"] = std::string("Hello ") + wrong;
            CHECK(contains(faults_of(changed), "verify_email.subject: "));
        }
    }
}

TEST_CASE("the placeholders of a text are the same in every language", "[mail]")
{
    std::map<std::string, std::set<std::string>> expected;
    add_placeholders(boost::json::parse(en_json), "", expected);
    CHECK(expected.at("/reset_password/subject") == std::set<std::string>{"brand"});
    for (auto const& [locale, json] : message_files()) {
        INFO(locale);
        std::map<std::string, std::set<std::string>> found;
        add_placeholders(boost::json::parse(json), "", found);
        // A heading may name the brand in one language and not in another.
        for (auto const& [key, placeholders] : expected) {
            INFO(key);
            auto optional = key.ends_with("/heading") || key.ends_with("/advice") || key.ends_with("/text");
            if (optional) {
                for (auto const& name : found[key])
                    CHECK(std::set<std::string>{"brand", "email"}.contains(name));
                CHECK(found[key].contains("email") == placeholders.contains("email"));
            } else {
                CHECK(found[key] == placeholders);
            }
        }
    }
}

TEST_CASE("the text part has the link on a line of its own and the token alone on a line", "[mail]")
{
    for (auto const locale : mail_locales) {
        for (auto const kind : kinds) {
            INFO(locale << ' ' << to_string(kind));
            auto const mail = render_mail(kind, locale, values());
            auto const lines = lines_of(mail.text);
            CHECK(std::ranges::count(lines, token) == 1);
            CHECK(std::ranges::count(lines, values().link) == 1);
            CHECK(count(mail.text, token) == 2);
            CHECK(contains(mail.subject, "Acme"));
            CHECK(mail.text.ends_with(".\n") != mail.text.ends_with("。\n"));
            CHECK_FALSE(contains(mail.text, "\n\n\n"));
            for (auto const& part : {mail.subject, mail.text, mail.html}) {
                CHECK_FALSE(contains(part, "{{"));
                CHECK_FALSE(contains(part, "}}}"));
            }
        }
    }
}

TEST_CASE("the HTML part has one button, the visible link, and loads nothing", "[mail]")
{
    for (auto const locale : mail_locales) {
        for (auto const kind : kinds) {
            INFO(locale << ' ' << to_string(kind));
            auto const html = render_mail(kind, locale, values()).html;
            CHECK(html.starts_with("<!doctype html>\n<html lang=\"" + std::string(locale) + "\">"));
            CHECK(count(html, "<a ") == 2);
            CHECK(count(html, "href=\"" + values().link + "\"") == 2);
            CHECK(count(html, ">" + values().link + "</a>") == 1);
            CHECK(count(html, "class=\"button\"") == 1);
            CHECK(count(html, "<h1 ") == 1);
            CHECK(count(html, "<table ") == count(html, "</table>"));
            for (auto const* loads : {"<img", "<script", "<link", "url(", "src=", "@import"})
                CHECK_FALSE(contains(html, loads));
        }
    }
}

TEST_CASE("a mail without a link shows only the token, and a mail without both shows neither", "[mail]")
{
    auto given = values();
    given.link.clear();
    auto const without_link = render_mail(MailKind::reset_password, "en", given);
    CHECK_FALSE(contains(without_link.html, "<a "));
    CHECK(contains(without_link.html, std::string(">") + token + "</p>"));
    CHECK(std::ranges::count(lines_of(without_link.text), token) == 1);
    CHECK_FALSE(contains(without_link.text, "Choose a new password"));

    given.token.clear();
    given.lifetime = 0s;
    auto const notice = render_mail(MailKind::password_changed, "en", given);
    CHECK_FALSE(contains(notice.html, "<a "));
    CHECK_FALSE(contains(notice.text, "valid for"));
    CHECK(lines_of(notice.text) ==
          std::vector<std::string>{"Your password was changed", "",
              "The password of the Acme account ada@example.com was changed.", "",
              "Time: 1\u00a0March 2026, 04:05\u00a0UTC", "Browser: Firefox (Windows)",
              "IP address: 203.0.113.77", "",
              "If this was you, you do not need to do anything. If it was not you, reset your password at "
              "once and contact Acme support.",
              "", "This is an automatic message from Acme.", ""});
}

TEST_CASE("values cannot add markup, lines or fields to a mail", "[mail]")
{
    auto given = values();
    given.brand = "<b>\"A\" & 'B'</b>\r\nBcc: eve@example.com\u2028{{email}}";
    given.email = "a\"b<c>@example.com\n\nforged-token";
    given.user_agent = "<i>\xff\u202eevil</i>\n" + std::string(5000, 'x');
    given.ip = "<u>1</u>";
    given.link = "https://example.com/?a=1&token=\"><script>";
    for (auto const locale : mail_locales) {
        for (auto const kind : kinds) {
            INFO(locale << ' ' << to_string(kind));
            auto const mail = render_mail(kind, locale, given);
            CHECK(mail.subject.find_first_of("\r\n") == std::string::npos);
            CHECK(contains(mail.subject, "<b>\"A\" & 'B'</b>  Bcc: eve@example.com {{email}}"));
            CHECK(contains(mail.html, "&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt;  Bcc"));
            for (auto const* markup : {"<b>", "<c>", "<i>", "<u>", "<script"})
                CHECK_FALSE(contains(mail.html, markup));
            CHECK(
                contains(mail.html, "href=\"https://example.com/?a=1&amp;token=&quot;&gt;&lt;script&gt;\""));
            auto const lines = lines_of(mail.text);
            CHECK(std::ranges::count(lines, "forged-token") == 0);
            CHECK_FALSE(contains(mail.text, "\r"));
            CHECK(mail.text.size() < 2500);
            CHECK(core::is_utf8(mail.text));
        }
    }
}

TEST_CASE("notices state what happened, when and where in the language of the mail", "[mail]")
{
    struct Case {
        char const* locale;
        char const* time;
        char const* factor;
    };

    for (auto const& [locale, time, factor] : {
             Case{"en", "Time: 1 March 2026, 04:05 UTC", "Method: Passkey"},
             Case{"de", "Zeitpunkt: 1. März 2026, 04:05 Uhr (UTC)", "Methode: Passkey"},
             Case{"fr", "Date et heure : 1er mars 2026 à 04:05 (UTC)", "Méthode : Clé d’accès (passkey)"},
             Case{"es", "Fecha y hora: 1 de marzo de 2026, 04:05 (UTC)", "Método: Clave de acceso (passkey)"},
             Case{"pt", "Data e hora: 1 de março de 2026, 04:05 (UTC)", "Método: Chave de acesso (passkey)"},
             Case{"ja", "日時：2026年3月1日 04:05（UTC）", "認証方法：パスキー"},
         }) {
        INFO(locale);
        auto text = render_mail(MailKind::factor_added, locale, values()).text;
        boost::algorithm::replace_all(text, "\u00a0", " ");
        auto const lines = lines_of(text);
        CHECK(std::ranges::count(lines, time) == 1);
        CHECK(std::ranges::count(lines, factor) == 1);
        CHECK(contains(text, "203.0.113.77"));
        CHECK(contains(text, "Firefox (Windows)"));
    }
    for (auto const kind : kinds) {
        INFO(to_string(kind));
        auto const mail = render_mail(kind, "en", values());
        bool const notice = kind == MailKind::email_changed || kind >= MailKind::new_sign_in;
        CHECK(contains(mail.text, "203.0.113.77") == notice);
        CHECK(contains(mail.html, "203.0.113.77") == notice);
        bool const factor = kind == MailKind::factor_added || kind == MailKind::factor_removed;
        CHECK(contains(mail.text, "Method: ") == factor);
    }
    auto given = values();
    given.ip.clear();
    given.user_agent.clear();
    auto const reduced = render_mail(MailKind::new_sign_in, "en", given);
    CHECK_FALSE(contains(reduced.text, "Browser:"));
    CHECK_FALSE(contains(reduced.html, "IP address"));
}

TEST_CASE("a mail states its time span in the largest whole unit", "[mail]")
{
    struct Case {
        char const* locale;
        std::chrono::seconds span;
        char const* text;
    };

    for (auto const& [locale, span, text] : {
             Case{"en", 30min, "30 minutes"},
             Case{"en", 1min, "1 minute"},
             Case{"en", 59s, "1 minute"},
             Case{"en", 90min, "90 minutes"},
             Case{"en", 1h, "1 hour"},
             Case{"en", 36h, "36 hours"},
             Case{"en", 24h, "1 day"},
             Case{"en", 72h, "3 days"},
             Case{"de", 168h, "7 Tage"},
             Case{"fr", 168h, "7 jours"},
             Case{"es", 30min, "30 minutos"},
             Case{"pt", 2h, "2 horas"},
             Case{"ja", 72h, "3日間"},
         }) {
        INFO(locale << ' ' << text);
        auto shown = MailLanguage(message_files().at(locale)).span(span);
        boost::algorithm::replace_all(shown, "\u00a0", " ");
        CHECK(shown == text);
        auto given = values();
        given.lifetime = span;
        auto mail = render_mail(MailKind::verify_email, locale, given);
        boost::algorithm::replace_all(mail.text, "\u00a0", " ");
        CHECK(contains(mail.text, text));
    }
}

TEST_CASE("an unknown language gets the English mail", "[mail]")
{
    auto const english = render_mail(MailKind::invitation, "en", values()).text;
    for (auto const* locale : {"", "it", "EN", "de-AT", "e", "en "})
        CHECK(render_mail(MailKind::invitation, locale, values()).text == english);
    CHECK(render_mail(MailKind::invitation, "de", values()).text != english);
}

TEST_CASE("the language of mails follows Accept-Language", "[mail]")
{
    struct Case {
        char const* header;
        char const* locale;
    };

    for (auto const& [header, locale] : {
             Case{"", "en"},
             Case{"de", "de"},
             Case{"DE", "de"},
             Case{"de-AT", "de"},
             Case{"de-Latn-AT-1996", "de"},
             Case{"pt-BR,pt;q=0.9,en;q=0.8", "pt"},
             Case{"ja-JP", "ja"},
             Case{"zh-CN, zh;q=0.9, fr;q=0.7, es;q=0.8", "es"},
             Case{"fr;q=0.5, es;q=0.5", "fr"},
             Case{"fr;q=0, es;q=0.1", "es"},
             Case{"fr;q=0.000", "en"},
             Case{"fr; q=0.2 ,\tes ; Q=0.30", "es"},
             Case{"fr;q=1.000, es", "fr"},
             Case{"*", "en"},
             Case{"*;q=0.5", "en"},
             Case{"*, fr;q=0.1", "fr"},
             Case{"it, *;q=0.5", "en"},
             Case{"*-CH, fr;q=0.1", "fr"},
             Case{"x-de", "en"},
             Case{"i-klingon", "en"},
             Case{"deu", "en"},
             Case{"d", "en"},
             // malformed ranges are skipped
             Case{",", "en"},
             Case{",,fr,", "fr"},
             Case{"de-", "en"},
             Case{"-de", "en"},
             Case{"de--AT", "en"},
             Case{"de_AT", "en"},
             Case{"de AT", "en"},
             Case{"de-toolongsubtag", "en"},
             Case{"d\xc3\xa9", "en"},
             Case{"de;q=1.001, fr;q=0.1", "fr"},
             Case{"de;q=2, fr;q=0.1", "fr"},
             Case{"de;q=.5, fr;q=0.1", "fr"},
             Case{"de;q=0.1234, fr;q=0.1", "fr"},
             Case{"de;q=-1, fr;q=0.1", "fr"},
             Case{"de;q=0,5, fr;q=0.1", "fr"},
             Case{"de;q=, fr;q=0.1", "fr"},
             Case{"de;q, fr;q=0.1", "fr"},
             Case{"de;, fr;q=0.1", "fr"},
             Case{"de;q=0.5;level=1, fr;q=0.1", "fr"},
             Case{"de;q=nan, fr;q=0.1", "fr"},
         }) {
        INFO('"' << header << '"');
        CHECK(choose_locale(mail_locales, header) == locale);
    }
    std::string const nul("de\0, fr", 7);
    CHECK(choose_locale(mail_locales, nul) == "fr");
}

TEST_CASE("long Accept-Language headers are read to their end", "[mail]")
{
    std::string many;
    while (many.size() < (16 << 10))
        many += "it;q=0.9,";
    CHECK(choose_locale(mail_locales, many + "ja;q=0.1") == "ja");
    CHECK(choose_locale(mail_locales, std::string(16 << 10, 'a') + ",ja;q=0.1") == "ja");
    CHECK(choose_locale(mail_locales, std::string(16 << 10, ',') + "ja;q=0.1") == "ja");
    CHECK(choose_locale(mail_locales, "de;q=" + std::string(16 << 10, '0') + ",ja;q=0.1") == "ja");
    CHECK(choose_locale(mail_locales, "de" + std::string(16 << 10, '-') + ",ja;q=0.1") == "ja");
}

TEST_CASE("known browsers have a short name", "[mail]")
{
    struct Case {
        char const* header;
        char const* name;
    };

    for (auto const& [header, name] :
        {
            Case{"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox (Linux)"},
            Case{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                 "Chrome/126.0.0.0 Safari/537.36",
                "Chrome (Windows)"},
            Case{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                 "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
                "Edge (Windows)"},
            Case{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                 "Chrome/126.0.0.0 Safari/537.36 OPR/112.0.0.0",
                "Opera (Windows)"},
            Case{"Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                 "Version/17.5 Safari/605.1.15",
                "Safari (macOS)"},
            Case{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
                 "Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
                "Safari (iPhone)"},
            Case{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
                 "Gecko) CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1",
                "Chrome (iPhone)"},
            Case{"Mozilla/5.0 (Linux; Android 14; SM-S928B) AppleWebKit/537.36 (KHTML, like Gecko) "
                 "SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36",
                "Samsung Internet (Android)"},
            Case{"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) "
                 "Chrome/126.0.0.0 Safari/537.36",
                "Chrome (ChromeOS)"},
            Case{"Mozilla/5.0 (compatible; Somebot/1.0)", "Mozilla/5.0 (compatible; Somebot/1.0)"},
            Case{"okhttp/4.12.0", "okhttp/4.12.0"},
            Case{"Firefox/1 Windows", "Firefox/1 Windows"},
            Case{"", ""},
        }) {
        CHECK(browser_name(header) == name);
    }
    CHECK(browser_name(std::string(99, 'x') + "é") == std::string(99, 'x'));
}
