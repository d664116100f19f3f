#include "redis/address.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <charconv>
#include <optional>
#include <stdexcept>

namespace redis {

namespace {

[[noreturn]] void refuse(char const* why)
{
    throw std::invalid_argument(why);
}

unsigned parse_database(std::string_view text)
{
    unsigned number = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size()) refuse("the database must be a number");
    return number;
}

void read_tcp(boost::urls::url_view const& url, Address& address)
{
    address.host = url.host_address();
    if (address.host.empty()) refuse("the host is missing");
    if (url.has_port()) {
        address.port = url.port_number();
        if (address.port == 0) refuse("the port must be 1 to 65535");
    }
    if (url.has_query()) refuse("a query is not understood");
    auto const path = url.path();
    if (path.size() > 1) address.database = parse_database(std::string_view(path).substr(1));
}

void read_unix(boost::urls::url_view const& url, Address& address)
{
    if (!url.host().empty()) refuse("a unix socket has no host: write unix:///path");
    address.path = url.path();
    if (address.path.size() < 2) refuse("the path of the socket is missing");
    for (auto const& parameter : url.params()) {
        if (parameter.key != "db" || !parameter.has_value) refuse("only ?db= is understood");
        address.database = parse_database(parameter.value);
    }
}

} // namespace

Address Address::parse(std::string_view text)
{
    auto const parsed = boost::urls::parse_uri(text);
    if (!parsed) refuse("it is not a URL");
    boost::urls::url_view const url = *parsed;
    if (url.has_fragment()) refuse("a fragment is not understood");
    Address address;
    address.user = url.user();
    address.password = core::Secret(url.password());
    if (!address.user.empty() && address.password.empty()) refuse("a user needs a password");
    if (url.scheme() == "redis")
        read_tcp(url, address);
    else if (url.scheme() == "unix")
        read_unix(url, address);
    else
        refuse("it must start with redis:// or unix://");
    return address;
}

} // namespace redis
