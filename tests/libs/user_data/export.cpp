#include "user_data/export.hpp"

#include "support.hpp"

#include <catch2/catch.hpp>

namespace {

/// Reads the whole export; returns its pieces.
std::vector<std::string> pieces_of(Fixture& f, std::string const& user_id = "ada")
{
    auto const next = f.users.export_stream(f.scope, core::UserId(user_id));
    std::vector<std::string> pieces;
    for (auto piece = testing::run_awaitable(next()); !piece.empty(); piece = testing::run_awaitable(next()))
        pieces.push_back(std::move(piece));
    return pieces;
}

} // namespace

TEST_CASE("an export is produced page by page, part by part")
{
    Fixture f;
    f.users.add_part(export_notes);
    f.users.add_part([](pg::Tx&, core::Scope const&, core::UserId const&, std::string const&) {
        return user_data::ExportPage(); // empty, and not the end of the export
    });
    f.users.add_part(
        [](pg::Tx&, core::Scope const&, core::UserId const& user_id, std::string const& position) {
            CHECK(position.empty());
            user_data::ExportPage page;
            page.add("profile", R"({"userId":")" + user_id.text() + "\"}");
            return page;
        });
    f.write("ada", 5);
    f.write("bob", 1);
    f.write("ada", 1, f.sandbox);
    CHECK(
        pieces_of(f) ==
        std::vector<std::string>{"{\"type\":\"note\",\"text\":\"n1\"}\n{\"type\":\"note\",\"text\":\"n2\"}\n",
            "{\"type\":\"note\",\"text\":\"n3\"}\n{\"type\":\"note\",\"text\":\"n4\"}\n",
            "{\"type\":\"note\",\"text\":\"n5\"}\n", "{\"type\":\"profile\",\"userId\":\"ada\"}\n"});
    CHECK(
        pieces_of(f, "nobody") == std::vector<std::string>{"{\"type\":\"profile\",\"userId\":\"nobody\"}\n"});
}

TEST_CASE("an export goes on after an empty page that is not the last one of its part")
{
    Fixture f;
    f.users.add_part([](pg::Tx&, core::Scope const&, core::UserId const&, std::string const& position) {
        user_data::ExportPage page;
        if (position.empty())
            page.next = "2";
        else
            page.add("note", R"({"text":"x"})");
        return page;
    });
    CHECK(pieces_of(f) == std::vector<std::string>{"{\"type\":\"note\",\"text\":\"x\"}\n"});
}

TEST_CASE("the parts of an export see only the rows of its environment, unless they need both")
{
    bool const both = GENERATE(false, true);
    CAPTURE(both);
    Fixture f;
    if (both) f.users.show_both_environments();
    f.users.add_part([](pg::Tx& tx, core::Scope const&, core::UserId const&, std::string const&) {
        user_data::ExportPage page;
        for (std::size_t i = 0; i < tx.run("SELECT FROM notes").size(); ++i)
            page.add("note", R"({"text":"x"})");
        return page;
    });
    f.write("ada", 1);
    f.write("ada", 1, f.sandbox);
    std::string const line = "{\"type\":\"note\",\"text\":\"x\"}\n";
    CHECK(pieces_of(f) == std::vector<std::string>{both ? line + line : line});
}
