#pragma once

#include "domain/search_text.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The index over the words of threads. Only the files of storage/ use this header.
namespace feedback::search_index {

/// The newest threads with a document that matches `tsquery`, at most `most`, starting after `after` in the
/// order of time. Takes about 2 µs for each thread with a match, also for the threads beyond `most`.
std::vector<core::Uuid> threads(pg::Tx& tx, core::Scope const& scope, std::string const& tsquery,
    bool with_internal, std::optional<paging::Position> const& after, std::size_t most);

/// The number of threads that `counts_in_newest` reads.
inline constexpr std::int64_t sample = 500;

/// How many of the newest `sample` threads each query matches, in the title and the body.
std::vector<std::int64_t> counts_in_newest(
    pg::Tx& tx, core::Scope const& scope, std::vector<std::string> const& tsqueries);

/// The term that occurs in the fewest of the newest threads. `terms` must not be empty.
search_text::Term const& rarest(
    pg::Tx& tx, core::Scope const& scope, std::span<search_text::Term const> terms);

} // namespace feedback::search_index
