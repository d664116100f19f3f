#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"
#include "core/json_writer.hpp"
#include "core/user_id.hpp"
#include "http/query.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paging {

/// The position where a page ended in a list ordered by (time, id). The next page starts with the row after
/// this position.
struct Position {
    /// Nullopt if the position is among the rows whose time is null. These rows are sorted last.
    std::optional<core::Time> time;
    core::Uuid id;

    friend bool operator==(Position const&, Position const&) = default;
};

/// `time_of` and `id_of` return the two parts of a position. They are parameters of this condition, which is
/// the same for all pages of a list:
///
///     AND (created_at, id) < ($2::timestamptz, $3::uuid) ORDER BY created_at DESC, id DESC
///
/// The first page begins at `first`, which precedes every time in the order of the list. For a list sorted
/// oldest first, with `>`, pass `Time::min()`. So every plan reads a page as a range of the index. With a
/// condition `$2 IS NULL OR …`, a generic plan would read and discard all rows before the page. A null time
/// counts as '-infinity', so it is sorted last.
inline core::Time time_of(std::optional<Position> const& after, core::Time first = core::Time::max())
{
    return after ? after->time.value_or(core::Time::min()) : first;
}

inline core::Uuid id_of(std::optional<Position> const& after)
{
    return after ? after->id : core::Uuid();
}

/// For lists in descending order of a number instead of a UUID. Returns the number in the form of the `id` of
/// a Position.
core::Uuid id_of_number(std::int64_t number);

/// The inverse of `id_of_number`. The page contains only numbers below the result. For the first page,
/// returns the largest number.
std::int64_t number_of(std::optional<Position> const& after);

/// Hashes the filters and the sort order of a list, so that a cursor works only with the list it came from.
/// The hash depends on the names, the values and their order. An absent filter differs from an empty one.
///
///     auto const hash = paging::FilterHash().add("sort", "createdAt").add("status", status).value();
class FilterHash {
public:
    FilterHash& add(std::string_view name, std::string_view value);
    FilterHash& add(std::string_view name, std::optional<std::string_view> value);
    FilterHash& add(std::string_view name, std::optional<std::string> const& value);

    FilterHash& add(std::string_view name, char const* value) { return add(name, std::string_view(value)); }

    FilterHash& add(std::string_view name, std::string const& value)
    {
        return add(name, std::string_view(value));
    }

    FilterHash& add(std::string_view name, std::optional<core::UserId> const& id)
    {
        return add(name, id ? std::optional<std::string_view>(id->text()) : std::nullopt);
    }

    FilterHash& add(std::string_view name, std::optional<core::Time> const& time);

    template <core::NamedEnum E> FilterHash& add(std::string_view name, std::optional<E> value)
    {
        return add(name, value ? std::optional(core::to_string(*value)) : std::nullopt);
    }

    std::uint64_t value() const;

private:
    void append(std::string_view text);

    std::string canonical_;
};

/// The opaque cursor for clients: base64url, 46 characters.
std::string encode(Position const& position, std::uint64_t filter_hash);

/// Parses a cursor. Returns nullopt if the cursor is malformed, of another version, or from a list with other
/// filters. A cursor is neither secret nor signed. A forged cursor can only name another position in the same
/// list, because every query filters by scope and by the caller's permissions.
std::optional<Position> decode(std::string_view cursor, std::uint64_t filter_hash);

/// Records in `query` that its `?cursor` is invalid (`invalid_cursor`).
void refuse_cursor(http::Query& query);

/// Reads the query parameter `cursor`. Returns nullopt if it is absent. A cursor that `decode` refuses is
/// recorded in `query` as an error of `?cursor` (`invalid_cursor`).
std::optional<Position> read_cursor(http::Query& query, std::uint64_t filter_hash);

template <class Item> struct Page {
    std::vector<Item> items;
    std::optional<std::string> cursor; ///< nullopt on the last page
};

/// Makes a page of `rows`. The query must fetch them with a limit of `limit` + 1, because the extra row shows
/// that another page follows. `position_of(item)` returns the item's Position.
template <class Item, class PositionOf>
Page<Item> make_page(
    std::vector<Item> rows, std::size_t limit, std::uint64_t filter_hash, PositionOf const& position_of)
{
    Page<Item> page{std::move(rows), std::nullopt};
    if (page.items.size() > limit && limit > 0) {
        page.items.erase(page.items.begin() + static_cast<std::ptrdiff_t>(limit), page.items.end());
        page.cursor = encode(position_of(page.items.back()), filter_hash);
    }
    return page;
}

/// The Position of an item in a list in order of creation.
struct ByCreation {
    template <class Item> Position operator()(Item const& item) const { return {item.created_at, item.id}; }
};

/// The page that a request asks for.
///
///     auto const asked = paging::PageRequest::read(req, hash);
///     auto rows = co_await ...; // at most asked.rows(), after asked.after
///     co_return http::Response::ok(paging::to_json(asked.page(std::move(rows)), write_product));
struct PageRequest {
    std::size_t limit = 0;         ///< the maximum number of items on the page
    std::optional<Position> after; ///< nullopt on the first page
    std::uint64_t filter_hash = 0;

    /// Reads the query parameters `limit` and `cursor`. `query.check()` reports their errors.
    static PageRequest read(http::Query& query, std::uint64_t filter_hash);

    /// Like the other overload, for a list without other query parameters. Throws VALIDATION_ERROR if `limit`
    /// or `cursor` is invalid.
    static PageRequest read(http::Request const& request, std::uint64_t filter_hash);

    /// The number of rows to fetch: `limit` and one more, which shows that another page follows.
    std::size_t rows() const noexcept { return limit + 1; }

    /// Makes the page of `rows`, like `make_page`.
    template <class Item, class PositionOf = ByCreation>
    Page<Item> page(std::vector<Item> rows, PositionOf const& position_of = {}) const
    {
        return make_page(std::move(rows), limit, filter_hash, position_of);
    }
};

/// `{"items":[…],"cursor":…}`: the response body of every list. `write(json, item)` writes one item, of about
/// `item_size` characters.
template <class Item, class Write>
std::string to_json(Page<Item> const& page, Write const& write, std::size_t item_size = 256)
{
    core::JsonWriter json(64 + item_size * page.items.size());
    json.begin_object().key("items").begin_array();
    for (Item const& item : page.items)
        write(json, item);
    json.end_array().member("cursor", page.cursor).end_object();
    return std::move(json).str();
}

} // namespace paging
