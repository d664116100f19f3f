#include "factors.hpp"
#include "identity_provider.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <utility>

// Emails with tokens, and what the tokens permit. test_mail_text.cpp tests the texts, test_email_faults.cpp
// the delivery.

namespace {

namespace json = boost::json;

constexpr char const* new_password = "violet harbour lantern";
constexpr char const* token_expired = "410 TOKEN_EXPIRED";
constexpr char const* firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

// Parts of the subjects.
constexpr char const* verification = "Confirm your email address";
constexpr char const* password_reset = "Reset your";
constexpr char const* confirmation = "Confirm your new email address";
constexpr char const* change_notice = "The email address of your";
constexpr char const* invitation = "You are invited";
constexpr char const* new_sign_in = "New sign-in";
constexpr char const* password_changed = "password was changed";
constexpr char const* factor_added = "method added";
constexpr char const* factor_removed = "method removed";

testing::HttpResponse post(World const& world, std::string const& path, json::object const& document,
    std::string const& tenant = "demo-sandbox")
{
    return world.client(tenant).post(path, body(document));
}

/// Waits until the service has sent or dropped all emails.
void settle(World const& world)
{
    REQUIRE(testing::eventually([&] { return world.postgres.query("SELECT count(*) FROM mails") == "0"; }));
}

/// The emails to `address` with this subject, when all emails are sent.
std::vector<SentMail> mails_about(
    World const& world, std::string const& address, std::string const& subject = "")
{
    settle(world);
    auto mails = world.mails_to(address);
    std::erase_if(
        mails, [&](SentMail const& mail) { return mail.subject.find(subject) == std::string::npos; });
    return mails;
}

/// The token of the latest email to `address` with this subject.
std::string token_of(World const& world, std::string const& address, std::string const& subject)
{
    auto const mails = mails_about(world, address, subject);
    REQUIRE_FALSE(mails.empty());
    return mails.back().token;
}

Account register_with(
    World const& world, std::string const& email, std::string const& tenant = "demo-sandbox")
{
    Account account{.tenant = tenant, .email = email, .password = World::password};
    account.take(testing::require(
        201, post(world, "/v1/auth/register", {{"email", email}, {"password", account.password}}, tenant)));
    return account;
}

testing::HttpResponse forgot(World const& world, std::string const& email)
{
    return post(world, "/v1/auth/password/forgot", {{"email", email}});
}

std::string reset_token(World const& world, std::string const& email)
{
    REQUIRE(forgot(world, email).status == 202);
    return token_of(world, email, password_reset);
}

testing::HttpResponse reset(World const& world, std::string const& token)
{
    return post(world, "/v1/auth/password/reset", {{"token", token}, {"newPassword", new_password}});
}

testing::HttpResponse ask_to_change(World const& world, Account const& account, std::string const& email)
{
    return world.as(account).post("/v1/auth/email", body({{"newEmail", email}}));
}

/// The token that confirms a change of the account's email to `email`.
std::string confirmation_token(World const& world, Account const& account, std::string const& email)
{
    REQUIRE(ask_to_change(world, account, email).status == 202);
    return token_of(world, email, confirmation);
}

/// Changes the account's email. Returns the token in the notice to the previous address.
std::string change_email(World const& world, Account& account, std::string const& email)
{
    auto const token = confirmation_token(world, account, email);
    REQUIRE(post(world, "/v1/auth/email/confirm", {{"token", token}}).status == 200);
    return token_of(world, std::exchange(account.email, email), change_notice);
}

/// The token in the invitation of a new member.
std::string invite(World const& world, std::string const& email, std::string const& role = "user")
{
    auto const r =
        world.as_master().post("/v1/members", body({{"email", email}, {"role", role}, {"invite", true}}));
    INFO(r.body);
    REQUIRE(r.status == 201);
    CHECK(text(r.json(), "status") == "invited");
    return token_of(world, email, invitation);
}

testing::HttpResponse accept(World const& world, std::string const& token)
{
    return post(world, "/v1/auth/invitations/accept", {{"token", token}, {"password", new_password}});
}

testing::HttpResponse refresh(World const& world, Account const& account)
{
    return post(world, "/v1/auth/refresh", {{"refreshToken", account.refresh_token}});
}

testing::HttpResponse log_in(World const& world, std::string const& email, std::string const& password)
{
    return post(world, "/v1/auth/login", {{"email", email}, {"password", password}});
}

/// The user, as the API shows it to the user.
json::value me(World const& world, Account const& account)
{
    return testing::require(200, world.as(account).get("/v1/auth/me")).json();
}

/// Whether neither token of the account's session works any more.
bool is_signed_out(World const& world, Account const& account)
{
    return world.as(account).get("/v1/auth/me").status == 401 && refresh(world, account).status == 401;
}

/// Makes the outbox unavailable. Until the destructor runs, all emails wait.
class HeldOutbox {
public:
    explicit HeldOutbox(World const& world) : world_(world) { std::filesystem::rename(open(), held()); }

    ~HeldOutbox() { std::filesystem::rename(held(), open()); }

    HeldOutbox(HeldOutbox const&) = delete;
    HeldOutbox& operator=(HeldOutbox const&) = delete;

    /// Waits until the service has tried to send this number of emails.
    void await_attempts(int mails) const
    {
        REQUIRE(testing::eventually([&] {
            return world_.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'mails' AND attempts > 0 "
                                         "AND lease_owner IS NULL") == std::to_string(mails);
        }));
    }

private:
    std::string open() const { return world_.directory.path() + "/mails"; }

    std::string held() const { return open() + "-held"; }

    World const& world_;
};

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

TEST_CASE("registration sends a verification email, and its token verifies the address", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const user = me(world, ada);
    CHECK(user.at("emailVerified") == false);
    CHECK(text(user, "status") == "active");
    CHECK(text(user, "createdAt").size() >= 20);
    CHECK(claims_of(ada.access_token).at("email_verified") == false);

    auto const mails = mails_about(world, ada.email);
    REQUIRE(mails.size() == 1);
    CHECK(mails[0].subject.find(verification) == 0);
    auto const token = mails[0].token;
    CHECK(token.size() == 43);
    auto const verified = post(world, "/v1/auth/email/verify", {{"token", token}});
    CHECK(verified.status == 200);
    CHECK(verified.body == R"({"emailVerified":true})");
    CHECK(me(world, ada).at("emailVerified") == true);
    CHECK(claims_of(text(refresh(world, ada).json(), "accessToken")).at("email_verified") == true);
    CHECK(outcome(post(world, "/v1/auth/email/verify", {{"token", token}})) == token_expired);
}

TEST_CASE("a verification email is sent again at most three times an hour", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const ask = [&](bool signed_in) {
        auto const r = signed_in ? world.as(ada).post("/v1/auth/email/verification", "{}")
                                 : post(world, "/v1/auth/email/verification", {{"email", ada.email}});
        CHECK(r.status == 202);
        CHECK(r.body == "{}");
    };
    ask(true);
    ask(false);
    ask(true);
    CHECK(mails_about(world, ada.email, verification).size() == 4); // with the registration's own email
    ask(false);
    ask(true);
    CHECK(mails_about(world, ada.email, verification).size() == 4);
    world.clock.advance(1h);
    ask(false);
    auto const mails = mails_about(world, ada.email, verification);
    REQUIRE(mails.size() == 5);
    std::set<std::string> tokens;
    for (auto const& mail : mails)
        tokens.insert(mail.token);
    CHECK(tokens.size() == 5);
    // Each of them works.
    CHECK(post(world, "/v1/auth/email/verify", {{"token", mails[2].token}}).status == 200);
}

TEST_CASE("a request for a verification email does not reveal whether the account exists", "[email]")
{
    World const world;
    auto const ada = world.new_account(), verified = world.new_account();
    world.verify_email(verified);
    auto const unknown = World::new_email();
    for (auto const& email : {ada.email, verified.email, unknown}) {
        auto const r = post(world, "/v1/auth/email/verification", {{"email", email}});
        CHECK(r.status == 202);
        CHECK(r.body == "{}");
    }
    CHECK(mails_about(world, ada.email).size() == 2);
    CHECK(mails_about(world, verified.email).size() == 1);
    CHECK(mails_about(world, unknown).empty());
    CHECK(testing::faults_of(post(world, "/v1/auth/email/verification", {{"email", "none"}})) ==
          "/email format");
    CHECK(post(world, "/v1/auth/email/verification", json::object()).status == 400);
}

TEST_CASE("with emailVerification required, an unverified user gets no tokens", "[email]")
{
    World const world;
    auto const before = world.new_account();
    world.set({{"emailVerification", "required"}});
    constexpr char const* refused = "403 EMAIL_NOT_VERIFIED";

    Account ada{.tenant = "demo-sandbox", .email = World::new_email(), .password = World::password};
    auto const registered =
        post(world, "/v1/auth/register", {{"email", ada.email}, {"password", ada.password}});
    CHECK(registered.status == 201);
    auto const answer = registered.json().as_object();
    CHECK(answer.size() == 1);
    CHECK(text(answer.at("user"), "email") == ada.email);
    CHECK(answer.at("user").at("emailVerified") == false);
    CHECK(registered.header("cache-control") == "no-store");
    CHECK(outcome(world.login(ada)) == refused);
    CHECK(outcome(log_in(world, ada.email, "not the password")) == "401 INVALID_CREDENTIALS");

    // A session that was opened before continues when the email is verified, with the same refresh token.
    CHECK(outcome(refresh(world, before)) == refused);
    CHECK(outcome(refresh(world, before)) == refused);
    CHECK(outcome(world.login(before)) == refused);
    world.verify_email(before);
    auto const next = refresh(world, before);
    CHECK(next.status == 200);
    CHECK(claims_of(text(next.json(), "accessToken")).at("email_verified") == true);

    // Without a session, the user can request another email.
    CHECK(post(world, "/v1/auth/email/verification", {{"email", ada.email}}).status == 202);
    CHECK(mails_about(world, ada.email, verification).size() == 2);
    world.verify_email(ada);
    CHECK(world.login(ada).status == 200);
}

TEST_CASE("with emailVerification required, a reset of the password verifies the email", "[email]")
{
    World const world;
    world.set({{"emailVerification", "required"}});
    auto const email = World::new_email();
    REQUIRE(
        post(world, "/v1/auth/register", {{"email", email}, {"password", World::password}}).status == 201);
    REQUIRE(reset(world, reset_token(world, email)).status == 200);
    CHECK(log_in(world, email, new_password).status == 200);
}

TEST_CASE("only a user with a verified email becomes an admin or owner", "[email]")
{
    World const world;
    constexpr char const* refused = "409 EMAIL_NOT_VERIFIED";
    auto const owner = world.new_owner();
    CHECK(me(world, owner).at("emailVerified") == true); // the operator made this user
    CHECK(mails_about(world, owner.email, verification).empty());
    auto const ada = world.new_account();
    auto const promote = [&](char const* role) {
        return outcome(world.as(owner).patch("/v1/members/" + ada.user_id, body({{"role", role}})));
    };
    CHECK(promote("admin") == refused);
    CHECK(promote("owner") == refused);
    world.verify_email(ada);
    CHECK(promote("admin") == "200");
    CHECK(promote("owner") == "200");

    auto const create = [&](json::object document) {
        document["email"] = World::new_email();
        return outcome(world.as(owner).post("/v1/members", body(document)));
    };
    for (auto const* role : {"admin", "owner"}) {
        CHECK(create({{"role", role}}) == refused);
        CHECK(create({{"role", role}, {"emailVerified", false}}) == refused);
        CHECK(create({{"role", role}, {"emailVerified", true}}) == "201");
        CHECK(create({{"role", role}, {"invite", true}}) == "201");
    }
    CHECK(create({{"role", "user"}}) == "201");
}

TEST_CASE("a request for a reset gets the same response for known and unknown addresses", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const unknown = World::new_email();
    auto const answer = [&](std::string const& email) {
        auto const r = forgot(world, email);
        std::string shown = std::to_string(r.status) + r.body;
        for (auto const& [name, value] : r.headers)
            shown += '\n' + name;
        return shown;
    };
    auto const known = answer(ada.email);
    CHECK(known.starts_with("202{}"));
    CHECK(answer(unknown) == known);
    CHECK(mails_about(world, ada.email, password_reset).size() == 1);
    CHECK(mails_about(world, unknown).empty());
    CHECK(testing::faults_of(forgot(world, "none")) == "/email format");

    SECTION("at most three emails an hour are sent to an account")
    {
        auto shouted = ada.email;
        shouted.replace(0, 4, "USER");
        for (auto const& email : {shouted, ada.email, ada.email, shouted})
            CHECK(answer(email) == known);
        CHECK(mails_about(world, ada.email, password_reset).size() == 3);
        for (int i = 0; i < 5; ++i)
            CHECK(answer(unknown) == known);
        world.clock.advance(1h);
        CHECK(answer(ada.email) == known);
        CHECK(mails_about(world, ada.email, password_reset).size() == 4);
    }
    SECTION("an account of another environment gets no email")
    {
        auto const elsewhere = register_with(world, World::new_email(), "demo");
        CHECK(answer(elsewhere.email) == known);
        CHECK(mails_about(world, elsewhere.email, password_reset).empty());
    }
    SECTION("a disabled account gets no email, and an earlier token does not work")
    {
        auto const token = reset_token(world, ada.email);
        REQUIRE(
            world.as_master().patch("/v1/members/" + ada.user_id, body({{"status", "disabled"}})).status ==
            200);
        CHECK(outcome(reset(world, token)) == token_expired);
        CHECK(answer(ada.email) == known);
        CHECK(mails_about(world, ada.email, password_reset).size() == 2);
    }
    SECTION("an invited user gets an email, and becomes active by it")
    {
        auto const email = World::new_email();
        auto const invited = invite(world, email);
        CHECK(reset(world, reset_token(world, email)).status == 200);
        CHECK(log_in(world, email, new_password).status == 200);
        CHECK(outcome(accept(world, invited)) == token_expired);
    }
}

TEST_CASE(
    "a reset ends all sessions and trusted devices, and keeps the factors of a verified account", "[email]")
{
    World const world;
    auto ada = world.new_account();
    world.verify_email(ada);
    world.enrol_sms(ada);
    auto const trusting = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone), true);
    REQUIRE(trusting.status == 200);
    Account second = ada;
    second.take(trusting);
    auto device = world.client();
    device.set("Cookie", device_cookie_of(trusting));
    REQUIRE(world.login(ada, device).status == 200);
    auto const open = world.challenged(ada);

    auto const answer = reset(world, reset_token(world, ada.email));
    CHECK(answer.status == 200);
    CHECK(answer.body == R"({"reset":true})");
    CHECK(is_signed_out(world, ada));
    CHECK(is_signed_out(world, second));
    CHECK(outcome(world.verify(open, "sms", world.code_sent_to(ada.phone))) == expired);
    CHECK(world.login(ada).status == 401);
    ada.password = new_password;
    CHECK(error_of(world.login(ada, device)) == "mfa_required");
    CHECK(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[0]).status == 200);
    auto const passed = world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone));
    REQUIRE(passed.status == 200);
    ada.take(passed);
    CHECK(text(me(world, ada), "phone") == ada.phone);
    CHECK(world.as(ada).get("/v1/auth/mfa/devices").json().at("items").as_array().empty());
}

TEST_CASE(
    "after a reset the owner of the mailbox is alone in an account that a stranger registered", "[email]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", {provider.setting()}}});
    auto const email = "cto@acme.test";
    auto stranger = register_with(world, email);
    auto const linked = with_keys([&] {
        return world.as(stranger).post(
            "/v1/auth/identities", body({{"idToken", provider.token("stranger@example.com")}}));
    });
    REQUIRE(linked.status == 201);
    // The stranger also begins to move the account to another address, which keeps a token outside.
    auto const move = confirmation_token(world, stranger, "stranger@example.com");
    world.enrol_sms(stranger);
    world.enrol_totp(stranger);
    auto const trusting =
        world.verify(world.challenged(stranger), "totp", world.totp_code(stranger, 1), true);
    REQUIRE(trusting.status == 200);
    Account second = stranger;
    second.take(trusting);
    auto device = world.client();
    device.set("Cookie", device_cookie_of(trusting));
    auto const open = world.challenged(stranger);

    REQUIRE(reset(world, reset_token(world, email)).status == 200);

    CHECK(is_signed_out(world, stranger));
    CHECK(is_signed_out(world, second));
    CHECK(outcome(world.verify(open, "recovery_code", stranger.recovery_codes[0])) == expired);
    CHECK(world.login(stranger).status == 401);
    CHECK(world.login(stranger, device).status == 401);
    CHECK(outcome(post(world, "/v1/auth/email/confirm", {{"token", move}})) == token_expired);
    auto const external = sign_in_externally(world, provider.token("stranger@example.com"));
    CHECK(external.status == 201); // another account
    CHECK(text(external.json().at("user"), "userId") != stranger.user_id);

    Account cto{.tenant = "demo-sandbox", .email = email, .password = new_password};
    auto const signed_in = world.login(cto);
    REQUIRE(signed_in.status == 200);
    cto.take(signed_in);
    auto caller = world.as(cto);
    CHECK(cto.user_id == stranger.user_id);
    auto const user = me(world, cto);
    CHECK(text(user, "email") == email);
    CHECK(user.at("emailVerified") == true);
    CHECK(user.at("phone").is_null());
    CHECK(user.at("phoneVerified") == false);
    CHECK(caller.get("/v1/auth/mfa").json().at("recoveryCodesLeft") == 0);
    CHECK(caller.get("/v1/auth/identities").json().at("items").as_array().empty());
    CHECK(all_items(caller, "/v1/auth/mfa/devices").empty());
    CHECK(all_items(caller, "/v1/auth/sessions").size() == 1);
    world.enrol_totp(cto); // nothing is left of the stranger's app
    for (auto const* table : {"totp", "identities", "trusted_devices"}) {
        INFO(table);
        CHECK(world.postgres.query(std::string("SELECT count(*) FROM ") + table + " WHERE user_id = '" +
                                   cto.user_id + "'") == (std::string(table) == "totp" ? "1" : "0"));
    }
}

TEST_CASE("a reset gives a password to a user without one, who keeps the identity", "[email]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", {provider.setting()}}});
    auto const email = World::new_email();
    auto const made = sign_in_externally(world, provider.token(email));
    REQUIRE(made.status == 201);
    Account ada{.tenant = "demo-sandbox", .email = email, .password = new_password};
    ada.take(made);
    CHECK(mails_about(world, email, verification).empty()); // the provider verified the address
    CHECK(world.login(ada).status == 401);
    REQUIRE(reset(world, reset_token(world, email)).status == 200);
    CHECK(is_signed_out(world, ada));
    CHECK(world.login(ada).status == 200);
    auto const again = sign_in_externally(world, provider.token(email));
    CHECK(again.status == 200);
    CHECK(text(again.json().at("user"), "userId") == ada.user_id);
}

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

TEST_CASE("the email changes when the new address confirms it, and the old address gets a notice", "[email]")
{
    World const world;
    auto const ada = world.new_account(), bob = world.new_account();
    auto const old_email = ada.email, new_email = World::new_email();
    auto const asked = ask_to_change(world, ada, new_email);
    CHECK(asked.status == 202);
    CHECK(asked.body == "{}");
    auto const token = token_of(world, new_email, confirmation);
    CHECK(text(me(world, ada), "email") == old_email);
    CHECK(mails_about(world, old_email).size() == 1); // only the verification
    CHECK(log_in(world, new_email, World::password).status == 401);

    auto const confirmed = post(world, "/v1/auth/email/confirm", {{"token", token}});
    CHECK(confirmed.status == 200);
    CHECK(confirmed.body == body({{"email", new_email}}));
    auto const user = me(world, ada); // the session continues
    CHECK(text(user, "email") == new_email);
    CHECK(user.at("emailVerified") == true);
    CHECK(log_in(world, old_email, World::password).status == 401);
    CHECK(log_in(world, new_email, World::password).status == 200);
    auto const notices = mails_about(world, old_email, change_notice);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].text.find(new_email) != std::string::npos);
    CHECK(notices[0].token.size() == 43);
    CHECK(mails_about(world, new_email).size() == 1);
    // The verification of the old address does not verify the new one.
    CHECK(outcome(post(world, "/v1/auth/email/verify",
              {{"token", token_of(world, old_email, verification)}})) == token_expired);

    CHECK(ask_to_change(world, ada, "none").status == 400);
    CHECK(ask_to_change(world, ada, new_email).status == 400);
    CHECK(outcome(ask_to_change(world, ada, bob.email)) == "409 CONFLICT");
    CHECK(post(world, "/v1/auth/email", {{"newEmail", World::new_email()}}).status == 401);
}

TEST_CASE("a change of the email is refused if the address was taken before the confirmation", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto const wanted = World::new_email();
    auto const token = confirmation_token(world, ada, wanted);
    register_with(world, wanted);
    CHECK(outcome(post(world, "/v1/auth/email/confirm", {{"token", token}})) == "409 CONFLICT");
    CHECK(text(me(world, ada), "email") == ada.email);
}

TEST_CASE("at most three changes of the email may be requested an hour", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    for (int i = 0; i < 3; ++i)
        CHECK(ask_to_change(world, ada, World::new_email()).status == 202);
    auto const unsent = World::new_email();
    auto const refused = ask_to_change(world, ada, unsent);
    CHECK(outcome(refused) == "429 RATE_LIMITED");
    CHECK_FALSE(refused.header("retry-after").empty());
    CHECK(mails_about(world, unsent).empty());
}

TEST_CASE("the old address undoes a change of the email, which ends all sessions", "[email]")
{
    World const world;
    bool const verified = GENERATE(true, false);
    INFO(verified);
    auto ada = world.new_account();
    if (verified) world.verify_email(ada);
    auto const old_email = ada.email, new_email = World::new_email();
    auto const undo = change_email(world, ada, new_email);
    Account second = ada;
    second.take(world.login(ada));
    world.clock.advance(72h - 1ms);
    auto const reset_at_new_address = reset_token(world, new_email);
    Account third = ada;
    third.take(world.login(ada));
    auto const reverted = post(world, "/v1/auth/email/revert", {{"token", undo}});
    CHECK(reverted.status == 200);
    CHECK(reverted.body == body({{"email", old_email}}));
    CHECK(world.as(third).get("/v1/auth/me").status == 401);
    for (auto const& account : {ada, second, third})
        CHECK(refresh(world, account).status == 401);
    CHECK(log_in(world, new_email, World::password).status == 401);
    CHECK(outcome(reset(world, reset_at_new_address)) == token_expired);
    auto const again = log_in(world, old_email, World::password);
    REQUIRE(again.status == 200);
    CHECK(again.json().at("user").at("emailVerified") == verified);
    CHECK(outcome(post(world, "/v1/auth/email/revert", {{"token", undo}})) == token_expired);
    register_with(world, new_email); // nothing reserves the new address
}

TEST_CASE("no other user can take the old address while the change can be undone", "[email]")
{
    World const world;
    auto ada = world.new_account();
    auto const bob = world.new_account();
    auto const old_email = ada.email;
    change_email(world, ada, World::new_email());
    auto shouted = old_email;
    shouted.replace(0, 4, "USER");
    for (auto const& email : {old_email, shouted}) {
        CHECK(outcome(post(world, "/v1/auth/register", {{"email", email}, {"password", World::password}})) ==
              "409 CONFLICT");
        CHECK(outcome(world.as_master().post("/v1/members", body({{"email", email}}))) == "409 CONFLICT");
        CHECK(outcome(ask_to_change(world, bob, email)) == "409 CONFLICT");
    }
    register_with(world, old_email, "demo"); // another environment
    SECTION("it is free when the time is over")
    {
        world.clock.advance(72h - 1ms);
        CHECK(
            post(world, "/v1/auth/register", {{"email", old_email}, {"password", World::password}}).status ==
            409);
        world.clock.advance(1ms);
        CHECK(register_with(world, old_email).user_id != ada.user_id);
    }
    SECTION("the user may return to it")
    {
        change_email(world, ada, old_email);
        CHECK(text(me(world, ada), "email") == old_email);
    }
}

TEST_CASE("an attacker who changes the email twice cannot keep the account", "[email]")
{
    World const world;
    auto ada = world.new_account();
    world.verify_email(ada);
    auto const old_email = ada.email, first = World::new_email(), second = World::new_email();
    auto const undo = change_email(world, ada, first);
    auto const attackers_undo = change_email(world, ada, second);
    auto const revert = [&](std::string const& token) {
        return post(world, "/v1/auth/email/revert", {{"token", token}});
    };
    auto const third = World::new_email();
    auto const pending = confirmation_token(world, ada, third);
    bool const attacker_acts_first = GENERATE(false, true);
    INFO(attacker_acts_first);
    if (attacker_acts_first) CHECK(revert(attackers_undo).body == body({{"email", first}}));
    CHECK(revert(undo).body == body({{"email", old_email}}));
    CHECK(outcome(revert(attackers_undo)) == token_expired);
    CHECK(outcome(post(world, "/v1/auth/email/confirm", {{"token", pending}})) == token_expired);
    for (auto const& email : {first, second, third})
        CHECK(log_in(world, email, World::password).status == 401);
    // The owner then chooses another password, and is alone.
    REQUIRE(reset(world, reset_token(world, old_email)).status == 200);
    CHECK(log_in(world, old_email, World::password).status == 401);
    CHECK(log_in(world, old_email, new_password).status == 200);
    for (auto const& email : {first, second, third}) {
        CHECK(forgot(world, email).status == 202);
        CHECK(mails_about(world, email, password_reset).empty());
    }
}

TEST_CASE("a confirmation that waits to be sent is withdrawn by an undone change or a reset", "[email]")
{
    World const world;
    auto ada = world.new_account();
    world.verify_email(ada);
    auto const old_email = ada.email;
    bool const undone = GENERATE(true, false);
    INFO(undone);
    auto const token = undone ? change_email(world, ada, World::new_email()) : reset_token(world, old_email);
    auto const third = World::new_email();
    {
        HeldOutbox const held(world);
        REQUIRE(ask_to_change(world, ada, third).status == 202);
        held.await_attempts(1);
        if (undone)
            CHECK(post(world, "/v1/auth/email/revert", {{"token", token}}).status == 200);
        else
            CHECK(reset(world, token).status == 200);
        held.await_attempts(undone ? 1 : 2); // a reset sends a notice, too
    }
    world.clock.advance(1min);
    CHECK(mails_about(world, third).empty());
    CHECK(world.postgres.query("SELECT count(*) FROM email_tokens WHERE purpose = 'confirm_email'") == "0");
    CHECK(log_in(world, old_email, undone ? World::password : new_password).status == 200);
}

TEST_CASE("an invited user chooses a password and is signed in", "[email]")
{
    World const world;
    auto const email = World::new_email();
    auto const token = invite(world, email, "admin");
    CHECK(log_in(world, email, new_password).status == 401);
    auto const accepted = accept(world, token);
    REQUIRE(accepted.status == 201);
    auto const answer = accepted.json();
    CHECK(answer.at("user").at("emailVerified") == true);
    CHECK(text(answer.at("user"), "status") == "active");
    CHECK(text(answer.at("user"), "role") == "admin");
    CHECK(world.with(text(answer, "accessToken")).get("/v1/members").status == 200);
    CHECK(log_in(world, email, new_password).status == 200);
    CHECK(outcome(accept(world, token)) == token_expired);
}

TEST_CASE("links lead to the hosted pages or to the tenant's pages, and the token stands alone on a line",
    "[email]")
{
    World const world;
    std::string const origin = "https://links.example.com";
    bool const own_pages = GENERATE(false, true);
    INFO(own_pages);
    if (own_pages) {
        auto const changed = world.as_master().patch(
            "/v1/settings", body({{"allowedOrigins", json::array{origin}}, {"resetUrl", origin + "/a/reset"},
                                {"verifyUrl", origin + "/verify"}, {"inviteUrl", origin}}));
        INFO(changed.body);
        REQUIRE(changed.status == 200);
        REQUIRE(testing::eventually([&] {
            return world.client()
                       .get("/enroll.css", {{"Origin", origin}})
                       .header("access-control-allow-origin") == origin;
        }));
    }
    auto ada = world.new_account();
    auto const old_email = ada.email, new_email = World::new_email(), invited = World::new_email();
    reset_token(world, old_email);
    invite(world, invited);
    change_email(world, ada, new_email);
    std::string const host = text(claims_of(ada.access_token), "iss");

    struct Case {
        std::string address;
        char const* subject;
        std::string page;
    };

    for (auto const& [address, subject, page] : {
             Case{old_email, verification, own_pages ? origin + "/verify" : host + "/verify-email"},
             Case{old_email, password_reset, own_pages ? origin + "/a/reset" : host + "/reset"},
             Case{invited, invitation, own_pages ? origin : host + "/invite"},
             Case{new_email, confirmation, host + "/confirm-email"},
             Case{old_email, change_notice, host + "/revert-email"},
         }) {
        INFO(subject);
        auto const mails = mails_about(world, address, subject);
        REQUIRE(mails.size() == 1);
        std::istringstream text(mails[0].text);
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);) {
            if (line.ends_with('\r')) line.pop_back();
            lines.push_back(line);
        }
        CHECK(mails[0].token.size() == 43);
        CHECK(std::ranges::count(lines, mails[0].token) == 1);
        CHECK(std::ranges::count(lines, page + "?token=" + mails[0].token) == 1);
    }
}

TEST_CASE("links may lead only to origins that the setting allowedOrigins lists", "[email]")
{
    World const world;
    auto master = world.as_master();
    auto const change = [&](json::object const& document) {
        return master.patch("/v1/settings", body(document));
    };
    auto const origin = "https://links.example.com";
    for (auto const* name : {"resetUrl", "verifyUrl", "inviteUrl"}) {
        INFO(name);
        auto const pointer = "/" + std::string(name);
        CHECK(testing::faults_of(change({{name, "https://links.example.com/x"}})) == pointer + " origin");
        CHECK(
            change({{"allowedOrigins", json::array{origin}}, {name, "https://links.example.com/x"}}).status ==
            200);
        for (auto const* other : {"https://links.example.com:8443/x", "http://links.example.com/x",
                 "https://links.example.com.evil.example/x", "https://evil.example/https://links.example.com",
                 "https://links.example.com@evil.example/", "https://links.example.com\\@evil.example/",
                 "https://links.example.com/x?y=1", "https://links.example.com/#x", "javascript:alert(1)",
                 "/relative", ""}) {
            INFO(other);
            auto const r = change({{name, other}});
            CHECK(r.status == 400);
            CHECK(testing::faults_of(r).starts_with(pointer));
        }
        // The origin stays listed while a link uses it.
        auto const r = change({{"allowedOrigins", json::array()}});
        CHECK(testing::faults_of(r) == pointer + " origin");
        CHECK(change({{"allowedOrigins", json::array()}, {name, nullptr}}).status == 200);
    }
}

TEST_CASE("emails are in the language of the request", "[email]")
{
    World const world;
    auto const email = World::new_email();
    auto anyone = world.client();
    anyone.set("Accept-Language", "it, de-AT;q=0.9, en;q=0.5");
    Account ada{.tenant = "demo-sandbox", .email = email, .password = World::password};
    ada.take(testing::require(201, anyone.post("/v1/auth/register", credentials(email, World::password))));
    auto mails = mails_about(world, email);
    REQUIRE(mails.size() == 1);
    CHECK(mails[0].text.find("Wenn Sie kein Konto bei A tenant angelegt haben") != std::string::npos);
    CHECK(mails[0].token.size() == 43);

    anyone.set("Accept-Language", "fr");
    REQUIRE(anyone.post("/v1/auth/password/forgot", body({{"email", email}})).status == 202);
    mails = mails_about(world, email);
    REQUIRE(mails.size() == 2);
    CHECK(mails[1].text.find("mot de passe") != std::string::npos);

    auto caller = world.as(ada);
    caller.set("Accept-Language", "es");
    auto const changed = caller.post(
        "/v1/auth/password", body({{"currentPassword", World::password}, {"newPassword", new_password}}));
    REQUIRE(changed.status == 200);
    mails = mails_about(world, email);
    REQUIRE(mails.size() == 3);
    CHECK(mails[2].text.find("Fecha y hora") != std::string::npos);

    REQUIRE(forgot(world, email).status == 202); // without the header
    CHECK(mails_about(world, email, password_reset).size() == 1);
}

TEST_CASE("a sign-in with an unknown browser is reported, and one with a known browser is not", "[email]")
{
    World const world;
    auto const ada = world.new_account();
    auto browser = world.client();
    browser.set("User-Agent", firefox);
    CHECK(mails_about(world, ada.email, new_sign_in).empty()); // the first browser is not unknown
    REQUIRE(world.login(ada, browser).status == 200);
    auto const notices = mails_about(world, ada.email, new_sign_in);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].text.find("Firefox (Linux)") != std::string::npos);
    CHECK(notices[0].text.find("IP address: 10.") != std::string::npos);
    CHECK(notices[0].token.empty());
    CHECK(notices[0].text.find("/reset\r\n") != std::string::npos); // the page that requests a new password

    REQUIRE(world.login(ada, browser).status == 200);
    REQUIRE(world.login(ada).status == 200); // the browser of the registration
    auto elsewhere = world.client();         // another network
    elsewhere.set("User-Agent", firefox);
    REQUIRE(world.login(ada, elsewhere).status == 200);
    CHECK(mails_about(world, ada.email, new_sign_in).size() == 1);
    elsewhere.set("User-Agent", "okhttp/4.12.0");
    REQUIRE(world.login(ada, elsewhere).status == 200);
    CHECK(mails_about(world, ada.email, new_sign_in).size() == 2);
    elsewhere.set("User-Agent", "curl/8");
    CHECK(elsewhere.post("/v1/auth/login", credentials(ada.email, "not the password")).status == 401);
    CHECK(mails_about(world, ada.email, new_sign_in).size() == 2); // no sign-in since
}

TEST_CASE("changes of the password and of factors are reported", "[email]")
{
    World const world;
    auto ada = world.new_account();
    auto const notices = [&](char const* subject) {
        auto const mails = mails_about(world, ada.email, subject);
        for (auto const& mail : mails) {
            CHECK(mail.token.empty());
            CHECK(mail.text.find("IP address: 10.") != std::string::npos);
        }
        return mails.size();
    };
    auto const disable = [&](char const* path, std::string const& code) {
        return world.as(ada).request("DELETE", path, {}, code_body(code)).status;
    };
    REQUIRE(world.as(ada)
                .post("/v1/auth/password",
                    body({{"currentPassword", World::password}, {"newPassword", new_password}}))
                .status == 200);
    ada.password = new_password;
    CHECK(notices(password_changed) == 1);
    world.enrol_sms(ada);
    CHECK(notices(factor_added) == 1);
    world.enrol_totp(ada);
    CHECK(notices(factor_added) == 2);
    CHECK(mails_about(world, ada.email, factor_added)[1].text.find("Authenticator app") != std::string::npos);
    REQUIRE(disable("/v1/auth/mfa/sms", ada.recovery_codes[0]) == 200);
    CHECK(notices(factor_removed) == 1);
    CHECK(mails_about(world, ada.email, factor_removed)[0].text.find("Codes by text message (SMS)") !=
          std::string::npos);
    REQUIRE(world.as_master().del("/v1/members/" + ada.user_id + "/mfa").status == 200);
    CHECK(notices(factor_removed) == 2);
    REQUIRE(reset(world, reset_token(world, ada.email)).status == 200);
    CHECK(notices(password_changed) == 2);
    CHECK(outcome(reset(world, "x")) == token_expired);
    CHECK(notices(password_changed) == 2);
}

TEST_CASE("with securityEmails false no notices are sent, except the one that undoes a change of the email",
    "[email]")
{
    World const world;
    world.set({{"securityEmails", false}});
    auto ada = world.new_account();
    world.verify_email(ada);
    auto browser = world.client();
    browser.set("User-Agent", firefox);
    REQUIRE(world.login(ada, browser).status == 200);
    REQUIRE(world.as(ada)
                .post("/v1/auth/password",
                    body({{"currentPassword", World::password}, {"newPassword", new_password}}))
                .status == 200);
    ada.password = new_password;
    REQUIRE(reset(world, reset_token(world, ada.email)).status == 200);
    ada.take(world.login(ada));
    auto const undo = change_email(world, ada, World::new_email());
    world.enrol_totp(ada);
    REQUIRE(
        world.as(ada).request("DELETE", "/v1/auth/mfa/totp", {}, code_body(ada.recovery_codes[0])).status ==
        200);
    CHECK(mails_about(world, ada.email).size() == 1); // the confirmation
    CHECK(world.mails_to(text(post(world, "/v1/auth/email/revert", {{"token", undo}}).json(), "email"))
              .size() == 3); // verification, reset, notice of the change
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
