#pragma once

#include <chrono>
#include <exception>
#include <string>

namespace jobs {

/// Whether a failure is temporary, because the database or another dependency is down: UNAVAILABLE, a broken
/// connection, or an SQLSTATE for a failure of the server, such as 25006 (read-only). Such a failure is not
/// caused by the job, and a retry may succeed.
bool is_outage(std::exception_ptr const& failure);

/// Whether another transaction held a lock for longer than `lock_timeout`.
bool is_lock_timeout(std::exception_ptr const& failure);

/// `what()` of a failure.
std::string describe(std::exception_ptr const& failure);

/// The failure's text in the form that `record_dead` takes: trimmed and valid UTF-8.
std::string dead_reason(std::exception_ptr const& failure);

/// The pause before a job's next run after its handler threw in run number `attempts` (from 1). Grows with
/// `attempts` from about 1 s to 10 min, with jitter.
std::chrono::milliseconds pause_after_failure(unsigned attempts);

} // namespace jobs
