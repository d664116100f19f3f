#include "factors.hpp"
#include "smtp_server.hpp"
#include "support/eventually.hpp"
#include "support/program.hpp"
#include "tokens/email_tokens.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <regex>

// The delivery of emails while Redis, PostgreSQL or the mail server fails, and after a crash of the program.

namespace {

std::map<std::string, std::string> smtp_at(int port)
{
    return {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", "smtp://localhost:" + std::to_string(port)},
        {"EMAIL_FROM", "Demo <accounts@demo.example>"}};
}

/// The token in a message that the mail server has received.
std::string token_in(boost::json::object const& mail)
{
    std::string const lines(mail.at("text").as_string());
    std::smatch found;
    REQUIRE(std::regex_search(lines, found, std::regex("(?:^|\n)([A-Za-z0-9_-]{43})(?:\n|$)")));
    return found[1];
}

testing::HttpResponse post(World const& world, std::string const& path, boost::json::object const& document)
{
    return world.client().post(path, body(document));
}

std::string waiting(World const& world)
{
    return world.postgres.query("SELECT count(*) FROM mails");
}

/// Waits until the only email that waits was tried in vain.
void await_failure(World const& world)
{
    REQUIRE(testing::eventually([&] {
        return world.postgres.query("SELECT attempts > 0 AND lease_owner IS NULL FROM jobs WHERE queue = "
                                    "'mails'") == "t";
    }));
}

/// Repeats failed attempts until no email waits.
void let_all_out(World const& world)
{
    REQUIRE(testing::eventually([&] {
        world.clock.advance(1min);
        return waiting(world) == "0";
    }));
}

/// The program, which takes over the data of a World whose own service has stopped.
struct Program : testing::Program {
    Program(World const& world, std::map<std::string, std::string> const& mail)
        : testing::Program(AUTH_MFA_PROGRAM, variables_of(world, mail))
    {
    }

    static testing::Variables variables_of(World const& world, std::map<std::string, std::string> const& mail)
    {
        auto variables = world.variables();
        variables["SMS_PROVIDER"] = "outbox";
        variables["SMS_OUTBOX"] = world.directory.path() + "/sms-of-program";
        variables["SMS_BRAND_PROVIDER"] = World::provider;
        for (auto const& [name, value] : mail)
            variables[name] = value;
        return variables;
    }

    testing::HttpResponse post(std::string const& path, boost::json::object const& document) const
    {
        return client("").post(path, body(document));
    }
};

} // namespace

TEST_CASE("without Redis no email can be requested", "[faults]")
{
    World world;
    auto const ada = world.new_account();
    world.verify_email(ada);
    auto const bob = world.new_account();
    world.token_mailed_to(bob.email, "Confirm your email address");
    auto const requests = [&] {
        return std::vector{post(world, "/v1/auth/password/forgot", {{"email", ada.email}}),
            post(world, "/v1/auth/email/verification", {{"email", bob.email}}),
            world.as(bob).post("/v1/auth/email/verification", "{}"),
            world.as(ada).post("/v1/auth/email", body({{"newEmail", World::new_email()}}))};
    };
    bool const away = GENERATE(true, false);
    INFO((away ? "away" : "hung"));
    if (away)
        world.redis.stop();
    else
        world.redis.pause();
    for (auto const& r : requests()) {
        CHECK(outcome(r) == unavailable);
        CHECK_FALSE(r.header("retry-after").empty());
    }
    CHECK(waiting(world) == "0");
    CHECK(world.mails_to(ada.email).size() + world.mails_to(bob.email).size() == 2);
    // Tokens that were sent before still work.
    CHECK(post(world, "/v1/auth/password/reset", {{"token", "x"}, {"newPassword", World::password}}).status ==
          410);

    if (away)
        world.redis.start();
    else
        world.redis.resume();
    CHECK(testing::eventually(
        [&] { return post(world, "/v1/auth/password/forgot", {{"email", ada.email}}).status == 202; }));
    world.token_mailed_to(ada.email, "Reset your");
}

TEST_CASE(
    "without PostgreSQL no email can be requested and no token used, and nothing is counted", "[faults]")
{
    World world;
    auto const ada = world.new_account();
    auto const token = world.token_mailed_to(ada.email, "Confirm your email address");
    world.postgres.stop();
    auto const check = [&](testing::HttpResponse const& r) {
        CHECK(outcome(r) == unavailable);
        CHECK_FALSE(r.header("retry-after").empty());
    };
    for (int i = 0; i < 4; ++i)
        check(post(world, "/v1/auth/password/forgot", {{"email", ada.email}}));
    check(post(world, "/v1/auth/email/verification", {{"email", ada.email}}));
    check(world.as(ada).post("/v1/auth/email/verification", "{}"));
    check(world.as(ada).post("/v1/auth/email", body({{"newEmail", World::new_email()}})));
    check(post(world, "/v1/auth/email/verify", {{"token", token}}));
    check(post(world, "/v1/auth/email/confirm", {{"token", token}}));
    check(post(world, "/v1/auth/email/revert", {{"token", token}}));
    check(post(world, "/v1/auth/password/reset", {{"token", token}, {"newPassword", World::password}}));
    check(post(world, "/v1/auth/invitations/accept", {{"token", token}, {"password", World::password}}));
    world.postgres.start();

    REQUIRE(testing::eventually(
        [&] { return post(world, "/v1/auth/email/verify", {{"token", token}}).status == 200; }));
    CHECK(waiting(world) == "0");
    for (int i = 0; i < 4; ++i)
        CHECK(post(world, "/v1/auth/password/forgot", {{"email", ada.email}}).status == 202);
    REQUIRE(testing::eventually([&] { return waiting(world) == "0"; }));
    CHECK(world.mails_to(ada.email).size() == 4); // the verification, and three of these
}

TEST_CASE("EMAIL_FROM is the sender of emails", "[faults]")
{
    testing::SmtpServer const server;
    World const world({.environment = smtp_at(server.port())});
    auto const ada = world.new_account();
    auto const mails = server.mails(1);
    CHECK(text(mails[0].at("envelope"), "from") == "accounts@demo.example");
    REQUIRE(mails[0].at("from").as_array().size() == 1);
    CHECK(text(mails[0].at("from").at(0), "address") == "accounts@demo.example");
    CHECK(text(mails[0].at("from").at(0), "name") == "Demo");
    CHECK(text(mails[0].at("to").at(0), "address") == ada.email);
}

TEST_CASE("a mail server that is down delays an email, which then arrives once", "[faults]")
{
    auto const port = testing::free_port();
    World const world({.environment = smtp_at(port)});
    auto const ada = world.new_account(); // does not wait for the mail server
    await_failure(world);
    world.clock.advance(std::chrono::days(1)); // the next attempt fails, too
    REQUIRE(testing::eventually([&] {
        return world.postgres.query("SELECT attempts > 1 AND lease_owner IS NULL FROM jobs WHERE queue = "
                                    "'mails'") == "t";
    }));
    CHECK(waiting(world) == "1");
    auto const stored = world.postgres.query("SELECT token_hash FROM email_tokens");
    CHECK(stored.size() == 64);

    testing::SmtpServer const server({{"port", port}});
    let_all_out(world);
    auto const mails = server.mails(1);
    CHECK(mails[0].at("envelope").at("to").at(0) == boost::json::value(ada.email));
    auto const token = token_in(mails[0]);
    CHECK(auth_mfa::EmailTokens::hash(token) == stored); // each attempt has the same token
    // The delay does not shorten the token's lifetime.
    world.clock.advance(std::chrono::days(7) - 30min);
    CHECK(post(world, "/v1/auth/email/verify", {{"token", token}}).status == 200);
    CHECK(server.mails().size() == 1);
    CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'mails'") == "0");
}

TEST_CASE(
    "an email that the server may have received is repeated with the same token and Message-ID", "[faults]")
{
    testing::SmtpServer const server;
    World const world({.environment = smtp_at(server.port())});
    // The server receives this message, and closes the connection without a response.
    auto const email = "vanish@example.com";
    REQUIRE(
        post(world, "/v1/auth/register", {{"email", email}, {"password", World::password}}).status == 201);
    await_failure(world);
    world.clock.advance(1min);
    REQUIRE(testing::eventually([&] { return server.mails().size() >= 2; }));
    auto const mails = server.mails();
    CHECK(mails[0].at("messageId") == mails[1].at("messageId"));
    CHECK(mails[0].at("raw") == mails[1].at("raw"));
    // When the token is used, nothing is repeated any more.
    REQUIRE(post(world, "/v1/auth/email/verify", {{"token", token_in(mails[0])}}).status == 200);
    let_all_out(world);
    CHECK(world.postgres.query("SELECT count(*) FROM email_tokens") == "0");
}

TEST_CASE("an address that the mail server refuses is given up, and other emails are sent", "[faults]")
{
    testing::SmtpServer const server;
    World world({.environment = smtp_at(server.port())});
    auto const refused = "refuse-550-5.1.1@example.com";
    REQUIRE(
        post(world, "/v1/auth/register", {{"email", refused}, {"password", World::password}}).status == 201);
    auto const ada = world.new_account();
    REQUIRE(testing::eventually([&] { return waiting(world) == "0"; }));
    CHECK(server.mails(1)[0].at("envelope").at("to").at(0) == boost::json::value(ada.email));
    auto const log = world.logged();
    CHECK(log.find("an email could not be sent") != std::string::npos);
    CHECK(log.find("@example.com") == std::string::npos);
}

TEST_CASE("an email is sent after kill -9 between the change and the email", "[faults]")
{
    auto const port = testing::free_port();
    World world({.environment = smtp_at(port)});
    world.host->stop();
    auto const email = World::new_email();
    bool const tried = GENERATE(true, false);
    INFO(tried);
    {
        Program program(world, smtp_at(port));
        REQUIRE(program.post("/v1/auth/register", {{"email", email}, {"password", World::password}}).status ==
                201);
        if (tried) await_failure(world);
        program.kill();
    }
    CHECK(waiting(world) == "1");
    // Otherwise the next program would wait for the end of the dead program's lease.
    world.postgres.query("UPDATE jobs SET run_at = jobs_now(), lease_owner = NULL WHERE queue = 'mails'");
    testing::SmtpServer const server({{"port", port}});
    Program const program(world, smtp_at(port));
    auto const mails = server.mails(1);
    auto const token = token_in(mails[0]);
    CHECK(program.post("/v1/auth/email/verify", {{"token", token}}).status == 200);
    CHECK(testing::eventually([&] { return waiting(world) == "0"; }));
}

TEST_CASE("kill -9 while an email is sent repeats it with the same token", "[faults]")
{
    testing::SmtpServer const server;
    World world({.environment = smtp_at(server.port())});
    world.host->stop();
    auto const email = "hang@example.com"; // the server receives the message and never responds
    {
        Program program(world, smtp_at(server.port()));
        REQUIRE(program.post("/v1/auth/register", {{"email", email}, {"password", World::password}}).status ==
                201);
        REQUIRE(testing::eventually([&] { return server.mails().size() == 1; }));
        program.kill();
    }
    CHECK(waiting(world) == "1");
    world.postgres.query("UPDATE jobs SET run_at = jobs_now(), lease_owner = NULL WHERE queue = 'mails'");
    Program const program(world, smtp_at(server.port()));
    REQUIRE(testing::eventually([&] { return server.mails().size() == 2; }));
    auto const mails = server.mails();
    CHECK(mails[0].at("messageId") == mails[1].at("messageId"));
    CHECK(token_in(mails[0]) == token_in(mails[1]));
    CHECK(program.post("/v1/auth/email/verify", {{"token", token_in(mails[1])}}).status == 200);
}
