#pragma once

#include "crypto/hash.hpp"
#include "crypto/keyring.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace idempotency {

/// Whether an answer of `once` or of a Record is an earlier one, given again.
bool was_replayed(http::Response const& response) noexcept;

/// The record of one request with an Idempotency-Key: what `once` is made of.
class Record {
public:
    /// Takes what it needs of `request`, which has a key. `seal` may be null; else it outlives this object.
    Record(http::Request const& request, crypto::Keyring const* seal);

    /// Takes the key until the transaction ends. The answer to give again, or nullopt when the work is to be
    /// done. Throws CONFLICT while another transaction holds the key, IDEMPOTENCY_KEY_REUSED when it was used
    /// for another request.
    std::optional<http::Response> claim(pg::Tx& tx) const;

    /// Keeps a 2xx answer, whose body is JSON and whole; any other is not kept.
    void keep(pg::Tx& tx, http::Response const& response) const;

private:
    std::optional<http::Response> replay(pg::Tx& tx) const;
    std::string unseal(std::string const& body) const;
    std::string sealed_for() const;

    std::int64_t scope_id_;
    crypto::Digest key_;         ///< of caller, method, path and key: bounded, and says nothing of them
    crypto::Digest fingerprint_; ///< of query and body
    crypto::Keyring const* seal_;
};

} // namespace idempotency
