#pragma once

#include "code_provider.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <string>

// Sign-ins on the hosted pages with the identity provider `acme`.

inline constexpr char const* refused = "The other service did not confirm who you are. Try again.";
inline constexpr char const* started_elsewhere =
    "This took too long, or it began in another browser. Please start again.";

/// The sandbox of tenant demo, whose users sign in with a provider.
struct ExternalScene {
    World const world;
    CodeProvider provider{world};

    explicit ExternalScene(boost::json::object const& changes = {}) { configure(changes); }

    void configure(boost::json::object const& changes) const
    {
        world.set({{"identityProviders", boost::json::array{provider.setting(changes)}}});
    }

    /// A sign-in of the provider's user with this email. Shows the last page.
    HostedPage sign_in(PageClient& client, std::string const& email, boost::json::object const& claims = {},
        std::string const& query = "")
    {
        HostedPage page;
        // On a stalled machine, the keys of the provider may arrive too late.
        auto const has_keys = [&] {
            page = client.get(provider.sign_in(begin_at(client, "acme", query), email, claims));
            return page.status != 503;
        };
        testing::eventually(has_keys, 1min);
        return page;
    }

    std::string count(std::string const& rows) const
    {
        return world.postgres.query("SELECT count(*) FROM " + rows);
    }

    /// The number of identities that are linked to the account.
    std::string identities_of(std::string const& email) const
    {
        return count("identities i JOIN users u USING (scope_id, user_id) WHERE u.email = '" + email + "'");
    }

    /// Links the identity that the provider's user with this email has.
    void link(Account const& account, std::string const& email) const
    {
        world.postgres.query(
            "INSERT INTO identities (scope_id, issuer, subject, user_id, identity_id) VALUES (" +
            world.scope_id() + ", '" + provider.issuer() + "', '" + email + "', '" + account.user_id +
            "', gen_random_uuid())");
    }
};
