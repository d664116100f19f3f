#include "domain/rp_id.hpp"

#include "domain/public_suffix.hpp"

#include <algorithm>
#include <cstddef>

namespace auth_mfa {

namespace {

constexpr std::size_t max_name = 253, max_label = 63;

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_label(std::string_view label)
{
    return !label.empty() && label.size() <= max_label && label.front() != '-' && label.back() != '-' &&
           std::ranges::all_of(
               label, [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; });
}

/// Browsers read a name whose last label is a number (`1.2.3.4`, `0x7f`) as an IPv4 address.
bool is_number(std::string_view label)
{
    return std::ranges::all_of(label, is_digit) || label.starts_with("0x");
}

bool is_host_name(std::string_view name)
{
    if (name.size() > max_name) return false;
    while (true) {
        auto const dot = name.find('.');
        std::string_view const label = name.substr(0, dot);
        if (!is_label(label)) return false;
        if (dot == name.npos) return !is_number(label);
        name.remove_prefix(dot + 1);
    }
}

/// Whether `name` is `parent` or a name below it.
bool is_within(std::string_view name, std::string_view parent)
{
    if (!name.ends_with(parent)) return false;
    std::string_view const before = name.substr(0, name.size() - parent.size());
    return before.empty() || before.ends_with('.');
}

/// The host of a normalised origin. An IPv6 address is cut, which matches no host name.
std::string_view host_of(std::string_view origin)
{
    std::string_view const authority = origin.substr(origin.find("://") + 3);
    return authority.substr(0, authority.find(':'));
}

} // namespace

std::optional<RpIdFault> rp_id_fault(
    std::string_view rp_id, std::span<std::string const> allowed_origins, ServiceHosts const& hosts)
{
    if (rp_id == hosts.own) return std::nullopt;
    if (!is_host_name(rp_id))
        return RpIdFault{"format", "must be a host name in lower case, such as example.com. International "
                                   "names must be in Punycode. IP addresses are not allowed"};
    if (is_within(rp_id, hosts.base) || is_within(hosts.base, rp_id))
        return RpIdFault{"reserved", "must be a name of your own domain. Of the names of this service, only "
                                     "the auth host of this environment is allowed"};
    if (is_public_suffix(rp_id))
        return RpIdFault{"public_suffix", "must not be a public suffix, such as com or github.io"};
    bool const listed = std::ranges::any_of(
        allowed_origins, [&](std::string const& origin) { return is_within(host_of(origin), rp_id); });
    if (!listed)
        return RpIdFault{"origin", "must be the host of an origin in `allowedOrigins`, or a parent of it"};
    return std::nullopt;
}

} // namespace auth_mfa
