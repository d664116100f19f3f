#include "pages/language.hpp"
#include "pages/view.hpp"
#include "tokens/page_tokens.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <set>
#include <thread>
#include <vector>

using namespace auth_mfa;
using namespace std::chrono_literals;

namespace {

constexpr auto key = "a:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
               other_key = "b:QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
core::Time const now = core::parse_rfc3339("2026-01-31T14:05:00Z").value();
core::Scope const production = core::Scope::of(core::TenantId{7}, core::Environment::production, "demo"),
                  sandbox = core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo"),
                  neighbour = core::Scope::of(core::TenantId{8}, core::Environment::production, "other");

/// Variants of a token that must be refused: each character changed, cut, and extended.
std::set<std::string> spoiled(std::string const& token)
{
    std::set<std::string> all{
        "", ".", "...", token + "A", token.substr(1), token.substr(0, token.size() - 1)};
    for (std::size_t i = 0; i < token.size(); ++i) {
        auto changed = token;
        changed[i] = changed[i] == '0' ? '1' : '0';
        all.insert(changed);
    }
    return all;
}

} // namespace

TEST_CASE("the cookie of a page session is bound to its scope and cannot be forged", "[pages]")
{
    auto const keyring = crypto::Keyring::parse(key);
    PageTokens const tokens(keyring);
    PageSessionToken const token{core::Uuid::v7(), UserId(core::Uuid::v7()), now};
    auto const text = tokens.session(production, token);
    auto const read = tokens.read_session(production, text);
    REQUIRE(read);
    CHECK(read->session_id == token.session_id);
    CHECK(read->user_id == token.user_id);
    CHECK(read->authenticated_at == now);
    CHECK_FALSE(tokens.read_session(sandbox, text));
    CHECK_FALSE(tokens.read_session(neighbour, text));
    for (auto const& wrong : spoiled(text)) {
        INFO(wrong);
        // The last character of the HMAC in base64url has two unused bits, so it is compared as text.
        CHECK_FALSE(tokens.read_session(production, wrong));
    }
    auto const later = tokens.session(production, {token.session_id, token.user_id, now + 1us});
    CHECK(later != text);
}

TEST_CASE("cookies of pages outlive a rotation of the encryption keys", "[pages]")
{
    auto const before = crypto::Keyring::parse(key);
    auto const after = crypto::Keyring::parse(std::string(other_key) + "," + key);
    auto const without = crypto::Keyring::parse(other_key);
    PageTokens const old_tokens(before), new_tokens(after), foreign_tokens(without);
    auto const session = old_tokens.session(production, {core::Uuid::v7(), UserId(core::Uuid::v7()), now});
    auto const form = old_tokens.form(production, "cookie", session);
    auto const state = old_tokens.seal(production, {.token = "t", .expires_at = now + 1min});
    CHECK(new_tokens.read_session(production, session));
    CHECK(new_tokens.is_form(production, "cookie", session, form));
    CHECK(new_tokens.open(production, state, now));
    CHECK_FALSE(foreign_tokens.read_session(production, session));
    CHECK_FALSE(foreign_tokens.is_form(production, "cookie", session, form));
    CHECK_FALSE(foreign_tokens.open(production, state, now));
}

TEST_CASE("the token of a form is bound to the browser, the session and the scope", "[pages]")
{
    auto const keyring = crypto::Keyring::parse(key);
    PageTokens const tokens(keyring);
    auto const token = tokens.form(production, "browser", "session");
    CHECK(tokens.is_form(production, "browser", "session", token));
    CHECK_FALSE(tokens.is_form(production, "another", "session", token));
    CHECK_FALSE(tokens.is_form(production, "browser", "", token));
    CHECK_FALSE(tokens.is_form(production, "browsersession", "", token));
    CHECK_FALSE(tokens.is_form(sandbox, "browser", "session", token));
    CHECK_FALSE(tokens.is_form(neighbour, "browser", "session", token));
    CHECK_FALSE(tokens.is_form(production, "", "session", tokens.form(production, "", "session")));
    for (auto const& wrong : spoiled(token))
        CHECK_FALSE(tokens.is_form(production, "browser", "session", wrong));
}

TEST_CASE("a sign-in in progress is sealed, and ends", "[pages]")
{
    auto const keyring = crypto::Keyring::parse(key);
    PageTokens const tokens(keyring);
    SignInState const state{.token = "mfa-token",
        .enrols = true,
        .email = "ada@example.com",
        .methods = {"sms", "totp"},
        .next = "/enroll",
        .expires_at = now + 10min};
    auto const sealed = tokens.seal(production, state);
    CHECK(sealed.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
          std::string::npos);
    auto const opened = tokens.open(production, sealed, now);
    REQUIRE(opened);
    CHECK(opened->token == state.token);
    CHECK(opened->enrols);
    CHECK(opened->email == state.email);
    CHECK(opened->methods == state.methods);
    CHECK(opened->next == state.next);
    CHECK(tokens.open(production, sealed, now + 10min - 1us));
    CHECK_FALSE(tokens.open(production, sealed, now + 10min));
    CHECK_FALSE(tokens.open(sandbox, sealed, now));
    CHECK_FALSE(tokens.open(neighbour, sealed, now));
    CHECK_FALSE(tokens.open(production, "", now));
    CHECK_FALSE(tokens.open(production, sealed.substr(4), now));
}

TEST_CASE("all languages of the pages have the same texts", "[pages]")
{
    std::set<std::string> codes, names;
    for (auto const& language : pages::languages()) { // parsing throws if a text is missing
        codes.emplace(language.code());
        names.insert(language.text("language.name"));
    }
    CHECK(codes == std::set<std::string>{"ar", "de", "en", "es", "fr", "ja", "pt"});
    CHECK(names.size() == codes.size());
}

TEST_CASE("faults in a file of texts are reported together", "[pages]")
{
    pages::Language const english("en", R"({"a":"A {{x}}","b":"B","c":"C"})", nullptr);
    try {
        pages::Language const wrong("de", R"({"a":"A {{y}}","b":1,"d":"D"})", &english);
        FAIL("no fault was found");
    } catch (std::invalid_argument const& faults) {
        CHECK(std::string(faults.what()) ==
              "pages/messages/de.json:\nother placeholders than the English text: a\nnot a string: b\n"
              "unknown text: d\nmissing text: c");
    }
    CHECK_THROWS_AS(pages::Language("de", "[", nullptr), std::invalid_argument);
    CHECK_THROWS_AS(english.text("a"), std::out_of_range);
    CHECK_THROWS_AS(english.text("z"), std::out_of_range);
    CHECK(english.text("a", {{"x", "<1>"}}) == "A <1>");
}

TEST_CASE("the language of a page is the one that the user asked for", "[pages]")
{
    auto const chosen = [](char const* ui_locales, char const* accepted) {
        return pages::choose_language(ui_locales, accepted).code();
    };
    CHECK(chosen("", "") == "en");
    CHECK(chosen("", "pt-BR, fr;q=0.9") == "pt");
    CHECK(chosen("ja", "pt-BR") == "ja");
    CHECK(chosen("xx  zh-Hant fr-CH de", "pt") == "fr");
    CHECK(chosen("xx", "es") == "es");
    CHECK(pages::choose_language("ar", "").direction() == "rtl");
    CHECK(pages::choose_language("de", "").direction() == "ltr");
}

TEST_CASE("values in a page are escaped, and texts too", "[pages]")
{
    pages::View const view("<p title=\"{{name}}\">{{name}}</p><p>[[login.forgot]]</p>{{#none}}no{{/none}}");
    pages::Data data;
    pages::set(data, "name", R"("><script>'&[[login.title]]{{brand}})");
    pages::set(data, "none", "");
    data.set("brand", "B");
    auto const html = view.render(pages::choose_language("en", ""), data);
    CHECK(html.find(R"(<p title="&quot;&gt;&lt;script&gt;&apos;&amp;[[login.title]]{{brand}}">)") !=
          std::string::npos);
    CHECK(html.find("Forgot your password?") != std::string::npos);
    CHECK(html.find("<script>") == std::string::npos);
    CHECK(html.find("<p>no") == std::string::npos);
    CHECK_THROWS_AS(pages::View("{{{raw}}}"), std::invalid_argument);
    CHECK_THROWS_AS(pages::View("{{&raw}}"), std::invalid_argument);
    CHECK_THROWS_AS(pages::View("[[no.such.text]]"), std::invalid_argument);
    CHECK_THROWS_AS(pages::View("{{#open}}"), std::invalid_argument);
    CHECK_THROWS_AS(pages::View("[[>no_such_part]]"), std::invalid_argument);
}

TEST_CASE("a template contains shared parts, each as often as it names them", "[pages]")
{
    pages::View const view("<div>[[>reveal]]</div><div>[[>reveal]]</div>");
    auto const html = view.render(pages::choose_language("en", ""), {});
    auto const first = html.find("<div><button ");
    REQUIRE(first != std::string::npos);
    CHECK(html.find("Show</button></div><div><button ", first) != std::string::npos);
}

TEST_CASE("several threads show a page at the same time", "[pages]")
{
    pages::View const view("{{#items}}<p>{{name}}</p>{{/items}}");
    auto const show = [&](std::string const& name) {
        pages::Data item, items(pages::Data::type::list), data;
        item.set("name", name);
        items << item << item;
        data.set("items", items);
        return view.render(pages::choose_language("en", ""), data);
    };
    std::array<std::size_t, 4> right{};
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < right.size(); ++i)
            threads.emplace_back([&, i, name = "user " + std::to_string(i)] {
                for (int n = 0; n < 50; ++n)
                    if (show(name).find("<p>" + name + "</p><p>" + name + "</p>") != std::string::npos)
                        ++right[i];
            });
    }
    CHECK(right == std::array<std::size_t, 4>{50, 50, 50, 50});
}

TEST_CASE("times and time spans are shown plainly", "[pages]")
{
    CHECK(pages::Language::date(now) == "2026-01-31 14:05 UTC");
    auto const& english = pages::choose_language("en", "");
    CHECK(english.span(0s) == "1 second");
    CHECK(english.span(90s) == "90 seconds");
    CHECK(english.span(91s) == "2 minutes");
    CHECK(english.span(90min) == "90 minutes");
    CHECK(english.span(91min) == "2 hours");
    auto const& arabic = pages::choose_language("ar", "");
    CHECK(arabic.span(1s) == arabic.text("seconds.one"));
    CHECK(arabic.span(2s) == arabic.text("seconds.two"));
    for (auto const few : {3s, 10s})
        CHECK(arabic.span(few) == arabic.text("seconds.few", {{"number", std::to_string(few.count())}}));
    CHECK(arabic.span(11s) == arabic.text("seconds.other", {{"number", "11"}}));
}
