#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "pg/tx.hpp"

#include <cstddef>

/// The table `mail_fan_outs`: changes of threads whose recipients still have to be found. mail_requests.hpp
/// adds rows.
namespace feedback::mail_fan_outs {

inline constexpr char const* queue = "mail_fan_outs";

/// Requests emails to the next `limit` recipients of the thread: the reporter and the followers with verified
/// addresses. Returns true if there may be more.
bool advance(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& feedback_id, std::size_t limit);

} // namespace feedback::mail_fan_outs
