#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/json_writer.hpp"
#include "http/query.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paging {

/// Where a page ended in a list ordered by (time, id): the next page starts strictly after it.
struct Position {
    std::optional<core::Time> time; ///< nullopt: within the part whose time is null (sorted last)
    core::Uuid id;

    friend bool operator==(Position const&, Position const&) = default;
};

/// The two as parameters of the one condition that every list has, whatever the page:
///
///     AND (created_at, id) < ($2::timestamptz, $3::uuid) ORDER BY created_at DESC, id DESC
///
/// The first page begins at `first`, in front of every time there is: `Time::min()` for a list that is oldest
/// first, with `>`. So a page is a range of the index under every plan; `$2 IS NULL OR …` is a filter on all
/// that was read before, once the plan is for any values. A null time is sorted last, as '-infinity'.
inline core::Time time_of(std::optional<Position> const& after, core::Time first = core::Time::max())
{
    return after ? after->time.value_or(core::Time::min()) : first;
}

inline core::Uuid id_of(std::optional<Position> const& after)
{
    return after ? after->id : core::Uuid();
}

/// For lists in descending order of a number, which is no UUID: how a Position holds it in the place of the
/// id.
core::Uuid id_of_number(std::int64_t number);

/// The inverse: the number that the page stays below. The first page's is that of all.
std::int64_t number_of(std::optional<Position> const& after);

/// Folds what a list was filtered and sorted by into a number, so a cursor works only with the list it came
/// from. Names, values and their order all count; a filter that is absent differs from one that is empty.
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

    std::uint64_t value() const;

private:
    void append(std::string_view text);

    std::string canonical_;
};

/// The opaque form a client hands back: base64url, 46 characters.
std::string encode(Position const& position, std::uint64_t filter_hash);

/// nullopt when the cursor is malformed, of another version, or from a list with other filters. A cursor is
/// neither secret nor signed: a forged one can only name another place in the same list, because every query
/// is filtered by scope and by what the caller may see, whatever the position says.
std::optional<Position> decode(std::string_view cursor, std::uint64_t filter_hash);

/// The query parameter `cursor`, nullopt when absent. One that `decode` refuses is the fault `?cursor`
/// (`invalid_cursor`).
std::optional<Position> read_cursor(http::Query& query, std::uint64_t filter_hash);

template <class Item> struct Page {
    std::vector<Item> items;
    std::optional<std::string> cursor; ///< nullopt on the last page
};

/// Makes a page of `rows`, which the query fetched with a limit of `limit` + 1: the row too many shows that
/// there is more. `position_of(item)` answers an item's Position.
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

/// Where an item stands in a list in the order of creation.
struct ByCreation {
    template <class Item> Position operator()(Item const& item) const { return {item.created_at, item.id}; }
};

/// The page that a request asks for.
///
///     auto const asked = paging::PageRequest::read(req, hash);
///     auto rows = co_await ...; // at most asked.rows(), behind asked.after
///     co_return http::Response::ok(paging::to_json(asked.page(std::move(rows)), write_product));
struct PageRequest {
    std::size_t limit = 0;         ///< how many items the page may have
    std::optional<Position> after; ///< nullopt: it is the first
    std::uint64_t filter_hash = 0;

    /// The query parameters `limit` and `cursor`. Their faults are among those that `query.check()` throws.
    static PageRequest read(http::Query& query, std::uint64_t filter_hash);

    /// The same where a list has no other parameters. Throws VALIDATION_ERROR.
    static PageRequest read(http::Request const& request, std::uint64_t filter_hash);

    /// How many rows to fetch: one too many shows that there is more.
    std::size_t rows() const noexcept { return limit + 1; }

    /// The page that `rows` make, as `make_page`.
    template <class Item, class PositionOf = ByCreation>
    Page<Item> page(std::vector<Item> rows, PositionOf const& position_of = {}) const
    {
        return make_page(std::move(rows), limit, filter_hash, position_of);
    }
};

/// `{"items":[…],"cursor":…}`: how every list is answered. `write(json, item)` writes one item, of about
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
