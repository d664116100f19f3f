#include "storage/platform_state.hpp"

#include "jobs/queue.hpp"

namespace notify::platform_state {

namespace {

core::Uuid resume_ref(PlatformKind kind) noexcept
{
    std::array<std::uint8_t, 16> bytes{};
    bytes.back() = static_cast<std::uint8_t>(kind);
    return core::Uuid::from_bytes(bytes);
}

} // namespace

PlatformKind resumed_kind(core::Uuid const& ref) noexcept
{
    return static_cast<PlatformKind>(ref.bytes().back());
}

bool pause(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Time seen, std::string_view reason,
    core::Time now, core::Time until)
{
    auto const paused = tx.run(R"(
        UPDATE platforms
        SET paused_until = CASE WHEN paused_until > $4 THEN paused_until ELSE $5 END,
            paused_reason = CASE WHEN paused_until > $4 THEN paused_reason ELSE $6 END
        WHERE scope_id = $1 AND kind = $2 AND updated_at = $3
        RETURNING 1)",
        {scope_id, to_string(kind), seen, now, until, reason});
    return !paused.empty();
}

bool holds(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Time seen, core::Time now)
{
    auto const paused = tx.run("SELECT FROM platforms WHERE scope_id = $1 AND kind = $2 AND updated_at = $3 "
                               "AND paused_until > $4 FOR SHARE",
        {scope_id, to_string(kind), seen, now});
    return !paused.empty();
}

void resume(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind)
{
    tx.run("UPDATE platforms SET paused_until = NULL, paused_reason = NULL "
           "WHERE scope_id = $1 AND kind = $2 AND paused_until IS NOT NULL",
        {scope_id, to_string(kind)});
    jobs::enqueue(tx, resume_queue, scope_id, resume_ref(kind));
}

void stop_pruning(pg::Tx& tx, std::int64_t scope_id, PlatformKind kind, core::Time seen, core::Time now)
{
    tx.run("UPDATE platforms SET pruning_stopped_at = $4 "
           "WHERE scope_id = $1 AND kind = $2 AND updated_at = $3 AND pruning_stopped_at IS NULL",
        {scope_id, to_string(kind), seen, now});
}

} // namespace notify::platform_state
