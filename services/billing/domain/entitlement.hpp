#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace billing {

/// Who says that a user has something. Sources never touch each other's entitlements.
enum class Source : std::uint8_t { purchases, payments, manual };
/// In the order of Source.
inline constexpr std::array<std::string_view, 3> sources{"purchases", "payments", "manual"};

enum class Status : std::uint8_t { active, expired, paused };
/// In the order of Status.
inline constexpr std::array<std::string_view, 3> statuses{"active", "expired", "paused"};

constexpr std::string_view to_string(Source source) noexcept
{
    return sources[static_cast<std::size_t>(source)];
}

constexpr std::string_view to_string(Status status) noexcept
{
    return statuses[static_cast<std::size_t>(status)];
}

/// The inverse. Throws std::invalid_argument for any other text.
Source parse_source(std::string_view text);
Status parse_status(std::string_view text);

/// Where an event stands among those of one entitlement. The greatest one decides, however they arrive: by
/// the provider's time, then the rank of its type, then the later period end, then the greater event id
/// (bytes).
struct Order {
    core::Time at;                             ///< the provider's
    int rank = 0;                              ///< of types that tie: rank_of()
    core::Time period_end = core::Time::max(); ///< max: none is stated
    std::string event_id;

    friend auto operator<=>(Order const&, Order const&) = default;
};

/// Stands for the moment at which the database takes in what is being written, where that is not known yet.
inline constexpr core::Time on_arrival = core::Time::max();

/// What a user has, as a row. One for each (scope, user, source, product), and of consumables one for each
/// purchase (`transaction_id`).
struct Entitlement {
    core::Uuid id; ///< follows from the key: entitlement_id()
    std::string user_id;
    Source source{};
    std::string provider_product_id; ///< as the provider names it
    std::string
        alternative_product_id; ///< what else the catalog may know it by (a price's product); or empty
    std::string transaction_id; ///< of a consumable (else its event's id); empty for subscriptions

    Status status{};
    std::optional<core::Time> purchased_at;
    std::optional<core::Time> expires_at;  ///< nullopt: never
    std::optional<core::Time> grace_until; ///< until when the provider grants access past `expires_at`
    bool will_renew = false;
    std::optional<std::string> reason; ///< of a manual one

    std::string last_event_type;
    Order last;                      ///< of the event that decided
    std::string last_transaction_id; ///< which that event named; or empty

    core::Time created_at = on_arrival; ///< when the first event of this key was received
    core::Time updated_at = on_arrival; ///< when the one that decided was
    std::int64_t revision = 0;          ///< counts the writes; 0: not written yet

    friend bool operator==(Entitlement const&, Entitlement const&) = default;
};

/// The id of the entitlement with this key: always the same, so that a history that is applied again makes
/// the same entitlements. In the form of a UUIDv7, all of whose free bits are a hash.
core::Uuid entitlement_id(std::int64_t scope_id, Source source, std::string_view user_id,
    std::string_view provider_product_id, std::string_view transaction_id = {});

/// Until when it gives access, whatever its status: `expires_at`, or the end of grace if that is later.
/// nullopt: for ever.
std::optional<core::Time> ends_at(Entitlement const& e) noexcept;

/// Whether it gives access at `now`: active and not past its end.
bool is_active(Entitlement const& e, core::Time now) noexcept;

/// Whether the two differ in what readers are shown of them, times of writing apart.
bool differs(Entitlement const& a, Entitlement const& b) noexcept;

} // namespace billing
