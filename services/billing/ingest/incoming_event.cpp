#include "ingest/incoming_event.hpp"

#include "storage/event_claims.hpp"

namespace billing::ingest {

core::Uuid claim_of(IncomingEvent const& incoming)
{
    bool const has_own_id = incoming.rejected || incoming.event.provider == Provider::internal;
    return has_own_id ? incoming.archive_id
                      : event_claims::claim_of(incoming.event.provider, incoming.event.id);
}

event_archive::NewEvent archive_row_of(IncomingEvent const& incoming)
{
    auto const& event = incoming.event;
    return {.archive_id = incoming.archive_id,
        .claim = claim_of(incoming),
        .received_at = set_by_database,
        .provider = event.provider,
        .event_id = incoming.rejected ? incoming.archive_id.to_string() : event.id,
        .type = event.type,
        .outcome = {EventResult::rejected, {}},
        .user_id = event.user_id,
        .named_users = event.named_users,
        .subscription_id = incoming.rejected ? std::nullopt : event.subscription_id,
        .event_at = event.at,
        .payload = event_archive::payload_of(incoming.body),
        .node = {}};
}

} // namespace billing::ingest
