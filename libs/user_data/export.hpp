#pragma once

#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pg {
class Database;
}

namespace user_data {

namespace asio = boost::asio;

/// Some lines of an export, each a JSON object with a member `type` and a line feed.
struct ExportPage {
    std::string lines;
    std::optional<std::string> next; ///< the position of the next page; nullopt: this is the last page

    /// Adds a line with the member `type` before the members of `object`, which is a JSON object with at
    /// least one member.
    void add(std::string_view type, std::string_view object);
};

/// Reads a page of one type of the user's data, beginning after `position`, which is empty for the first
/// page. A page should have at most about 100 lines.
using ExportPart = std::function<ExportPage(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)>;

/// The number of lines that a part reads at once.
inline constexpr std::size_t export_page = 100;

/// The page with these rows, of which a part has asked for `export_page`. `to_json(row)` returns an object.
/// `position_of(row)` returns the row's paging::Position; `paging::decode(position, 0)` reads it again.
template <class T, class ToJson, class PositionOf>
ExportPage make_page(
    std::string_view type, std::vector<T> const& rows, ToJson const& to_json, PositionOf const& position_of)
{
    ExportPage page;
    for (T const& row : rows)
        page.add(type, to_json(row));
    if (rows.size() == export_page) page.next = paging::encode(position_of(rows.back()), 0);
    return page;
}

/// Produces an export page by page, in one transaction per page. It contains copies of all that it needs
/// except the database, because it outlives the request.
class Export {
public:
    /// `visible`: the scopes whose rows the parts may see.
    Export(pg::Database& database, core::Scope scope, core::UserId user_id, std::vector<ExportPart> parts,
        pg::Scopes visible);

    /// The next lines; empty at the end.
    asio::awaitable<std::string> next();

private:
    pg::Database& database_;
    core::Scope const scope_;
    core::UserId const user_id_;
    std::vector<ExportPart> const parts_;
    pg::Scopes const visible_;
    std::size_t part_ = 0;
    std::string position_;
};

} // namespace user_data
