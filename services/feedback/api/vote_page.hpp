#pragma once

#include "domain/vote_order.hpp"
#include "http/query.hpp"
#include "paging/cursor.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace feedback {

/// The page of a list in the order of votes that a request asks for. As paging::PageRequest.
struct VotePage {
    std::size_t limit = 0;
    std::optional<VotePosition> after; ///< nullopt on the first page
    std::uint64_t filter_hash = 0;

    static VotePage read(http::Query& query, std::uint64_t filter_hash)
    {
        VotePage page{query.limit(), std::nullopt, filter_hash};
        if (auto const cursor = query.text("cursor", 1, 200)) {
            page.after = decode_vote_position(*cursor, filter_hash);
            if (!page.after) paging::refuse_cursor(query);
        }
        return page;
    }

    std::size_t rows() const noexcept { return limit + 1; }

    paging::Page<Feedback> page(std::vector<ByVotes> rows) const
    {
        paging::Page<Feedback> page;
        if (rows.size() > limit) {
            rows.resize(limit);
            page.cursor = encode(rows.back().position, filter_hash);
        }
        page.items.reserve(rows.size());
        for (auto& row : rows)
            page.items.push_back(std::move(row.thread));
        return page;
    }
};

} // namespace feedback
