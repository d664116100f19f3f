#pragma once

#include "core/scope.hpp"
#include "domain/user_id.hpp"
#include "redis/client.hpp"
#include "sms/phone.hpp"
#include "state/keyed_hash.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

namespace asio = boost::asio;

/// Phone numbers that wait for confirmation, in Redis. Each user has at most one, which can be confirmed for
/// 10 minutes and with at most 5 attempts. All functions throw redis::Unavailable if Redis cannot be used.
class SmsEnrolments {
public:
    /// Both arguments must outlive this object.
    SmsEnrolments(redis::Client& client, KeyedHash const& hash);

    /// Stores `phone` and the `code` sent to it, in place of an earlier phone of the user.
    asio::awaitable<void> put(
        core::Scope const& scope, UserId user_id, sms::PhoneNumber const& phone, std::string_view code);

    struct Attempt {
        /// `absent`: no phone waits for confirmation. `limited`: no attempts are left.
        enum class Verdict { absent, limited, wrong, right };

        Verdict verdict = Verdict::absent;
        int remaining = 0;                     ///< attempts left, if `wrong`
        std::optional<sms::PhoneNumber> phone; ///< if `right`; its entry is no longer stored
    };

    /// Counts an attempt, then compares the code.
    asio::awaitable<Attempt> try_code(core::Scope const& scope, UserId user_id, std::string_view code);

    /// The prefix of the scope's keys in Redis. The erasure of a tenant uses it.
    static std::string prefix(core::Scope const& scope);

private:
    redis::Client& client_;
    KeyedHash const& hash_;
    redis::Script const put_, try_code_;
};

} // namespace auth_mfa
