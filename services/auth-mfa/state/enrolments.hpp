#pragma once

#include "core/id.hpp"
#include "core/identity.hpp"
#include "redis/client.hpp"
#include "sms/phone.hpp"
#include "state/keyed_hash.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

namespace asio = boost::asio;

/// Phones that wait for their code to be confirmed, in Redis: one for each user, for 10 minutes and 5 tries.
/// All throw redis::Unavailable.
class Enrolments {
public:
    /// Both outlive this object.
    Enrolments(redis::Client& client, KeyedHash const& hash);

    /// Makes `phone` the one that waits, in the place of any other.
    asio::awaitable<void> put(
        core::Scope const& scope, core::Uuid user_id, sms::PhoneNumber const& phone, std::string_view code);

    struct Attempt {
        enum class Verdict { absent, limited, wrong, right };

        Verdict verdict = Verdict::absent;
        int remaining = 0;                     ///< tries, when wrong
        std::optional<sms::PhoneNumber> phone; ///< when right: it waits no more
    };

    /// Counts a try, then compares.
    asio::awaitable<Attempt> try_code(core::Scope const& scope, core::Uuid user_id, std::string_view code);

    /// What keys of a scope begin with, for its erasure.
    static std::string prefix(core::Scope const& scope);

private:
    redis::Client& client_;
    KeyedHash const& hash_;
    redis::Script const put_, try_code_;
};

} // namespace auth_mfa
