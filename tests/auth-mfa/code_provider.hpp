#pragma once

#include "identity_provider.hpp"
#include "page_client.hpp"
#include "receiver.hpp"

#include <boost/json.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

/// The parameters of a query or form.
using Parameters = std::map<std::string, std::string, std::less<>>;

Parameters parameters_of(std::string_view form);

/// An identity provider with the authorization code flow, on a port of 127.0.0.1: metadata, keys, token
/// endpoint, userinfo endpoint, and the API of GitHub. It checks what the service sends as a strict provider
/// does. `test_peers.cpp` tests the service with oidc-provider.
class CodeProvider {
public:
    static constexpr char const* client_id = "app";
    static constexpr char const* client_secret = "s3cret: /+%&=";

    explicit CodeProvider(World const& world);

    std::string issuer() const { return receiver_.url(""); }

    std::string url(std::string_view path) const { return receiver_.url(path); }

    /// An element of the setting `identityProviders` with the name `acme`. Members of `changes` replace or,
    /// with `null`, remove members.
    boost::json::object setting(boost::json::object const& changes = {}) const;

    /// The user with this email signs in at the provider, to which `location` has sent the browser. Returns
    /// the path and query to which the provider sends the browser back. `claims` replace claims of the id
    /// token as in Provider::token.
    std::string sign_in(
        std::string const& location, std::string const& email, boost::json::object const& claims = {});

    /// The parameters of the last request of the token endpoint.
    Parameters last_exchange() const;

    // What the provider does. A test may change it before the requests.
    boost::json::object metadata_changes; ///< replace or remove members of the metadata
    bool sends_issuer = true;             ///< whether responses have `iss`
    bool wants_basic = true;              ///< whether the client authenticates with HTTP Basic
    bool has_secret = true;               ///< whether the client has a secret
    unsigned token_status = 200;          ///< another status: the token endpoint fails
    boost::json::object userinfo;         ///< the response of the userinfo endpoint
    boost::json::value github_user, github_emails;

private:
    struct Code {
        Parameters request;
        std::string email;
        boost::json::object claims;
    };

    std::string answer(testing::Received const& received);
    std::string metadata() const;
    std::string exchange(testing::Received const& received);
    bool is_authenticated(testing::Received const& received, Parameters const& form) const;

    mutable std::mutex mutex_;
    std::optional<Provider> signer_;
    std::map<std::string, Code, std::less<>> codes_;
    Parameters last_exchange_;
    testing::Receiver receiver_; ///< declared last, because its threads use the other members
};

/// The browser's first request of a sign-in with the provider `name`: where it is sent.
std::string begin_at(PageClient& client, std::string const& name, std::string const& query = "");
