#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "pg/rows.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pg {

/// Reads a row's columns one after the other, in the order of the SELECT list, straight from the result's
/// memory (which it keeps alive).
///
///     pg::RowReader r(row);
///     f.id = r.uuid(); f.title = r.text(); f.user_id = r.optional_text();
///
/// A NULL read as something that is not optional, a value of another form, or a column too many is
/// pqxx::conversion_error.
class RowReader {
public:
    explicit RowReader(Row row, unsigned first = 0) : row_(std::move(row)), next_(static_cast<int>(first)) {}

    bool is_null() const; ///< the next column; does not move on

    void skip() { next(); }

    std::string_view view(); ///< valid as long as the result or this reader lives

    std::string text() { return std::string(view()); }

    std::optional<std::string> optional_text();
    std::int64_t integer();
    std::optional<std::int64_t> optional_integer();
    bool boolean();
    core::Uuid uuid();
    std::optional<core::Uuid> optional_uuid();
    core::Time
    time(); ///< timestamptz with the session in UTC; infinity is `Time::max()`, -infinity `Time::min()`
    std::optional<core::Time> optional_time();
    std::vector<std::string> texts(); ///< a one-dimensional text[] or uuid[] without NULLs
    std::string bytes();              ///< bytea

private:
    [[noreturn]] void mismatch(char const* expected) const;

    bool is_binary() const;
    int column() const;
    std::string_view current() const; ///< the next column's value, which is not NULL
    void next();
    /// Reads the column with `read`, or moves past its NULL.
    template <class T> std::optional<T> optional(T (RowReader::*read)());

    Row row_;
    int next_; ///< column
};

/// What `read(RowReader&)` makes of each row in their order.
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

/// The same of the first row alone; nullopt when there is none.
template <class Read> auto read_first(Rows const& result, Read const& read)
{
    std::optional<std::invoke_result_t<Read const&, RowReader&>> item;
    if (result.empty()) return item;
    RowReader reader(result[0]);
    item.emplace(std::invoke(read, reader));
    return item;
}

/// The same of a statement over `inputs` inputs, whose first column says which of them, from 1 on, a row
/// answers: what is made of each input's row, in the order of the inputs; nullopt where none has come.
template <class Read> auto read_placed(Rows const& result, std::size_t inputs, Read const& read)
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
