#pragma once

#include "core/clock.hpp"
#include "core/identity.hpp"
#include "crypto/jwt.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace testing {

/// Who a test token is for.
struct TokenFor {
    std::string tenant = "demo";
    core::Environment environment = core::Environment::sandbox;
    std::string subject = "0190a5d2-0000-7000-8000-000000000001";
    std::string email = "user@example.com";
    std::string role = "user";
    std::chrono::seconds lifetime{900};
};

/// Issues user tokens like the authentication service's, for tests and for trying a service out by hand.
///
///     testing::Issuer issuer(clock);
///     auto const token = issuer.token({.role = "admin"});
///     auto const expired = issuer.token({}, {{"exp", 1}});          // any claim replaced
///     auto const lacking = issuer.token({}, {{"sub", nullptr}});    // or taken out
class Issuer {
public:
    /// With a new key. `clock` outlives this object.
    explicit Issuer(core::Clock const& clock, std::string issuer_host = "auth.localhost");
    Issuer(core::Clock const& clock, std::string issuer_host, crypto::SigningKey key);

    /// The key in the PEM file `path`, which is made, readable by its owner alone, when there is none.
    static crypto::SigningKey key_from_file(std::string const& path);

    /// Every claim of such a token.
    boost::json::object claims(TokenFor const& whom) const;

    /// A signed token; members of `changes` replace claims, `null` takes one out.
    std::string token(TokenFor const& whom, boost::json::object const& changes = {}) const;

    /// Signs anything: `header` replaces members of `{typ, kid}` in the same way.
    std::string sign(boost::json::object const& claims, boost::json::object const& header = {}) const;

    /// The key set: the key that signs now and those that signed before.
    std::string jwks() const;

    std::string const& kid() const noexcept { return keys_.back().kid; }

    /// Signs with a new key from now on; the old ones stay in the set.
    void rotate();
    /// Takes the old keys out of the set.
    void retire_old();

private:
    struct Key {
        std::string kid; ///< the thumbprint of RFC 7638
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

    /// From now on every request is answered with `status`; 200 serves again.
    void answer_with(unsigned status);

    /// Requests so far.
    std::uint64_t requests() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace testing
