#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "pg/rows.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace core {
class Uuid;
}

namespace pg {

/// Reads a row's columns one after another, in the order of the SELECT list. It reads directly from the
/// memory of the result, and keeps the result alive.
///
///     pg::RowReader r(row);
///     f.id = r.uuid(); f.title = r.text(); f.user_id = r.optional_user_id();
///
/// Throws pqxx::conversion_error for a NULL that is read as a non-optional value, for a value that is not of
/// the requested type, and for a column beyond the last.
class RowReader {
public:
    explicit RowReader(Row row, unsigned first = 0) : row_(std::move(row)), next_(static_cast<int>(first)) {}

    bool is_null() const; ///< the next column; does not advance

    void skip() { next(); }

    std::string_view view(); ///< valid during the lifetime of the result or this reader

    std::string text() { return std::string(view()); }

    std::optional<std::string> optional_text();
    std::int64_t integer();

    core::ScopeId scope_id() { return core::ScopeId{integer()}; }

    core::TenantId tenant_id() { return core::TenantId{integer()}; }

    core::UserId user_id() { return core::UserId(text()); }

    std::optional<core::UserId> optional_user_id() { return std::optional<core::UserId>(optional_text()); }

    std::optional<std::int64_t> optional_integer();
    bool boolean();
    std::optional<bool> optional_boolean();
    core::Uuid uuid();
    std::optional<core::Uuid> optional_uuid();
    /// A timestamptz. The session must use UTC. `infinity` becomes `Time::max()`, `-infinity` becomes
    /// `Time::min()`.
    core::Time time();
    std::optional<core::Time> optional_time();
    std::vector<std::string> texts(); ///< a one-dimensional text[] or uuid[] without NULLs
    std::string bytes();              ///< bytea

    /// An enum's value, stored by its name. Throws std::runtime_error if no value has the name.
    template <core::NamedEnum E> E one_of() { return core::stored_enum<E>(view()); }

private:
    [[noreturn]] void mismatch(char const* expected) const;

    bool is_binary() const;
    int column() const;
    std::string_view current() const; ///< the next column's value, which must not be NULL
    void next();
    /// Reads the column with `read`, or skips its NULL.
    template <class T> std::optional<T> optional(T (RowReader::*read)());

    Row row_;
    int next_; ///< column
};

/// Converts each row with `read(RowReader&)`, in order.
///
///     std::vector<Session> const sessions = pg::read_rows(result, read_session);
///     std::vector<core::Uuid> const ids = pg::read_rows(result, &pg::RowReader::uuid);
template <class Read> auto read_rows(Rows const& result, Read const& read)
{
    std::vector<std::invoke_result_t<Read const&, RowReader&>> items;
    items.reserve(result.size());
    for (Row const& row : result) {
        RowReader reader(row);
        items.push_back(std::invoke(read, reader));
    }
    return items;
}

/// As `read_rows`, but reads only the first row. Returns nullopt if there is no row.
template <class Read> auto read_first(Rows const& result, Read const& read)
{
    std::optional<std::invoke_result_t<Read const&, RowReader&>> item;
    if (result.empty()) return item;
    RowReader reader(result[0]);
    item.emplace(std::invoke(read, reader));
    return item;
}

/// As `read_rows`, for a statement whose arrays have `inputs` elements. The first column of each row must be
/// the number of the element to which the row belongs, from 1. Returns one entry per element, in the order of
/// the elements. An entry is nullopt if no row has its number.
template <class Read> auto read_in_input_order(Rows const& result, std::size_t inputs, Read const& read)
{
    std::vector<std::optional<std::invoke_result_t<Read const&, RowReader&>>> items(inputs);
    for (Row const& row : result) {
        RowReader reader(row);
        auto& item = items[static_cast<std::size_t>(reader.integer() - 1)];
        item.emplace(std::invoke(read, reader));
    }
    return items;
}

} // namespace pg
