#pragma once

#include <chrono>
#include <exception>
#include <string>

namespace jobs {

/// Whether a failure is temporary, because the database or another dependency is down. Temporary failures are
/// `core::Error` UNAVAILABLE, a broken connection, and an SQLSTATE for a failure of the server, such as 25006
/// (read-only). The job does not cause such a failure, so a retry may succeed.
bool is_outage(std::exception_ptr const& failure);

/// Whether another transaction held a lock for longer than `lock_timeout`.
bool is_lock_timeout(std::exception_ptr const& failure);

/// Returns the `what()` of an exception, or "unknown exception" if it is not a std::exception.
std::string describe(std::exception_ptr const& failure);

/// Returns the text of `describe` in the form that `record_dead` requires: trimmed and valid UTF-8.
std::string dead_reason(std::exception_ptr const& failure);

/// The pause before a job's next run after its handler threw in run number `attempts` (from 1). Grows with
/// `attempts` from about 1 s to 10 min, with jitter.
std::chrono::milliseconds pause_after_failure(unsigned attempts);

} // namespace jobs
