#pragma once

#include "core/scope.hpp"
#include "domain/client_assertion.hpp"
#include "redis/client.hpp"

#include <string>

namespace auth_mfa {

namespace asio = boost::asio;

/// The used assertions of clients in Redis, so that each is accepted once. Redis stores a hash until the
/// assertion has expired.
class ClientAssertions {
public:
    /// `client` must outlive this object.
    explicit ClientAssertions(redis::Client& client) : client_(client) {}

    /// Uses the assertion up, which must be valid at `now`. False if the client has used its `id` before.
    /// Throws redis::Unavailable if Redis cannot be used.
    asio::awaitable<bool> use(core::Scope const& scope, ClientAssertion const& assertion, core::Time now);

    /// The prefix of the scope's keys in Redis. The erasure of a tenant uses it.
    static std::string prefix(core::Scope const& scope);

private:
    redis::Client& client_;
};

} // namespace auth_mfa
