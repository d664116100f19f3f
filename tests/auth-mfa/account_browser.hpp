#pragma once

#include "factors.hpp"
#include "page_client.hpp"

#include <catch2/catch.hpp>

#include <string>

// Browsers on the account's pages.

/// A browser in which the account is signed in with its password only.
inline PageClient browser_of(World const& world, Account const& account)
{
    PageClient client(world, account.tenant);
    client.sign_in(account);
    return client;
}

/// A browser in which the account is signed in with a code as second factor.
inline PageClient browser_of(
    World const& world, Account const& account, std::string const& method, std::string const& code)
{
    PageClient client(world, account.tenant);
    client.fill_in("/login", {{"email", account.email}, {"password", account.password}});
    auto const page = client.submit(
        client.get("/login/verify?method=" + method), "/login/verify", {{"method", method}, {"code", code}});
    INFO(page.body);
    REQUIRE(page.location == "/account");
    return client;
}
