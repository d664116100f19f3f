#pragma once

#include "pg/sql.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace pg {

/// The text of an SQL statement, or a part of one, made by `sql` at compile time. `max_size` is the greatest
/// length of the text.
template <std::size_t max_size> class Sql {
public:
    static constexpr std::size_t capacity = max_size;

    consteval void append(std::string_view text)
    {
        std::ranges::copy(text, text_.begin() + size_);
        size_ += text.size();
    }

    constexpr operator std::string_view() const noexcept { return {text_.data(), size_}; }

private:
    std::array<char, max_size> text_{};
    std::size_t size_ = 0;
};

/// The statement `text`, in which each name in braces is replaced by the next of `parts`. The names are for
/// the reader. `{}` without a name, the empty array of SQL, stays. If the numbers of names and of parts
/// differ, the call does not compile.
///
///     constexpr auto columns = pg::sql("t.template_id, t.name, t.version");
///     auto const rows = tx.run(pg::sql<columns>(R"(
///         SELECT {columns}
///         FROM templates t
///         WHERE t.tenant_id = $1)"), {tenant_id});
template <auto const&... parts, std::size_t size>
consteval Sql<size + (parts.capacity + ... + 0)> sql(char const (&text)[size])
{
    std::array<std::string_view, sizeof...(parts)> const values{parts...};
    std::size_t used = 0;
    Sql<size + (parts.capacity + ... + 0)> result;
    std::string_view rest(text, size - 1);
    for (;;) {
        auto const open = rest.find('{');
        if (open == std::string_view::npos) break;
        auto const close = rest.find('}', open);
        result.append(rest.substr(0, open));
        result.append(close == open + 1 ? "{}" : values.at(used++));
        rest.remove_prefix(close + 1);
    }
    result.append(rest);
    if (used != values.size()) throw "`text` names fewer parts than are given";
    return result;
}

} // namespace pg
