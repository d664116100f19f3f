#include "domain/search_text.hpp"
#include "domain/similar.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace feedback;
using namespace feedback::search_text;

namespace {

constexpr core::ScopeId scope{70};

/// The words of a text, joined by spaces. `+` joins characters that follow one another.
std::string words(std::string_view utf8)
{
    std::string joined;
    for (auto const& token : tokens_of(utf8)) {
        if (!joined.empty()) joined += token.continues ? '+' : ' ';
        joined += token.text;
    }
    return joined;
}

std::string body(std::string_view utf8)
{
    std::array const parts{Part{utf8, body_weight}};
    return document(scope, parts);
}

/// The terms of a query as tsqueries, joined by ` AND `. Excluded terms follow a `-`.
std::string parsed(std::string_view utf8)
{
    auto const query = parse_query(utf8);
    std::string joined;
    auto const add = [&](std::vector<Term> const& terms, std::string const& sign) {
        for (auto const& term : terms)
            joined += (joined.empty() ? "" : " AND ") + sign + tsquery(scope, term);
    };
    add(query.required, "");
    add(query.excluded, "-");
    for (auto at = joined.find("1y."); at != std::string::npos; at = joined.find("1y."))
        joined.erase(at, 3);
    return joined;
}

std::string repeated(std::string_view text, std::size_t times)
{
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i)
        all += text;
    return all;
}

} // namespace

TEST_CASE("words are letters and digits, casefolded and without accents")
{
    CHECK(words("The Quick-brown fox, 42 times!") == "the quick brown fox 42 times");
    CHECK(words("Cafés ÉTÉ naïve") == "cafes ete naive");
    CHECK(words("cafe\u0301s") == "cafes");
    CHECK(words("Straße STRASSE") == "strasse strasse");
    CHECK(words("Ελληνικά Русский") == "ελληνικα русскии");
    CHECK(words("İstanbul") == "istanbul");
    CHECK(words("ﬁle ２０２６ ｉＰｈｏｎｅ ²") == "file 2026 iphone 2");
    CHECK(words("") == "");
    CHECK(words("... 🎉🎉 — !?") == "");
    CHECK(words("a🎉b") == "a b");
    CHECK(words("so\u00ADft") == "soft");
}

TEST_CASE("letters with marks stay whole in scripts that need the marks")
{
    CHECK(words("हिन्दी भाषा") == "हिन्दी भाषा");
    CHECK(words("한국어 검색") == "한국어 검색");
    CHECK(words("שלום عربى") == "שלום عربى");
}

TEST_CASE("characters of scripts without spaces are words of their own")
{
    CHECK(words("東京大学") == "東+京+大+学");
    CHECK(words("iPhoneを使う") == "iphone を+使+う");
    CHECK(words("2026年 東京") == "2026 年 東+京");
    CHECK(words("がﾊﾟ") == "が+パ");
    CHECK(words("か\u3099") == "が");
    CHECK(words("ภาษา") == "ภ+า+ษ+า");
    CHECK(words("ລາວ").size() == words("abc").size() - 3 + 9 + 2);
}

TEST_CASE("a document contains words with their positions, and pairs of characters")
{
    CHECK(body("Export nothing") == "'1y.export':1B '1y.nothing':2B ");
    CHECK(body("東京都") == "'1y.東':1B '1y.東京':1B '1y.京':2B '1y.京都':2B '1y.都':3B ");
    std::array const parts{Part{"Login", title_weight}, Part{"crash", body_weight}};
    CHECK(document(scope, parts) == "'1y.login':1A '1y.crash':12B ");
    CHECK(body("").empty());
    CHECK(document(core::ScopeId{71}, parts).starts_with("'1z."));
}

TEST_CASE("a document stays within the limits of tsvector")
{
    auto const many = body(repeated("a ", 20'000));
    CHECK(many.find(":16383B") != std::string::npos);
    CHECK(many.find(":16384B") == std::string::npos);
    CHECK(many.ends_with("'1y.a':3617B "));

    auto const tokens = tokens_of(repeated("x", 20'000));
    REQUIRE(tokens.size() == 1);
    CHECK(tokens[0].text.size() <= 255);
    CHECK(tokens[0].length == 20'000);
    for (std::string const letter : {"ж", "😀x", "ﷺ", "e\u0301"}) {
        for (auto const& token : tokens_of(repeated(letter, 5'000)))
            CHECK(token.text.size() <= 255);
    }

    std::string characters;
    for (int i = 0; i < 20'000; ++i)
        characters += {static_cast<char>(0xF0), static_cast<char>(0xA0 + i / 4096 % 16),
            static_cast<char>(0x80 + i / 64 % 64), static_cast<char>(0x80 + i % 64)};
    CHECK(body(characters).size() < 1'600'000);
    CHECK(body(repeated("\u0301\u0316", 10'000)).empty());
}

TEST_CASE("bytes that are not UTF-8 separate words")
{
    CHECK(words("a\xFFz \xC3") == "a z");
    CHECK(parse_query("\xE6\x9D").empty());
}

TEST_CASE("a query contains every word as a prefix")
{
    CHECK(parsed("Export café") == "(('export':*)) AND (('cafe':*))");
    CHECK(parsed("  ").empty());
    CHECK(parsed("🎉 !!").empty());
    CHECK(parsed("e-mail") == "(('e' <1> 'mail':*))");
}

TEST_CASE("quotes make a phrase, a minus excludes, `or` joins alternatives")
{
    CHECK(parsed("\"two words\"") == "(('two' <1> 'words'))");
    CHECK(parsed("“two words”") == "(('two' <1> 'words'))");
    CHECK(parsed("a -b") == "(('a':*)) AND -(('b':*))");
    CHECK(parsed("-\"b c\" a") == "(('a':*)) AND -(('b' <1> 'c'))");
    CHECK(parsed("a or b c") == "(('a':*) | ('b':*)) AND (('c':*))");
    CHECK(parsed("a OR b or c") == "(('a':*) | ('b':*) | ('c':*))");
    CHECK(parsed("or a") == "(('or':*)) AND (('a':*))");
    CHECK(parsed("a or") == "(('a':*)) AND (('or':*))");
    CHECK(parsed("\"unclosed quote") == "(('unclosed' <1> 'quote'))");
    CHECK(parsed("a\"b\"") == "(('a':*)) AND (('b'))");
    CHECK(parsed("\"\" - -- a") == "(('a':*))");
}

TEST_CASE("characters of scripts without spaces are searched as pairs")
{
    CHECK(parsed("東") == "(('東'))");
    CHECK(parsed("東京") == "(('東京'))");
    CHECK(parsed("東京都庁") == "(('東京' <1> '京都' <1> '都庁'))");
    CHECK(parsed("iPhoneを使う") == "(('iphone' <1> 'を使' <1> '使う'))");
    CHECK(parsed("使う7") == "(('使う' <2> '7':*))");
    CHECK(parsed("東京　大阪") == "(('東京')) AND (('大阪'))");
}

TEST_CASE("text of a user is never syntax of tsquery")
{
    for (std::string const text : {"'", "a'b", "a\\", "a\\'b", "!a", "a & | ! b", "(a", "a)", "a:*", "a:A",
             "a<->b", "<2>", "':*", "a' | 'b", "--", "%", "\t\r\n", "\"'\"", "a\u0000b"}) {
        auto const query = parse_query(text);
        for (auto const& term : query.required) {
            auto const sql = tsquery(scope, term);
            CAPTURE(text, sql);
            CHECK(sql.find_first_not_of("ab12345yA '<>():*|.") == std::string::npos);
            CHECK(std::ranges::count(sql, '\'') % 2 == 0);
        }
    }
}

TEST_CASE("the terms of a query are limited")
{
    CHECK(parse_query(repeated("word ", 100)).required.size() == max_terms);
    auto const long_run = parse_query(repeated("東", 500));
    REQUIRE(long_run.required.size() == 1);
    CHECK(long_run.required[0][0].tokens.size() == max_tokens);
}

TEST_CASE("highlights are the matches in code points of the text")
{
    auto const found = [](std::string_view query, std::string_view text, std::size_t limit = 20) {
        std::vector<std::pair<std::size_t, std::size_t>> places;
        for (auto const& highlight : highlights(parse_query(query), text, limit))
            places.emplace_back(highlight.start, highlight.length);
        return places;
    };
    using Places = std::vector<std::pair<std::size_t, std::size_t>>;
    CHECK(found("cafe", "Two Cafés") == Places{{4, 5}});
    CHECK(found("cafe", "Two cafe\u0301s!") == Places{{4, 6}});
    CHECK(found("crash", "🎉 crash, 🎉 crashes") == Places{{2, 5}, {11, 7}});
    CHECK(found("京都", "東京都庁") == Places{{1, 2}});
    CHECK(found("京", "東京 京") == Places{{1, 1}, {3, 1}});
    CHECK(found("\"dark mode\"", "Mode dark. Dark  mode") == Places{{11, 10}});
    CHECK(found("dark or light -mode", "light mode, dark") == Places{{0, 5}, {12, 4}});
    CHECK(found("a", repeated("a ", 100), 20).size() == 20);
    CHECK(found("x", "nothing").empty());
    CHECK(found("", "nothing").empty());
}

TEST_CASE("the work for highlights is limited")
{
    std::string text, query("\"");
    for (int i = 0; i < 20'000; ++i)
        text += "a ";
    for (int i = 0; i < 100; ++i)
        query += "a ";
    auto const found = highlights(parse_query(query + "b\""), text + query.substr(1) + "b", 100);
    CHECK(found.empty()); // the match is at the end
    CHECK(highlights(parse_query("a"), text, 30'000).size() == 20'000);
}

TEST_CASE("similarity is the share of common words")
{
    CHECK(similarity("Dark mode", "dark MODE!") == 1);
    CHECK(similarity("Dark mode", "Light") == 0);
    CHECK(similarity("", "") == 0);
    CHECK(similarity("dark mode", "dark theme") == Approx(0.5));
    CHECK(similarity("検索画面", "検索画面が遅い") > 0.5);

    std::vector<Similar> candidates(3);
    candidates[0].title = "Something else";
    candidates[0].rank = 0.6;
    candidates[1].title = "Dark mode";
    candidates[2].title = "Dark mode for the app";
    auto const best = most_similar(candidates, "dark mode", 2);
    REQUIRE(best.size() == 2);
    CHECK(best[0].title == "Dark mode");
    CHECK(best[0].score == 1);
    CHECK(best[1].title == "Dark mode for the app");
    CHECK(best[1].score < 1);
}
