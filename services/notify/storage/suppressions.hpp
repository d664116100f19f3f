#pragma once

#include "core/scope.hpp"
#include "domain/notification.hpp"
#include "paging/cursor.hpp"
#include "pg/sql.hpp"
#include "pg/tx.hpp"
#include "sms/phone.hpp"
#include "user_data/user_data.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The table `suppressions`: addresses to which a scope sends nothing, because their owners opted out. After
/// the erasure of a user, the suppressions of the user's addresses go on, but only a hash of each address is
/// stored.
namespace notify::suppressions {

struct Suppression {
    Channel channel{};
    std::string address; ///< if `hashed`, the hash of the channel and the address, in hexadecimal digits
    bool hashed = false;
    std::string reason; ///< the provider's code
    core::Time created_at;
    core::Uuid place; ///< hash of channel and address; orders rows with equal times
};

/// What is stored in the place of an address after the erasure of its user. The hash has no key: the address
/// is not known any more when the keys of the service change, so the suppression would be lost.
std::string hash_of(core::ScopeId scope_id, Channel channel, std::string_view address);

/// SQL: `hash_of` the recipient of a notification. `x` is a
/// row of `notifications`. A statement computes it in a sub-select, under the name that `is_suppressed` uses.
inline constexpr auto hash_of_recipient = pg::sql(
    "encode(sha256(convert_to(x.scope_id || ':' || x.channel || ':' || x.recipient, 'UTF8')), 'hex')");

/// SQL: whether the recipient of the notification `n` is suppressed. `n` is a sub-select of `notifications`
/// with `recipient_hash` (`hash_of_recipient`). It must be one that PostgreSQL does not merge with the
/// statement, e.g. with LIMIT. Otherwise the hash is no constant for the index of `suppressions`, because
/// sha256 is not leakproof.
inline constexpr auto is_suppressed = pg::sql(R"(EXISTS (
            SELECT
            FROM suppressions s
            WHERE s.scope_id = n.scope_id AND s.channel = n.channel
                AND s.address IN (n.recipient, n.recipient_hash) AND s.hashed = (s.address = n.recipient_hash)
        ))");

/// Adds an address. Nothing changes if the address is already suppressed. Takes the scope's lock
/// (pg::lock_scope), so that no list cursor can miss a row.
void insert(
    pg::Tx& tx, core::ScopeId scope_id, Channel channel, std::string_view address, std::string_view reason);

/// At most `limit` suppressions after `after`, newest first.
std::vector<Suppression> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// Removes the suppressions of an address on all channels, and returns them.
std::vector<Suppression> remove(pg::Tx& tx, core::Scope const& scope, std::string_view address);

/// Removes the suppressions of text messages to a number in all scopes, also hashed ones. The transaction
/// needs no scopes. Returns the number of removed suppressions.
std::size_t lift(pg::Tx& tx, sms::PhoneNumber const& phone);

/// A step of a user's erasure (user_data::Step): replaces addresses by their hashes. An address is the user's
/// if it is the user's id or, for pushes, the token of one of the user's devices. Takes the scope's lock.
std::size_t hash_user(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

} // namespace notify::suppressions
