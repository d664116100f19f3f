#include "emails.hpp"

#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <utility>

testing::HttpResponse post(World const& world, std::string const& path, boost::json::object const& document,
    std::string const& tenant)
{
    return world.client(tenant).post(path, body(document));
}

void settle(World const& world)
{
    REQUIRE(testing::eventually([&] { return world.postgres.query("SELECT count(*) FROM mails") == "0"; }));
}

std::vector<SentMail> mails_about(World const& world, std::string const& address, std::string const& subject)
{
    settle(world);
    auto mails = world.mails_to(address);
    std::erase_if(
        mails, [&](SentMail const& mail) { return mail.subject.find(subject) == std::string::npos; });
    return mails;
}

std::string token_of(World const& world, std::string const& address, std::string const& subject)
{
    auto const mails = mails_about(world, address, subject);
    REQUIRE_FALSE(mails.empty());
    return mails.back().token;
}

Account register_with(World const& world, std::string const& email, std::string const& tenant)
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

std::string confirmation_token(World const& world, Account const& account, std::string const& email)
{
    REQUIRE(ask_to_change(world, account, email).status == 202);
    return token_of(world, email, confirmation);
}

std::string change_email(World const& world, Account& account, std::string const& email)
{
    auto const token = confirmation_token(world, account, email);
    REQUIRE(post(world, "/v1/auth/email/confirm", {{"token", token}}).status == 200);
    return token_of(world, std::exchange(account.email, email), change_notice);
}

std::string invite(World const& world, std::string const& email, std::string const& role)
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

boost::json::value me(World const& world, Account const& account)
{
    return testing::require(200, world.as(account).get("/v1/auth/me")).json();
}

HeldOutbox::HeldOutbox(World const& world) : world_(world)
{
    std::filesystem::rename(open(), held());
}

HeldOutbox::~HeldOutbox()
{
    std::filesystem::rename(held(), open());
}

void HeldOutbox::await_attempts(int mails) const
{
    REQUIRE(testing::eventually([&] {
        return world_.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'mails' AND attempts > 0 "
                                     "AND lease_owner IS NULL") == std::to_string(mails);
    }));
}

std::string HeldOutbox::open() const
{
    return world_.directory.path() + "/mails";
}

std::string HeldOutbox::held() const
{
    return open() + "-held";
}
