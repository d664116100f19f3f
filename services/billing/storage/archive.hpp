#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/identity.hpp"
#include "domain/event.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The table `events`, every event that ever came with a good credential, and `event_claims`, the ids they
/// came under. `events` is partitioned by month.
namespace billing::archive {

/// A row.
struct Archived {
    core::Uuid archive_id;
    core::Time received_at;
    Provider provider{};
    std::string event_id; ///< the provider's; of a rejected one the archive's own
    std::string type;     ///< empty when it could not be read
    Result result{};
    std::string reason; ///< or empty
    std::optional<std::string> user_id;
    std::string payload; ///< the body as it came; bytes that are no UTF-8 replaced in a rejected one

    /// Whether the payload is JSON: every one that was not rejected is.
    bool is_json() const;
};

/// Which events a list shows.
struct Filter {
    std::optional<std::string> type;
    std::optional<Result> result;
    std::optional<std::string> user_id;

    /// A cursor goes with the filter it was made for.
    std::uint64_t hash() const;
};

/// Payloads are up to 1 MiB, and whoever sends them also asks for them. A page ends with the event that takes
/// it past the first of these, whatever its limit, and a history is of the latest events that come to the
/// second: more than a thousand as large as real ones are.
inline constexpr std::size_t page_bytes = 8 << 20, history_bytes = 32 << 20;

/// The page that was asked for, newest first. A page's position is (received_at, archive_id).
paging::Page<Archived> list(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, paging::PageRequest asked);

/// The event of that id, of either provider.
std::optional<Archived> find(pg::Tx& tx, std::int64_t scope_id, std::string const& event_id);

/// What an event claims in its scope, so that it is taken once: a hash of its provider and id.
core::Uuid claim_of(Provider provider, std::string_view event_id);

/// What the events that wait for a subscription claim together.
core::Uuid claim_of_waiting(std::string_view subject);

/// Writes down what became of an event when it was looked at again.
void set_outcome(pg::Tx& tx, std::int64_t scope_id, Archived const& event, Outcome const& outcome,
    std::optional<std::string> const& user_id);

/// Every event of a user, those of the user's subscriptions included, whose time is not after `until`, as
/// they are read today; in no order. None that was rejected. Of more than history_bytes the latest by the
/// provider's time.
std::vector<Event> history_of_user(
    pg::Tx& tx, std::int64_t scope_id, std::string const& user_id, core::Time until = core::max_time);

/// Every event of a subscription of the payment provider, as above.
std::vector<Event> history_of_subject(pg::Tx& tx, std::int64_t scope_id, std::string const& subject);

/// Whose events of that subscription were waiting for it, by the outcome `awaiting`, and no longer are.
void mark_applied(pg::Tx& tx, std::int64_t scope_id, std::string const& subject, std::string const& user_id);

/// The reason of a paid invoice that came before its subscription.
inline constexpr std::string_view awaiting_subscription = "awaiting_subscription";

/// Makes the partitions of the months to come, and drops those that ended `months` before now, with their
/// claims. For the periodic task; sees no scope. True: there is more to do.
bool maintain(pg::Tx& tx, unsigned months);

/// For how many of the months to come there is a partition: `maintain` makes two. Sees no scope.
std::int64_t months_ahead(pg::Tx& tx);

} // namespace billing::archive
