#include "jobs/failure.hpp"

#include "core/error.hpp"

#include <pqxx/except>

namespace jobs {

bool is_outage(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (core::Error const& e) {
        return e.code().status == core::codes::unavailable.status;
    } catch (pqxx::broken_connection const&) {
        return true;
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

} // namespace jobs
