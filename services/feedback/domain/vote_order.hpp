#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "domain/feedback.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace feedback {

/// A position in a list of threads in descending order of their votes.
///
/// Votes may change while a client reads page after page. So the order of all pages is the order at the time
/// of the first page (`since`): votes that were added later do not count. No thread is left out because of
/// new votes, and none is repeated. A thread whose votes were withdrawn after the first page may appear a
/// second time, with fewer votes.
struct VotePosition {
    std::int64_t votes = 0; ///< at the time of the first page
    core::Uuid id;
    /// The time of the last vote that the first page counted, or up to a minute before the first page. All
    /// votes up to this time were visible to the first page.
    core::Time since;

    friend bool operator==(VotePosition const&, VotePosition const&) = default;
};

/// A thread in such a list.
struct ByVotes {
    Feedback thread;
    VotePosition position;
};

/// The cursor of a position: two cursors of paging, one after the other.
std::string encode(VotePosition const& position, std::uint64_t filter_hash);

/// The inverse of `encode`. Returns nullopt as paging::decode.
std::optional<VotePosition> decode_vote_position(std::string_view cursor, std::uint64_t filter_hash);

} // namespace feedback
