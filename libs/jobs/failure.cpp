#include "jobs/failure.hpp"

#include "core/backoff.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "crypto/random.hpp"

#include <pqxx/except>

#include <algorithm>
#include <string_view>

namespace jobs {

/// Whether this SQLSTATE is a failure of the database server, not of the statement. 25006: the server is
/// read-only, because it is a standby (perhaps one that is being promoted). Classes: 08 no connection, 53 out
/// of resources, 57 time-out or shutdown, 58 input/output error.
static bool is_servers(std::string_view state)
{
    auto const is_class = [&](std::string_view name) { return state.starts_with(name); };
    return state == "25006" || is_class("08") || is_class("53") || is_class("57") || is_class("58");
}

bool is_outage(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (core::Error const& e) {
        return e.code().status == core::codes::unavailable.status;
    } catch (pqxx::broken_connection const&) {
        return true;
    } catch (pqxx::sql_error const& e) {
        return is_servers(e.sqlstate());
    } catch (...) {
        return false;
    }
}

bool is_lock_timeout(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (pqxx::sql_error const& e) {
        return e.sqlstate() == "55P03";
    } catch (...) {
        return false;
    }
}

std::string describe(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (std::exception const& e) {
        return e.what();
    } catch (...) {
        return "unknown exception";
    }
}

std::string dead_reason(std::exception_ptr const& failure)
{
    std::string const what = describe(failure);
    return core::is_utf8(what) ? std::string(core::trim(what)) : "the reason is not valid UTF-8";
}

std::chrono::milliseconds pause_after_failure(unsigned attempts)
{
    constexpr std::chrono::milliseconds base{1'000};
    constexpr std::chrono::milliseconds longest{600'000};
    return core::backoff(std::max(attempts, 1U) - 1, base, longest, crypto::random_u64());
}

} // namespace jobs
