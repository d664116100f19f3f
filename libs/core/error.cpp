#include "core/error.hpp"

#include "core/fields.hpp"

#include <algorithm>
#include <cassert>
#include <string>

namespace core {

namespace {

/// Returns the pointer, in which each name is cut to `limit` bytes.
std::string shortened(std::string_view pointer, std::size_t limit)
{
    std::string out;
    for (;;) {
        auto const end = std::min(pointer.find('/'), pointer.size());
        auto const name = pointer.substr(0, end);
        auto kept = whole_characters(name, limit);
        bool const cut = kept.size() < name.size();
        if (cut && kept.ends_with('~')) kept.remove_suffix(1); // half of `~0` or `~1`
        out.append(kept).append(cut ? "\u2026" : "");
        if (end == pointer.size()) return out;
        out += '/';
        pointer.remove_prefix(end + 1);
    }
}

} // namespace

Error::Error(ErrorCode code, std::string detail) : code_(code), detail_(std::move(detail)) {}

Error::Error(Error const&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(Error const&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Error Error::validation(std::vector<FieldError> faults)
{
    assert(!faults.empty());
    if (faults.size() > max_faults) faults.erase(faults.begin() + max_faults, faults.end());
    for (FieldError& fault : faults)
        fault.pointer = shortened(fault.pointer, max_name);
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

Error Error::internal()
{
    return {codes::internal,
        "An unexpected error occurred. If it persists, report the requestId to the operator."};
}

Error Error::unavailable(std::string detail, unsigned retry_after_seconds)
{
    return Error(codes::unavailable, std::move(detail))
        .header("Retry-After", std::to_string(retry_after_seconds));
}

Error& Error::header(std::string_view name, std::string_view value) &
{
    headers_.emplace_back(name, value);
    return *this;
}

Error&& Error::header(std::string_view name, std::string_view value) &&
{
    return std::move(header(name, value));
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
