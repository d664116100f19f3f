#pragma once

#include "domain/feedback.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace feedback {

/// A thread whose title or body is like a given title.
struct Similar {
    core::Uuid id;
    std::string title;
    Status status = Status::open;
    std::int64_t vote_count = 0;
    double rank = 0;  ///< ts_rank of the title's words in the thread, 0 to 1
    double score = 0; ///< 0 to 1
};

/// Scores the candidates and returns at most `limit` of them, the most similar one first. The score is mostly
/// the similarity of the titles (search_text::similarity), and for the rest the rank.
std::vector<Similar> most_similar(std::vector<Similar> candidates, std::string_view title, std::size_t limit);

} // namespace feedback
