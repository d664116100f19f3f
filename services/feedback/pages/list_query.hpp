#pragma once

#include "domain/filter.hpp"
#include "http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace feedback::pages {

/// The query of the list's address.
struct ListQuery {
    std::string q; ///< the search; empty: all threads
    std::optional<Status> status;
    std::optional<Category> category;
    Sort sort = Sort::votes;
    std::string cursor; ///< empty on the first page

    /// Throws VALIDATION_ERROR if a parameter is invalid. An empty `q`, `status` or `category` counts as
    /// absent, because forms send empty fields. The cursor is checked when it is used.
    static ListQuery read(http::Request const& req);

    bool is_plain() const noexcept { return q.empty() && !status && !category && cursor.empty(); }

    Filter filter() const;

    /// The path and query of the page: `/board?status=open`. The order of parameters is fixed, and defaults
    /// are left out.
    std::string address() const;

    /// The path and query of the same list in the API.
    std::string api_address() const;
};

} // namespace feedback::pages
