#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"
#include "domain/user_id.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

using core::to_string;

/// A service that must erase the data of deleted users.
enum class ErasureService : std::uint8_t { feedback, notify, billing };

constexpr auto enum_names(ErasureService)
{
    return std::to_array<std::string_view>({"feedback", "notify", "billing"});
}

enum class ErasureStatus : std::uint8_t {
    pending,
    done,
    failed, ///< the service did not confirm the erasure within three days. Final: it is not asked again
};

constexpr auto enum_names(ErasureStatus)
{
    return std::to_array<std::string_view>({"pending", "done", "failed"});
}

/// The erasure in one service.
struct ErasureTarget {
    ErasureService service{};
    ErasureStatus status = ErasureStatus::pending;
    std::int64_t attempts = 0;
    std::optional<std::string> last_error;
    std::optional<core::Time> done_at; ///< if `done`
};

/// The erasure of a user whose account was deleted.
struct Erasure {
    core::Uuid id;
    UserId user_id;
    core::Time requested_at;
    core::Time expires_at;                  ///< until then, services that did not confirm are asked again
    std::optional<core::Time> completed_at; ///< when all targets were done
    std::vector<ErasureTarget> targets;     ///< in the order of ErasureService
};

} // namespace auth_mfa
