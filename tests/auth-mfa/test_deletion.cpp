#include "account_rows.hpp"
#include "emails.hpp"
#include "factors.hpp"
#include "identity_provider.hpp"
#include "passkeys.hpp"
#include "receiver.hpp"
#include "support/eventually.hpp"
#include "support/held_scope.hpp"
#include "support/user_markers.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <algorithm>
#include <array>
#include <thread>

namespace {

namespace json = boost::json;

testing::HttpResponse delete_me(World const& world, Account const& account)
{
    return world.as(account).del("/v1/auth/me");
}

testing::HttpResponse delete_member(World const& world, Account const& account)
{
    return world.as_master().del("/v1/members/" + account.user_id);
}

testing::HttpResponse delete_by(World const& world, Account const& caller, Account const& account)
{
    return world.as(caller).del("/v1/members/" + account.user_id);
}

/// The tables with rows of the user.
std::string tables_of(World const& world, Account const& account)
{
    std::string tables;
    for (auto const* const table : {"users", "sessions", "activity", "trusted_devices", "email_tokens",
             "identities", "totp", "recovery_codes", "passkeys", "mails"})
        if (world.postgres.query("SELECT count(*) FROM " + std::string(table) + " WHERE user_id = '" +
                                 account.user_id + "'") != "0")
            tables += tables.empty() ? table : ' ' + std::string(table);
    return tables;
}

/// Locks a table against all other transactions until it is destroyed.
class LockedTable {
public:
    LockedTable(World const& world, std::string const& table)
        : connection_(world.postgres.superuser_url()), transaction_(connection_)
    {
        transaction_.exec("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
    }

private:
    pqxx::connection connection_;
    pqxx::work transaction_;
};

/// Waits until this service has nothing left to erase.
void settle_erasures(World const& world)
{
    REQUIRE(testing::eventually([&] {
        return world.postgres.query("SELECT count(*) FROM jobs WHERE queue LIKE 'erasures%'") == "0";
    }));
}

} // namespace

TEST_CASE("a user deletes the account, and every credential ends at once", "[deletion]")
{
    World const world;
    auto const ada = world.new_account();
    auto const key = world.new_key();
    auto const bob = world.new_account_with_totp();
    auto const open = world.challenged(bob); // another user's sign-in goes on
    auto const gone = delete_me(world, ada);
    REQUIRE(gone.status == 200);
    CHECK(gone.json().at("deleted") == true);
    auto const erasure_id = text(gone.json(), "erasureId");

    CHECK(error_of(world.as(ada).get("/v1/auth/me")) == "UNAUTHORIZED");
    CHECK(refresh(world, ada).status == 401);
    CHECK(error_of(world.login(ada)) == "INVALID_CREDENTIALS");
    CHECK(delete_me(world, ada).status == 401);
    CHECK(world.with(key).get("/v1/members/" + ada.user_id).status == 404);
    CHECK(world.with(key).del("/v1/members/" + ada.user_id).status == 404);
    CHECK(world.verify(open, "totp", world.totp_code(bob, 1)).status == 200);

    auto const erasure = world.with(key).get("/v1/erasures/" + erasure_id).json();
    CHECK(text(erasure, "userId") == ada.user_id);
    CHECK(erasure.at("targets").as_array().empty());
    CHECK(testing::eventually([&] {
        return !world.with(key).get("/v1/erasures/" + erasure_id).json().at("completedAt").is_null();
    }));
    // The address is free again, and the new account is another one.
    auto const again = register_with(world, ada.email);
    CHECK(again.user_id != ada.user_id);
    CHECK(world.as(again).get("/v1/auth/me").status == 200);
}

TEST_CASE("the deletion of the own account needs a recent authentication", "[deletion]")
{
    World world;
    auto const ada = world.new_account();
    auto bob = world.new_account_with_totp();
    CHECK(error_of(delete_me(world, bob)) == "REAUTHENTICATION_REQUIRED"); // opened without the factor
    world.clock.advance(301s);
    CHECK(error_of(delete_me(world, ada)) == "REAUTHENTICATION_REQUIRED");
    world.reauthenticate(bob);
    CHECK(delete_me(world, bob).status == 200);
    CHECK(world.as(ada).get("/v1/auth/me").status == 200);
}

TEST_CASE("admins and keys can delete users but not owners, and owners can delete owners", "[deletion]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const other_owner = world.new_owner();
    auto const admin = world.new_member(owner, "admin");
    auto const user = world.new_account();
    auto const key = world.new_key();
    auto const path = [](Account const& account) { return "/v1/members/" + account.user_id; };

    CHECK(world.as(user).del(path(admin)).status == 403);
    CHECK(world.as(admin).del(path(owner)).status == 403);
    CHECK(world.with(key).del(path(owner)).status == 403);
    CHECK(error_of(world.as(admin).del(path(admin))) == "FORBIDDEN"); // only with a recent authentication
    CHECK(world.as(admin).del(path(user)).status == 200);
    CHECK(world.with(key).del(path(world.new_account())).status == 200);
    CHECK(world.as(owner).del(path(other_owner)).status == 200);
    CHECK(delete_me(world, admin).status == 200);
    CHECK(world.with(key).get("/v1/auth/me").status == 403);
}

TEST_CASE("the last owner of production cannot be deleted, that of a sandbox can", "[deletion]")
{
    World const world;
    auto const owner = world.new_owner("demo");
    CHECK(error_of(delete_me(world, owner)) == "CONFLICT");
    CHECK(error_of(world.as_master("demo").del("/v1/members/" + owner.user_id)) == "CONFLICT");
    auto const other = world.new_owner("demo");
    CHECK(delete_me(world, owner).status == 200);
    CHECK(error_of(delete_me(world, other)) == "CONFLICT");

    auto const of_sandbox = world.new_owner("demo-sandbox");
    // A sandbox keeps an owner unless the account is deleted.
    CHECK(error_of(world.as_master().patch("/v1/members/" + of_sandbox.user_id, R"({"role":"user"})")) ==
          "CONFLICT");
    CHECK(delete_me(world, of_sandbox).status == 200);
}

TEST_CASE("of two owners who delete each other at the same time, one remains", "[deletion]")
{
    World const world;
    for (int round = 0; round < 5; ++round) {
        std::array const owners{world.new_owner("demo"), world.new_owner("demo")};
        // Owners of earlier rounds remain.
        auto const before = world.postgres.query("SELECT count(*) FROM users WHERE role = 'owner'");
        auto const statuses = at_once(2, [&](int n) {
            return delete_by(
                world, owners.at(static_cast<std::size_t>(n)), owners.at(1 - static_cast<std::size_t>(n)));
        });
        CHECK(statuses.at(200) == 1);
        CHECK(std::stoi(world.postgres.query("SELECT count(*) FROM users WHERE role = 'owner'")) ==
              std::stoi(before) - 1);
    }
}

TEST_CASE("an account with many rows is deleted in short transactions", "[deletion]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    auto const bob = world.new_account_with_totp();
    fill(world, ada, 1'100);
    fill(world, bob, 3);
    auto const others = tables_of(world, bob);
    REQUIRE(tables_of(world, ada) == others);
    REQUIRE(delete_member(world, ada).status == 200);
    CHECK(tables_of(world, ada).empty());
    CHECK(tables_of(world, bob) == others);
}

TEST_CASE(
    "a deletion does not wait for the account's rows, and a job deletes those that are left", "[deletion]")
{
    World const world;
    auto const ada = world.new_account();
    fill(world, ada, 10);
    std::string erasure_id;
    {
        LockedTable const held(world, "activity");
        auto const deleted = delete_member(world, ada); // gives up on the locked table
        REQUIRE(deleted.status == 200);
        erasure_id = text(deleted.json(), "erasureId");
        CHECK(error_of(world.as(ada).get("/v1/auth/me")) == "UNAUTHORIZED");
    }
    auto const erasure = [&] { return world.as_master().get("/v1/erasures/" + erasure_id).json(); };
    CHECK(erasure().at("completedAt").is_null());
    CHECK(refresh(world, ada).status == 401);
    CHECK(register_with(world, ada.email).user_id != ada.user_id);
    world.clock.advance(31s);
    CHECK(testing::eventually([&] { return !erasure().at("completedAt").is_null(); }));
    CHECK(tables_of(world, ada).empty());
}

TEST_CASE("emails that wait are not sent to a deleted user", "[deletion]")
{
    World const world;
    auto ada = world.new_account();
    world.verify_email(ada);
    auto const before = world.mails_to(ada.email).size();
    auto const new_address = World::new_email();
    {
        HeldOutbox const held(world);
        REQUIRE(forgot(world, ada.email).status == 202);
        REQUIRE(ask_to_change(world, ada, new_address).status == 202);
        held.await_attempts(2);
        REQUIRE(delete_member(world, ada).status == 200);
        CHECK(world.postgres.query("SELECT count(*) FROM mails") == "0");
    }
    world.clock.advance(1h);
    CHECK(testing::eventually(
        [&] { return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'mails'") == "0"; }));
    CHECK(world.mails_to(ada.email).size() == before);
    CHECK(world.mails_to(new_address).empty());
}

TEST_CASE("erasures are shown for 90 days, unless a service has yet to confirm", "[deletion]")
{
    World const world;
    std::array<std::string, 3> ids;
    for (auto& id : ids)
        id = text(delete_me(world, world.new_account()).json(), "erasureId");
    world.postgres.query(
        "UPDATE erasures SET requested_at = jobs_now() - interval '91 days' WHERE erasure_id <> '" + ids[0] +
        "'");
    world.postgres.query("INSERT INTO erasure_targets (scope_id, erasure_id, service) VALUES (" +
                         world.scope_id() + ", '" + ids[1] + "', 'notify')");
    world.clock.advance(25h); // the next purge
    auto const status = [&](std::size_t i) { return world.as_master().get("/v1/erasures/" + ids[i]).status; };
    CHECK(testing::eventually([&] { return status(2) == 404; }));
    CHECK(status(0) == 200);
    CHECK(status(1) == 200);
}

TEST_CASE("an erased user is named by a pseudonym in the audit log", "[deletion]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const ada = world.new_account();
    auto const deleted = delete_by(world, owner, ada);
    REQUIRE(deleted.status == 200);
    settle_erasures(world);
    auto caller = world.as(owner);
    auto const entries = all_items(caller, "/v1/audit");
    // The list of erasures would otherwise connect the pseudonym with the user.
    CHECK(json::serialize(json::array(entries.begin(), entries.end()))
              .find(text(deleted.json(), "erasureId")) == std::string::npos);
    CHECK(std::ranges::none_of(entries, [&](json::value const& entry) {
        return json::serialize(entry).find(ada.user_id) != std::string::npos;
    }));
    auto const deletion = std::ranges::find_if(
        entries, [](json::value const& entry) { return text(entry, "action") == "user.deleted"; });
    REQUIRE(deletion != entries.end());
    CHECK(text(*deletion, "actor") == owner.user_id);
    CHECK(text(*deletion, "subjectId").starts_with("deleted:"));
    auto const created = std::ranges::find_if(entries, [](json::value const& entry) {
        return text(entry, "action") == "user.created" && text(entry, "subjectId").starts_with("deleted:");
    });
    CHECK(created != entries.end());
}

TEST_CASE("nothing of a deleted user is stored except the erasure", "[deletion]")
{
    World const world;
    auto const owner = world.new_owner();
    // Deliveries of webhooks wait, because nothing listens on this port.
    REQUIRE(world.as_master().post("/v1/webhooks", R"({"url":"http://127.0.0.1:1/"})").status == 201);
    // The marker is part of every text that a user can fill. The user's id, phone and address are markers,
    // too.
    std::string const marker = "zqxmarker";
    auto client = world.client();
    client.set("User-Agent", marker);
    client.set("X-Request-Id", marker);
    Account ada{.tenant = "demo-sandbox", .email = marker + "@example.com", .password = World::password};
    auto const member =
        body({{"email", ada.email}, {"password", ada.password}, {"emailVerified", true}, {"role", "owner"}});
    REQUIRE(world.as_master().post("/v1/members", member, {{"Idempotency-Key", "ada"}}).status == 201);
    ada.take(world.login(ada, client));
    ada.user_id = text(me(world, ada), "userId");
    world.enrol_sms(ada);
    world.enrol_totp(ada);
    auto phone = new_phone_with_passkeys();
    register_passkey(world, ada, phone, marker);
    auto const trusted =
        client.post("/v1/auth/mfa/verify", body({{"mfa_token", world.challenged(ada)}, {"method", "totp"},
                                               {"code", world.totp_code(ada, 1)}, {"trustDevice", true}}));
    REQUIRE(trusted.status == 200);
    ada.take(trusted);
    REQUIRE(world.as(ada)
                .post("/v1/members", R"({"email":"friend@example.com"})", {{"Idempotency-Key", "friend"}})
                .status == 201);
    world.postgres.query(
        "INSERT INTO identities (scope_id, issuer, subject, user_id, identity_id, email) VALUES (" +
        world.scope_id() + ", 'https://id.example.com', '" + marker + "', '" + ada.user_id +
        "', gen_random_uuid(), '" + ada.email + "')");
    world.postgres.query(
        "INSERT INTO authorization_codes (scope_id, code_hash, session_id, parent_id, user_id, client_id, "
        "redirect_uri, scope, nonce, created_at, expires_at) VALUES (" +
        world.scope_id() + ", '\\x00', gen_random_uuid(), gen_random_uuid(), '" + ada.user_id +
        "', 'app', 'https://app.example.com', 'openid', '" + marker + "', now(), now())");
    HeldOutbox const held(world); // emails wait
    REQUIRE(ask_to_change(world, ada, marker + "-new@example.com").status == 202);
    REQUIRE(forgot(world, ada.email).status == 202);
    // The first attempts to send them, because these would drop emails without their details. There is no
    // second attempt while the clock stands still.
    REQUIRE(testing::eventually([&] {
        return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'mails' AND (attempts = 0 OR "
                                    "lease_owner IS NOT NULL)") == "0";
    }));
    world.postgres.query("UPDATE mails SET details = '{\"userAgent\": \"" + marker + "\"}'"); // of a notice
    // In Redis: counters of requests, wrong passwords and wrong codes, sign-ins and a reauthentication in
    // progress, and a phone that waits for its confirmation.
    CHECK(client.post("/v1/auth/login", credentials(ada.email, "a wrong password here")).status == 401);
    auto const challenge = client.post("/v1/auth/login", credentials(ada.email, ada.password));
    REQUIRE(error_of(challenge) == "mfa_required");
    for (auto const* const method : {"sms", "totp", "recovery_code"})
        client.post("/v1/auth/mfa/verify", body({{"mfa_token", text(challenge.json(), "mfa_token")},
                                               {"method", method}, {"code", "000000"}}));
    client.set("Authorization", "Bearer " + ada.access_token);
    REQUIRE(client.post("/v1/auth/reauthenticate/challenge", "{}").status == 200);
    for (auto const* const path : {"/v1/auth/passkeys/options", "/v1/auth/passkeys/challenge"})
        REQUIRE(client.post(path, "{}").status == 200);
    CHECK(client
              .post("/v1/auth/password",
                  body({{"currentPassword", "a wrong password here"}, {"newPassword", new_password}}))
              .status == 401);
    auto const waiting_phone = World::new_phone();
    world.redis.ask({"HSET", "auth-mfa:enrolment:{" + world.scope_id() + ":" + ada.user_id + "}", "phone",
        waiting_phone});

    auto const address =
        world.postgres.query("SELECT DISTINCT address FROM sessions WHERE user_agent = '" + marker + "'");
    auto const markers = {marker, ada.user_id, ada.phone, waiting_phone, address};
    std::vector<testing::MarkedPlace> planted;
    for (auto const& each : markers)
        std::ranges::move(testing::find_marker(world.postgres, each), std::back_inserter(planted));
    CHECK(testing::find_marker(world.redis, ada.user_id).size() >= 4);
    CHECK(testing::find_marker(world.redis, waiting_phone).size() == 1);

    REQUIRE(world.as(owner).del("/v1/members/" + ada.user_id).status == 200);
    settle_erasures(world);
    std::vector<testing::MarkedPlace> left;
    for (auto const& each : markers)
        std::ranges::move(testing::find_marker(world.postgres, each), std::back_inserter(left));
    // GET /v1/erasures and the event `user.deleted` name the user.
    CHECK(left ==
          std::vector<testing::MarkedPlace>{{"erasures", "user_id"}, {"webhook_deliveries", "payload"}});
    CHECK(world.postgres.query(
              "SELECT string_agg(event_type, ',') FROM webhook_deliveries WHERE payload LIKE '%" +
              ada.user_id + "%'") == "user.deleted");
    for (auto const& each : markers) {
        INFO(each);
        CHECK(testing::find_marker(world.redis, each) == std::vector<std::string>{});
    }
    CHECK(testing::find_marker(world.redis, address.substr(0, address.rfind('.'))) ==
          std::vector<std::string>{});

    auto known = testing::library_columns_without_users();
    known.merge(std::set<std::string>{// not of a user
        "signing_keys.kid", "signing_keys.public_jwk", "signing_keys.sealed_key", "rsa_signing_keys.kid",
        "rsa_signing_keys.public_jwk", "rsa_signing_keys.sealed_key", "logos.content", "logos.content_type",
        "logos.sha256",
        // stays, see above
        "erasures.user_id", "erasures.erasure_id", "erasure_targets.erasure_id", "erasure_targets.last_error",
        "erasure_targets.service", "erasure_targets.status",
        "logout_notices.*",   // until the clients know that the sessions have ended, a day at most
        "sms_opt_outs.phone", // of the number's owner: an opt-out holds for all tenants and services
        // ids of rows
        "activity.activity_id", "identities.identity_id", "mails.mail_id", "passkeys.passkey_id",
        "passkeys.session_id", "sessions.session_id", "sessions.parent_id", "authorization_codes.session_id",
        "authorization_codes.parent_id", "trusted_devices.device_id",
        // hashes and encrypted values
        "used_id_tokens.token_hash", "authorization_codes.code_hash", "authorization_codes.code_challenge",
        "email_tokens.token_hash", "recovery_codes.locator", "recovery_codes.secret_hash", "totp.sealed_seed",
        "trusted_devices.secret_hash", "users.password_hash",
        // made by the authenticator, from random numbers or for all users of the tenant alike
        "passkeys.aaguid", "passkeys.credential_id", "passkeys.public_key", "passkeys.rp_id",
        "passkeys.transports",
        // of the tenant's clients
        "clients.*", "authorization_codes.client_id", "authorization_codes.redirect_uri",
        "authorization_codes.scope", "sessions.client_id", "sessions.scope",
        // names that the service chooses
        "activity.result", "activity.type", "audit_log.after", "audit_log.before", "email_tokens.purpose",
        "mails.kind", "mails.locale", "mails.traceparent", "identities.issuer", "sessions.amr",
        "sessions.identity_provider", "users.role", "users.status", "webhook_deliveries.other_user_id",
        "webhook_deliveries.response_excerpt"});
    testing::require_every_column_known(world.postgres, planted, known, testing::UserIds::uuids);
}

TEST_CASE("a sign-in that waits while its user is deleted is refused", "[deletion]")
{
    World const world;
    testing::Receiver const receiver([](testing::Received const&) { return testing::reply(204); });
    REQUIRE(world.as_master().post("/v1/webhooks", body({{"url", receiver.url()}})).status == 201);
    auto ada = world.new_account();
    std::jthread sign_in;
    std::string outcome_of_sign_in;
    {
        testing::HeldScope const held(world.postgres, world.scope_id());
        sign_in = std::jthread([&] { outcome_of_sign_in = outcome(world.login(ada)); });
        auto const waits = [&] {
            return world.postgres.query(
                       "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == "1";
        };
        REQUIRE(testing::eventually(waits));
        for (auto const* const table : {"sessions", "users"})
            world.postgres.query(
                "DELETE FROM " + std::string(table) + " WHERE user_id = '" + ada.user_id + "'");
    }
    sign_in.join();
    CHECK(outcome_of_sign_in == "401 INVALID_CREDENTIALS");
}

TEST_CASE("a deletion wins against requests of the same user", "[deletion]")
{
    World const world;
    // Sign-ins take another path while a webhook announces them.
    bool const announced = GENERATE(false, true);
    testing::Receiver const receiver([](testing::Received const&) { return testing::reply(204); });
    if (announced)
        REQUIRE(world.as_master().post("/v1/webhooks", body({{"url", receiver.url()}})).status == 201);
    TrustedProvider const provider(world);
    world.set({{"identityProviders", {provider.setting()}}});
    for (int round = 0; round < 5; ++round) {
        auto ada = world.new_account();
        world.verify_email(ada);
        REQUIRE(with_keys([&] {
            return world.as(ada).post("/v1/auth/identities", body({{"idToken", provider.token(ada.email)}}));
        }).status == 201);
        auto const id_token = provider.token(ada.email, {{"jti", "2"}});
        unsigned external = 0;
        auto phone = new_phone_with_passkeys();
        auto const passkey = phone.create(creation_options(world, ada.access_token));
        std::array<std::jthread, 6> threads{
            std::jthread([&] { send_registration(world, ada.access_token, passkey); }),
            std::jthread([&] { external = sign_in_externally(world, id_token).status; }),
            std::jthread([&] { world.login(ada); }),
            std::jthread([&] { refresh(world, ada); }),
            std::jthread([&] { forgot(world, ada.email); }),
            std::jthread([&] { CHECK(delete_member(world, ada).status == 200); }),
        };
        for (auto& thread : threads)
            thread.join();
        // 201: a new account; 403: the passkey was registered before
        CAPTURE(external);
        CHECK((external == 200 || external == 201 || external == 401 || external == 403));
        CHECK(world.login(ada).status == 401);
        CHECK(refresh(world, ada).status == 401);
        CHECK(tables_of(world, ada).empty());
    }
    settle(world);
    settle_erasures(world);
    CHECK(world.postgres.query("SELECT count(*) FROM mails") == "0");
}
