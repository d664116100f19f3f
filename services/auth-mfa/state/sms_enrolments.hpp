#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/user_id.hpp"
#include "redis/client.hpp"
#include "sms/phone.hpp"
#include "state/keyed_hash.hpp"

#include <chrono>
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

    /// A code that may have arrived at the phone that it confirms.
    struct Sent {
        sms::PhoneNumber phone;
        std::string code;
        bool fixed = false; ///< the code of a test phone
        /// The day on which sms::ConversionGuard has counted the message; nullopt if it has not.
        std::optional<std::chrono::sys_days> counted_on;
    };

    /// Stores the phone and the code, in place of an earlier phone of the user.
    asio::awaitable<void> put(core::Scope const& scope, UserId user_id, Sent const& sent);

    /// The phone of the user that waits for confirmation; nullopt if there is none.
    asio::awaitable<std::optional<sms::PhoneNumber>> find(core::Scope const& scope, UserId user_id);

    struct Attempt {
        /// `absent`: no phone waits for confirmation. `limited`: no attempts are left.
        enum class Verdict { absent, limited, wrong, right };

        Verdict verdict = Verdict::absent;
        int remaining = 0;                               ///< attempts left, if `wrong`
        std::optional<sms::PhoneNumber> phone;           ///< if `right`; its entry is no longer stored
        bool fixed = false;                              ///< if `right`: as in `Sent`
        std::optional<std::chrono::sys_days> counted_on; ///< if `right`: as in `Sent`
    };

    /// Counts an attempt, then compares the code.
    asio::awaitable<Attempt> try_code(core::Scope const& scope, UserId user_id, std::string_view code);

    /// Removes the phone of a deleted user.
    asio::awaitable<void> remove(core::Scope const& scope, UserId user_id);

    /// The prefix of the scope's keys in Redis. The erasure of a tenant uses it.
    static std::string prefix(core::Scope const& scope);

private:
    redis::Client& client_;
    KeyedHash const& hash_;
    redis::Script const put_, find_, try_code_;
};

} // namespace auth_mfa
