#include "emails.hpp"
#include "factors.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <sstream>

// The tokens in emails: what they permit, how long, and where they are stored.

namespace {

namespace json = boost::json;

/// All rows of all tables, as text.
std::string everything_in(testing::Postgres const& postgres)
{
    std::istringstream tables(postgres.query(R"(
        SELECT string_agg(table_name, ',')
        FROM information_schema.tables
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE')"));
    std::string rows;
    for (std::string table; std::getline(tables, table, ',');)
        rows +=
            postgres.query("SELECT coalesce(string_agg(t::text, E'\\n'), '') FROM " + table + " t") + '\n';
    return rows;
}

} // namespace

TEST_CASE("a token works once, for its own purpose and in its own scope", "[email]")
{
    World const world;
    auto ada = world.new_account(), bob = world.new_account();
    auto const reverting = change_email(world, bob, World::new_email());

    struct Kind {
        char const* name;
        std::string token;
        char const* path;
        unsigned success;
    };

    auto const new_email = World::new_email();
    std::vector<Kind> const kinds{
        {"confirm", confirmation_token(world, ada, new_email), "/v1/auth/email/confirm", 200},
        {"revert", reverting, "/v1/auth/email/revert", 200},
        {"invitation", invite(world, World::new_email()), "/v1/auth/invitations/accept", 201},
        {"verification", token_of(world, world.new_account().email, verification), "/v1/auth/email/verify",
            200},
        {"reset", reset_token(world, world.new_account().email), "/v1/auth/password/reset", 200},
    };
    auto const use = [&](char const* path, std::string const& token, char const* tenant = "demo-sandbox") {
        json::object document{{"token", token}};
        if (path == std::string_view("/v1/auth/invitations/accept")) document["password"] = new_password;
        if (path == std::string_view("/v1/auth/password/reset")) document["newPassword"] = new_password;
        return post(world, path, document, tenant);
    };
    for (auto const& kind : kinds) {
        INFO(kind.name);
        auto other = kind.token;
        other[0] = other[0] == 'A' ? 'B' : 'A';
        for (auto const& wrong : {other, kind.token + "=", kind.token.substr(1), std::string("x"),
                 std::string(128, 'A'), std::string("\xc3\xa9")})
            CHECK(outcome(use(kind.path, wrong)) == token_expired);
        CHECK(outcome(use(kind.path, "")) == "400 VALIDATION_ERROR");
        CHECK(outcome(use(kind.path, std::string(129, 'A'))) == "400 VALIDATION_ERROR");
        for (auto const& purpose : kinds) {
            if (purpose.path != kind.path) CHECK(outcome(use(purpose.path, kind.token)) == token_expired);
        }
        for (auto const* tenant : {"demo", "other-sandbox", "other"})
            CHECK(outcome(use(kind.path, kind.token, tenant)) == token_expired);
    }
    for (auto const& kind : kinds) { // none of the attempts used the token up
        INFO(kind.name);
        CHECK(use(kind.path, kind.token).status == kind.success);
        CHECK(outcome(use(kind.path, kind.token)) == token_expired);
    }
}

TEST_CASE("a reset or a verification withdraws the other tokens of its kind", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const first = reset_token(world, ada.email), second = reset_token(world, ada.email);
    auto const verifying = token_of(world, ada.email, verification);
    REQUIRE(reset(world, second).status == 200);
    CHECK(outcome(reset(world, first)) == token_expired);
    CHECK(outcome(post(world, "/v1/auth/email/verify", {{"token", verifying}})) == token_expired);

    // A change of the password withdraws the resets too.
    Account changed = ada;
    changed.password = new_password;
    changed.take(world.login(changed));
    auto const third = reset_token(world, ada.email);
    REQUIRE(world.as(changed)
                .post("/v1/auth/password",
                    body({{"currentPassword", new_password}, {"newPassword", "amber canyon whistle"}}))
                .status == 200);
    CHECK(outcome(reset(world, third)) == token_expired);
}

TEST_CASE("a reset works only while the account has the address to which its token was sent", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const token = reset_token(world, ada.email);
    auto const moved = World::new_email();
    auto const set_email = [&](std::string const& email) {
        world.postgres.query("UPDATE users SET email = '" + email + "', email_key = '" + email +
                             "' WHERE user_id = '" + ada.user_id + "'");
    };
    set_email(moved);
    CHECK(outcome(reset(world, token)) == token_expired);
    CHECK(log_in(world, moved, World::password).status == 200);
    CHECK(log_in(world, moved, new_password).status == 401);
    auto const later = reset_token(world, moved);
    CHECK(reset(world, later).status == 200);
    CHECK(log_in(world, moved, new_password).status == 200);
}

TEST_CASE("a token is valid for its lifetime and no longer", "[email]")
{
    World const world;

    struct Kind {
        char const* name;
        core::Time::duration lifetime;
        std::function<std::string()> mail; ///< the token of a new email
        std::function<testing::HttpResponse(std::string const&)> use;
    };

    auto const confirm = [&](std::string const& token) {
        return post(world, "/v1/auth/email/confirm", {{"token", token}});
    };
    std::vector<Kind> const kinds{
        {"reset", 30min, [&] { return reset_token(world, world.new_account().email); },
            [&](std::string const& token) { return reset(world, token); }},
        {"confirm", 30min, [&] { return confirmation_token(world, world.new_account(), World::new_email()); },
            confirm},
        {"verification", std::chrono::days(7),
            [&] { return token_of(world, world.new_account().email, verification); },
            [&](std::string const& token) {
                return post(world, "/v1/auth/email/verify", {{"token", token}});
            }},
        {"invitation", std::chrono::days(7), [&] { return invite(world, World::new_email()); },
            [&](std::string const& token) { return accept(world, token); }},
        {"revert", 72h,
            [&] {
                auto ada = world.new_account();
                return change_email(world, ada, World::new_email());
            },
            [&](std::string const& token) {
                return post(world, "/v1/auth/email/revert", {{"token", token}});
            }},
    };
    for (auto const& kind : kinds) {
        INFO(kind.name);
        auto const used = kind.mail(), late = kind.mail();
        world.clock.advance(kind.lifetime - 1ms);
        CHECK(kind.use(used).status < 300);
        world.clock.advance(1ms);
        CHECK(outcome(kind.use(late)) == token_expired);
    }
}

TEST_CASE("tokens of emails are neither in the database nor in the log", "[email]")
{
    World world;
    auto ada = world.new_account();
    auto const old_email = ada.email, new_email = World::new_email(), invited = World::new_email();
    std::vector<std::string> tokens{change_email(world, ada, new_email)};
    std::string stored;
    {
        HeldOutbox const held(world); // the emails are in the database while they wait
        REQUIRE(forgot(world, new_email).status == 202);
        REQUIRE(ask_to_change(world, ada, World::new_email()).status == 202);
        REQUIRE(world.as_master().post("/v1/members", body({{"email", invited}, {"invite", true}})).status ==
                201);
        held.await_attempts(3);
        CHECK(world.postgres.query("SELECT count(*) FROM mails") == "3");
        CHECK(world.postgres.query("SELECT count(*) FROM email_tokens") == "4");
        stored = everything_in(world.postgres);
    }
    world.clock.advance(1min);
    settle(world);
    tokens.push_back(token_of(world, old_email, verification));
    tokens.push_back(token_of(world, new_email, password_reset));
    tokens.push_back(token_of(world, invited, invitation));
    REQUIRE(reset(world, tokens[2]).status == 200);
    REQUIRE(accept(world, tokens[3]).status == 201);
    CHECK(reset(world, tokens[0]).status == 410);
    CHECK(post(world, "/v1/auth/email/verify", {{"token", tokens[1]}}).status == 410);
    REQUIRE(post(world, "/v1/auth/email/revert", {{"token", tokens[0]}}).status == 200);
    stored += everything_in(world.postgres);
    auto const log = world.logged();
    CHECK(stored.find(new_email) != std::string::npos); // it contains the rows
    CHECK(log.find("/v1/auth/password/reset") != std::string::npos);
    for (auto const& token : tokens) {
        CHECK(token.size() == 43);
        CHECK(stored.find(token) == std::string::npos);
        CHECK(log.find(token) == std::string::npos);
    }
    for (auto const& email : {old_email, new_email, invited})
        CHECK(log.find(email) == std::string::npos);
}
