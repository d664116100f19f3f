#include "domain/similar.hpp"

#include "domain/search_text.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace feedback {

namespace {

constexpr double weight_of_titles = 0.9;

double rounded(double score)
{
    return std::round(std::clamp(score, 0.0, 1.0) * 1000) / 1000;
}

} // namespace

std::vector<Similar> most_similar(std::vector<Similar> candidates, std::string_view title, std::size_t limit)
{
    for (auto& thread : candidates) {
        double const titles = search_text::similarity(thread.title, title);
        // Equal titles have the score 1. Their rank does not matter.
        thread.score = rounded(titles >= 1 ? 1
                                           : weight_of_titles * titles +
                                                 (1 - weight_of_titles) * std::clamp(thread.rank, 0.0, 1.0));
    }
    std::ranges::sort(candidates, [](Similar const& a, Similar const& b) {
        return std::tie(a.score, a.vote_count, a.id) > std::tie(b.score, b.vote_count, b.id);
    });
    candidates.resize(std::min(candidates.size(), limit));
    return candidates;
}

} // namespace feedback
