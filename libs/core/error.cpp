#include "core/error.hpp"

#include <cassert>
#include <string>

namespace core {

Error Error::validation(std::vector<FieldError> faults)
{
    assert(!faults.empty());
    std::string detail;
    if (faults.size() == 1) {
        FieldError const& fault = faults.front();
        detail = (fault.pointer.empty() ? "The body" : fault.pointer) + " " + fault.detail + ".";
    } else {
        detail = std::to_string(faults.size()) + " fields are not valid.";
    }
    Error error(codes::validation, std::move(detail));
    error.faults_ = std::move(faults);
    return error;
}

Error Error::unavailable(std::string detail, unsigned retry_after_seconds)
{
    return Error(codes::unavailable, std::move(detail))
        .header("Retry-After", std::to_string(retry_after_seconds));
}

Error& Error::header(std::string name, std::string value) &
{
    headers_.emplace_back(std::move(name), std::move(value));
    return *this;
}

Error&& Error::header(std::string name, std::string value) &&
{
    return std::move(header(std::move(name), std::move(value)));
}

Error& Error::member(std::string_view name, boost::json::value value) &
{
    members_.insert_or_assign(name, std::move(value));
    return *this;
}

Error&& Error::member(std::string_view name, boost::json::value value) &&
{
    return std::move(member(name, std::move(value)));
}

} // namespace core
