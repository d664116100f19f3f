#pragma once

#include "core/id.hpp"
#include "core/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace feedback {

/// The secret key of a scope for its emails: hashes addresses, and signs the tokens with which recipients end
/// their emails.
class MailKey {
public:
    static constexpr std::size_t size = 32; ///< bytes

    /// `secret` has `size` random bytes.
    explicit MailKey(core::Secret secret) : secret_(std::move(secret)) {}

    /// The keyed hash of an email address without regard to case, as 64 hexadecimal digits.
    std::string hash_of(std::string_view address) const;

    /// Whose emails about which thread a token ends.
    struct Recipient {
        core::Uuid feedback_id;
        std::string address_hash;
    };

    /// The token of this address and thread: 86 characters of base64url. Without the key, a token can neither
    /// be guessed nor changed. Equal arguments have equal tokens.
    std::string token(core::Uuid const& feedback_id, std::string_view address) const;

    /// Returns nullopt if `token` was not made with this key.
    std::optional<Recipient> read(std::string_view token) const;

private:
    core::Secret secret_;
};

} // namespace feedback
