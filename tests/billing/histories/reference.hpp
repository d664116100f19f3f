#pragma once

#include "histories/generator.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The reference model: the entitlements that follow from a history, computed in the simplest way. It shares
/// no code with the service. Times are microseconds since 1970.
namespace histories {

/// An entitlement as responses show it under the settings of the history.
struct RefEntitlement {
    std::string source;                     ///< `purchases` or `payments`
    std::string product;                    ///< `providerProductId`
    std::optional<std::string> transaction; ///< `transactionId`
    std::string status;                     ///< `active`, `expired` or `paused`
    std::optional<std::int64_t> expires_at; ///< nullopt: never
    std::optional<std::int64_t> grace_until;
    bool will_renew = false;
    std::string last_event_type;
    std::int64_t last_event_at = 0;
    std::optional<std::int64_t> access_until; ///< nullopt: access never ends

    friend auto operator<=>(RefEntitlement const&, RefEntitlement const&) = default;
};

/// The entitlements of a user after all events of the history. Their order of arrival has no influence.
/// Sorted by all members.
std::vector<RefEntitlement> reference(History const& history, std::string const& user);

/// Whether the entitlement gives access at an instant, if no further event arrives.
bool has_access(RefEntitlement const& entitlement, std::int64_t at);

/// The entitlement as one line of text.
std::string describe(RefEntitlement const& entitlement);

} // namespace histories
