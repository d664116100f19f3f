#pragma once

#include <chrono>
#include <exception>
#include <string>

namespace jobs {

/// Whether a failure means that the database, or something else that is needed, is away and will be back:
/// UNAVAILABLE, a connection that broke, or a server that takes no writes (25006). Nothing is wrong with the
/// job then.
bool is_outage(std::exception_ptr const& failure);

/// Whether another transaction held a lock for longer than `lock_timeout`.
bool is_lock_timeout(std::exception_ptr const& failure);

/// `what()` of a failure.
std::string describe(std::exception_ptr const& failure);

/// The same as `record_dead` takes it: trimmed, and valid UTF-8.
std::string dead_reason(std::exception_ptr const& failure);

/// How long a job waits whose handler threw in its `attempts`th run: 1 s to 10 min, with jitter.
std::chrono::milliseconds pause_after_failure(unsigned attempts);

} // namespace jobs
