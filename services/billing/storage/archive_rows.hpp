#pragma once

#include "storage/archive.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// Functions that write the archive, for storage/apply only.
namespace billing::archive {

/// A row to insert.
struct Row {
    core::Uuid archive_id;
    core::Uuid claim; ///< claim_of(), or `archive_id` for a rejected event
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

/// The body as the column `payload` stores it: U+FFFD replaces NUL and each byte that is not UTF-8.
std::string payload_of(std::string const& body);

/// The event in a row, with the row's time of receipt; nullopt if its payload is not a valid event.
std::optional<Event> event_of(Archived const& archived);

bool is_claimed(pg::Tx& tx, std::int64_t scope_id, core::Uuid claim);

/// Inserts the row and its claim, which must be free. If the event waits for a subscription, also inserts or
/// updates the shared claim of all events that wait for the subscription.
void insert(pg::Tx& tx, std::int64_t scope_id, Row const& row);

} // namespace billing::archive
