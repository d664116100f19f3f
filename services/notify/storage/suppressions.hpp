#pragma once

#include "core/identity.hpp"
#include "domain/notification.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The table `suppressions`: addresses that a scope sends nothing to any more, because their owners said so.
namespace notify::suppressions {

struct Suppression {
    Channel channel{};
    std::string address;
    std::string reason; ///< the provider's code
    core::Time created_at;
    core::Uuid place; ///< made of channel and address: where equal times are told apart
};

bool contains(pg::Tx& tx, std::int64_t scope_id, Channel channel, std::string_view address);

/// Nothing changes when the address is there already. Takes the scope's lock (pg::serialise), so that nothing
/// appears behind a cursor.
void insert(
    pg::Tx& tx, std::int64_t scope_id, Channel channel, std::string_view address, std::string_view reason);

/// At most `limit` of them after `after`, newest first.
std::vector<Suppression> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// Lets messages reach the address again, on every channel; false when they could.
bool remove(pg::Tx& tx, core::Scope const& scope, std::string_view address);

} // namespace notify::suppressions
