#pragma once

#include "storage/archive.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// How the archive is written, for storage/apply alone.
namespace billing::archive {

/// A row that is to be.
struct Row {
    core::Uuid archive_id;
    core::Uuid claim; ///< claim_of(), or `archive_id` of one that is rejected
    core::Time received_at;
    Provider provider{};
    std::string event_id;
    std::string type;
    Outcome outcome;
    std::optional<std::string> user_id;
    std::optional<std::string> subject;
    std::optional<core::Time> event_at;
    std::string payload;
};

/// The body as the column holds it: with U+FFFD for each byte that is not UTF-8, and for NUL.
std::string payload_of(std::string const& body);

/// The event in a row, received when the row was; nullopt when its payload is none.
std::optional<Event> event_of(Archived const& archived);

bool is_claimed(pg::Tx& tx, std::int64_t scope_id, core::Uuid claim);

/// The row and its claim, which nobody has; that of those which wait for a subscription, if it does.
void insert(pg::Tx& tx, std::int64_t scope_id, Row const& row);

} // namespace billing::archive
