#include "domain/public_suffix.hpp"

#include "core/text.hpp"

#include <boost/asio/ip/address.hpp>

#include <libpsl.h>

namespace auth_mfa {

namespace {

namespace ip = boost::asio::ip;

/// `host` in lower case, without its port and without the dot at its end.
std::string normal_host(std::string_view host)
{
    auto const end_of_address = host.find(']'); // of an IPv6 address in brackets
    auto const colon = host.find(':', end_of_address == host.npos ? 0 : end_of_address);
    std::string name = core::lower(host.substr(0, colon));
    if (name.ends_with('.')) name.pop_back();
    return name;
}

std::string site_of(std::string_view host)
{
    std::string name = normal_host(host);
    boost::system::error_code not_an_address;
    ip::make_address(name, not_an_address);
    if (!not_an_address || name.starts_with('[')) return name;
    char const* const domain = psl_registrable_domain(psl_builtin(), name.c_str());
    return domain == nullptr ? name : std::string(domain);
}

} // namespace

bool is_top_level_domain(std::string_view label)
{
    std::string const name = core::lower(label);
    if (name.empty() || name.find('.') != name.npos) return false;
    return psl_is_public_suffix2(psl_builtin(), name.c_str(), PSL_TYPE_ANY | PSL_TYPE_NO_STAR_RULE) != 0;
}

bool is_public_suffix(std::string_view host)
{
    return psl_is_public_suffix(psl_builtin(), core::lower(host).c_str()) != 0;
}

bool is_cross_site(std::string_view origin, std::string_view host)
{
    constexpr std::string_view secure = "https://";
    return origin.starts_with(secure) && site_of(origin.substr(secure.size())) != site_of(host);
}

} // namespace auth_mfa
