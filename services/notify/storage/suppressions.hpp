#pragma once

#include "core/scope.hpp"
#include "domain/notification.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The table `suppressions`: addresses to which a scope sends nothing, because their owners opted out.
namespace notify::suppressions {

struct Suppression {
    Channel channel{};
    std::string address;
    std::string reason; ///< the provider's code
    core::Time created_at;
    core::Uuid place; ///< hash of channel and address; orders rows with equal times
};

bool contains(pg::Tx& tx, core::ScopeId scope_id, Channel channel, std::string_view address);

/// Adds an address. Nothing changes if the address is already suppressed. Takes the scope's lock
/// (pg::lock_scope), so that no list cursor can miss a row.
void insert(
    pg::Tx& tx, core::ScopeId scope_id, Channel channel, std::string_view address, std::string_view reason);

/// At most `limit` suppressions after `after`, newest first.
std::vector<Suppression> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// Removes the suppressions of an address on all channels. Returns false if the address was not suppressed.
bool remove(pg::Tx& tx, core::Scope const& scope, std::string_view address);

} // namespace notify::suppressions
