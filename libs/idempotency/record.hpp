#pragma once

#include "core/scope.hpp"
#include "crypto/hash.hpp"
#include "crypto/keyring.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace idempotency {

/// Whether `response`, which `once` or a Record returned, is the stored response of an earlier request.
bool was_replayed(http::Response const& response) noexcept;

/// Stores and returns the response of a request with an Idempotency-Key. Used by `once`.
class Record {
public:
    /// Stores the scope of `request`, and computes hashes of its caller, method, path, query, body and
    /// Idempotency-Key. The request must have an Idempotency-Key. If `seal` is not null, it encrypts the body
    /// of the stored response, and must outlive this object.
    Record(http::Request const& request, crypto::Keyring const* seal);

    /// Locks the Idempotency-Key until the transaction ends. Returns the stored response, or nullopt if the
    /// caller must do the work. Throws CONFLICT while another transaction holds the lock, and
    /// IDEMPOTENCY_KEY_REUSED if the key was used with another query or body.
    std::optional<http::Response> replay_or_lock(pg::Tx& tx) const;

    /// Stores a 2xx response, whose body must be JSON and not streamed. Other responses are ignored. The
    /// response is deleted if the caller or the user in the response (http::Response::about_user) is erased.
    void store(pg::Tx& tx, http::Response const& response) const;

private:
    std::optional<http::Response> replay(pg::Tx& tx) const;
    std::string unseal(std::string const& body) const;
    std::string sealed_for() const;

    core::ScopeId scope_id_;
    /// Hash of caller, method, path and Idempotency-Key. The hash has a fixed size and reveals none of these
    /// values.
    crypto::Digest key_;
    crypto::Digest fingerprint_; ///< hash of query and body, which must be equal in a repeat
    std::string user_id_;        ///< the caller, if it is a user; else empty
    crypto::Keyring const* seal_;
};

} // namespace idempotency
