#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "crypto/jwt.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace testing {

/// The claims of a test token.
struct TokenFor {
    std::string tenant = "demo";
    core::Environment environment = core::Environment::sandbox;
    std::string subject = "0190a5d2-0000-7000-8000-000000000001";
    std::string email = "user@example.com";
    std::string role = "user";
    std::chrono::seconds lifetime{900};
};

/// Issues user tokens in the form that auth-mfa uses, for tests and for trying out a service by hand.
///
///     testing::Issuer issuer(clock);
///     auto const token = issuer.token({.role = "admin"});
///     auto const expired = issuer.token({}, {{"exp", 1}});        // replaces a claim
///     auto const lacking = issuer.token({}, {{"sub", nullptr}});  // removes a claim
class Issuer {
public:
    /// Signs with a new key. `clock` must outlive this object.
    explicit Issuer(core::Clock const& clock, std::string issuer_host = "auth.localhost");
    Issuer(core::Clock const& clock, std::string issuer_host, crypto::SigningKey key);

    /// Reads the key from the PEM file `path`. If the file does not exist, creates it with a new key. Only
    /// the file's owner can read it.
    static crypto::SigningKey key_from_file(std::string const& path);

    /// Returns the claims of a token for these test claims.
    boost::json::object claims(TokenFor const& user) const;

    /// Returns a signed token. Members of `changes` replace claims. A member that is `null` removes the
    /// claim.
    std::string token(TokenFor const& user, boost::json::object const& changes = {}) const;

    /// Returns a signed erasure token, with which auth-mfa asks `service` to erase the user. `changes` as in
    /// `token`.
    std::string erasure_token(
        TokenFor const& user, std::string const& service, boost::json::object const& changes = {}) const;

    /// Signs any claims. Members of `header` replace or remove members of `{typ, kid}` in the same way.
    std::string sign(boost::json::object const& claims, boost::json::object const& header = {}) const;

    /// The key set: the current signing key and the earlier ones.
    std::string jwks() const;

    std::string const& kid() const noexcept { return keys_.back().kid; }

    /// Makes a new key, which signs all later tokens. The old keys stay in the set.
    void rotate();
    /// Removes the old keys from the set.
    void retire_old();

private:
    struct Key {
        std::string kid; ///< the key's thumbprint (RFC 7638)
        crypto::SigningKey key;
    };

    void add(crypto::SigningKey key);

    core::Clock const& clock_;
    std::string issuer_host_;
    std::vector<Key> keys_;
};

/// Serves a key set at `/.well-known/jwks.json` on a free port of 127.0.0.1.
class IssuerServer {
public:
    /// `document` is called for each request, on the server's thread.
    explicit IssuerServer(std::function<std::string()> document);
    ~IssuerServer();
    IssuerServer(IssuerServer const&) = delete;
    IssuerServer& operator=(IssuerServer const&) = delete;

    /// `http://127.0.0.1:PORT/.well-known/jwks.json`
    std::string url() const;

    /// Makes every later request get `status`. With 200, the server serves the key set again.
    void answer_with(unsigned status);

    /// The number of requests so far.
    std::uint64_t requests() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace testing
