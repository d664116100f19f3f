#include "pg/database.hpp"
#include "pg/row.hpp"
#include "storage/suppressions.hpp"
#include "texting.hpp"

using namespace texting;

namespace {

/// A message of a phone to the shared sender, as Twilio posts it.
http::Form message(std::string const& text, std::string const& type = {}, std::string const& phone = number)
{
    http::Form form{{"AccountSid", TwilioServer::account_sid}, {"ApiVersion", "2010-04-01"}, {"Body", text},
        {"From", phone}, {"FromCountry", "US"}, {"MessageSid", sid(7)}, {"NumMedia", "0"},
        {"SmsStatus", "received"}, {"To", TwilioServer::from}};
    if (!type.empty()) form.emplace_back("OptOutType", type);
    return form;
}

core::ScopeId scope_of(World const& world, std::string const& tenant)
{
    return core::ScopeId{std::stoll(world.scope_id(tenant))};
}

void insert(World const& world, std::string const& tenant, std::string const& channel,
    std::string const& address, bool hashed = false)
{
    world.postgres.query(
        "INSERT INTO suppressions (scope_id, channel, address, hashed, reason, created_at) VALUES (" +
        world.scope_id(tenant) + ", '" + channel + "', '" + address + "', " + (hashed ? "true" : "false") +
        ", '21610', now())");
}

void suppress(World const& world, std::string const& tenant, std::string const& address = number)
{
    insert(world, tenant, "sms", address);
}

/// Suppresses a number as the erasure of its user leaves it.
void suppress_hash(World const& world, std::string const& tenant, std::string const& address = number)
{
    insert(world, tenant, "sms",
        notify::suppressions::hash_of(scope_of(world, tenant), notify::Channel::sms, address), true);
}

/// The number of suppressions in all environments.
std::string left(World const& world)
{
    return world.postgres.query("SELECT count(*) FROM suppressions");
}

} // namespace

TEST_CASE("START lifts the suppressions of the number in every environment", "[sms]")
{
    Fixture f;
    auto const [text_of_message, type] = GENERATE(
        table<char const*, char const*>({{"START", ""}, {" unstop ", ""}, {"Yes", ""}, {"hi", "START"}}));
    CAPTURE(text_of_message, type);
    for (auto const* tenant : {"demo", "demo-sandbox", "other"})
        suppress(f.world, tenant);
    suppress_hash(f.world, "other-sandbox");
    auto const refused = f.send();
    REQUIRE(f.world.becomes(refused, "failed"));
    REQUIRE(text(f.world.notification(refused), "failureReason") == "SUPPRESSED");
    CHECK(call_back(f.world, public_address, message(text_of_message, type)) == 200);
    CHECK(left(f.world) == "0");
    CHECK(f.world.becomes(f.send(), "sent"));
}

TEST_CASE("START lifts only suppressions of text messages to its number", "[sms]")
{
    Fixture f;
    suppress(f.world, "demo", "+14155550101");
    suppress_hash(f.world, "demo", "+14155550101");
    insert(f.world, "demo", "push", number);
    insert(f.world, "demo", "sms",
        notify::suppressions::hash_of(scope_of(f.world, "other"), notify::Channel::sms, number), true);
    CHECK(call_back(f.world, public_address, message("START")) == 200);
    CHECK(left(f.world) == "4");
}

TEST_CASE("other messages to the sender lift nothing", "[sms]")
{
    Fixture f;
    suppress(f.world, "demo");
    for (auto const* text : {"STOP", "HELP", "Start now", "", "unsubscribe"})
        CHECK(call_back(f.world, public_address, message(text)) == 200);
    CHECK(call_back(f.world, public_address, message("START", "STOP")) == 200);
    for (auto const* phone : {"", "TWILIO", "12345", "+1", "%"})
        CHECK(call_back(f.world, public_address, message("START", "", phone)) == 200);
    auto report = status_form(sid(1), "delivered");
    report.emplace_back("Body", "START");
    CHECK(call_back(f.world, public_address, report) == 204);
    CHECK(left(f.world) == "1");
}

TEST_CASE("START is obeyed only with Twilio's signature, and may be repeated", "[sms]")
{
    Fixture f;
    suppress(f.world, "demo");
    auto const start = message("START");
    CHECK(call_back(f.world, public_address, start, "") == 401);
    CHECK(call_back(f.world, public_address, start,
              twilio::sign(core::Secret("another"), public_address, start)) == 401);
    CHECK(call_back(f.world, public_address, start,
              twilio::sign(core::Secret(TwilioServer::auth_token), public_address, message("HELP"))) == 401);
    CHECK(left(f.world) == "1");
    for (int i = 0; i < 3; ++i)
        CHECK(call_back(f.world, public_address, start) == 200);
    CHECK(left(f.world) == "0");
}

TEST_CASE("only the service may lift suppressions of all scopes, of one number at a time", "[sms]")
{
    Fixture f;
    auto const ask = [&](std::string const& sql) { return f.world.postgres.query(sql); };
    CHECK(ask("SELECT count(*) FROM pg_proc p, aclexplode(p.proacl) a "
              "WHERE p.proname = 'lift_sms_suppressions' AND a.grantee = 0") == "0");
    CHECK(ask("SELECT has_function_privilege('" + f.world.postgres.service_role() +
              "', 'lift_sms_suppressions(text)', 'EXECUTE')") == "t");
    suppress(f.world, "demo");
    suppress(f.world, "other");
    pg::Database service({.url = f.world.postgres.service_url(), .threads = 1});
    pg::Database owner({.url = f.world.postgres.owner_url(), .threads = 1});
    auto const count = [](pg::Tx& tx) {
        return pg::RowReader(tx.run("SELECT count(*) FROM suppressions")[0]).integer();
    };
    auto const lift = [](pg::Tx& tx, std::string const& phone) {
        return pg::RowReader(tx.run("SELECT lift_sms_suppressions($1)", {phone})[0]).integer();
    };
    for (auto const* phone : {"", "%", "+", "+1415555010", "14155550100"})
        CHECK(service.transact_blocking({}, [&](pg::Tx& tx) { return lift(tx, phone); }) == 0);
    CHECK(left(f.world) == "2");
    // Neither the service nor the owner sees suppressions of other scopes, not even after a call.
    service.transact_blocking({}, [&](pg::Tx& tx) {
        lift(tx, "+14155550199");
        CHECK(count(tx) == 0);
        tx.run("SELECT set_config('app.lifted_number', $1, true)", {std::string(number)});
        CHECK(count(tx) == 0);
    });
    owner.transact_blocking({}, [&](pg::Tx& tx) {
        CHECK(count(tx) == 0);
        lift(tx, "+14155550199");
        CHECK(count(tx) == 0);
    });
    CHECK(service.transact_blocking({}, [&](pg::Tx& tx) { return lift(tx, number); }) == 2);
    CHECK(left(f.world) == "0");
}

TEST_CASE("START finds a number in many suppressions by an index", "[sms]")
{
    Fixture f;
    f.world.postgres.query(R"(
        INSERT INTO suppressions (scope_id, channel, address, reason, created_at)
        SELECT 2 + n % 4, 'sms', '+1' || (2000000000 + n), '21610', now()
        FROM generate_series(1, 30000) AS n;
        ANALYZE suppressions)");
    auto const plan = f.world.postgres.query(R"(
        EXPLAIN (FORMAT JSON)
        DELETE FROM suppressions
        WHERE channel = 'sms' AND address = '+12000000007' AND NOT hashed)");
    INFO(plan);
    CHECK(plan.find("\"suppressions_by_number\"") != std::string::npos);
}
