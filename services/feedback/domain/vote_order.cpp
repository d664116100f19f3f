#include "domain/vote_order.hpp"

#include "paging/cursor.hpp"

namespace feedback {

std::string encode(VotePosition const& position, std::uint64_t filter_hash)
{
    auto const since = position.since == core::Time::min() ? std::nullopt : std::optional(position.since);
    return paging::encode({since, position.id}, filter_hash) +
           paging::encode({std::nullopt, paging::id_of_number(position.votes)}, filter_hash);
}

std::optional<VotePosition> decode_vote_position(std::string_view cursor, std::uint64_t filter_hash)
{
    auto const half = cursor.size() / 2;
    auto const first = paging::decode(cursor.substr(0, half), filter_hash);
    auto const second = paging::decode(cursor.substr(half), filter_hash);
    if (!first || !second || second->time) return std::nullopt;
    return VotePosition{paging::number_of(second), first->id, first->time.value_or(core::Time::min())};
}

} // namespace feedback
