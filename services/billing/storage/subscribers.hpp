#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/access.hpp"
#include "domain/entitlement_view.hpp"
#include "domain/source.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The list of a scope's subscribers. It has one item per user and product: the best of the user's
/// entitlements for the product. The best entitlement gives access longest. Of several such entitlements, the
/// newest is the best.
namespace billing::subscribers {

struct Filter {
    std::optional<std::string> product; ///< the catalog's id or the provider's id
    std::optional<Status> status;       ///< as responses show it, so not `past_due`
    std::optional<bool> active;         ///< whether the entitlement gives access

    std::uint64_t hash() const;
};

/// A position in the list, which is ordered by user and then by the provider's id of the product.
struct Position {
    core::UserId user_id;
    std::optional<std::string> product; ///< nullopt: after the last item of the user

    friend bool operator==(Position const&, Position const&) = default;
};

/// The opaque cursor for clients, in base64url. It is an encoded position, because the cursors of
/// paging/cursor.hpp cannot contain text.
std::string encode(Position const& position, std::uint64_t filter_hash);

/// Parses a cursor. Returns nullopt if the cursor is malformed or from a list with other filters.
std::optional<Position> decode(std::string_view cursor, std::uint64_t filter_hash);

/// Maximum length of a cursor: a user id and a product id of 255 characters with 4 bytes each, and 12 bytes.
inline constexpr std::size_t max_cursor = (2 * 255 * 4 + 12) * 4 / 3;

struct Request {
    Filter filter;
    AccessSettings settings; ///< of the tenant
    core::Time now;
    std::optional<Position> after; ///< nullopt: the beginning of the list
    std::size_t limit = 0;
};

struct Page {
    std::vector<EntitlementView> items;
    std::optional<Position> next; ///< nullopt: the list ends here
};

/// A page of the list. Reads a limited number of entitlements. So a page may have less than `limit` items, or
/// none, although `next` is set, if the filter matches few entitlements.
Page list(pg::Tx& tx, core::Scope const& scope, Request const& request);

} // namespace billing::subscribers
