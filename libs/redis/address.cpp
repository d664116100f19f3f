#include "redis/address.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace redis {

namespace {

constexpr std::size_t longest_socket_path = 107; // unix(7)

[[noreturn]] void refuse(char const* why)
{
    throw std::invalid_argument(why);
}

unsigned parse_database(std::string_view text)
{
    unsigned number = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size())
        refuse("the database (/db or ?db=) must be a number");
    return number;
}

void read_tcp(boost::urls::url_view const& url, Address& address)
{
    address.host = url.host_address();
    if (address.host.empty()) refuse("the host is missing");
    if (address.host.find(',') != std::string::npos)
        refuse("for several hosts use redis+cluster:// or rediss+cluster://");
    if (url.has_port()) {
        address.port = url.port_number();
        if (address.port == 0) refuse("the port must be 1 to 65535");
    }
    if (url.has_query()) refuse("a query (?...) is not allowed");
    auto const path = url.path();
    if (path.size() > 1) address.database = parse_database(std::string_view(path).substr(1));
}

void read_unix(boost::urls::url_view const& url, Address& address)
{
    if (!url.host().empty()) refuse("a unix socket has no host: use unix:///path");
    address.path = url.path();
    if (address.path.size() < 2) refuse("the path of the socket is missing: use unix:///path");
    if (address.path.size() > longest_socket_path) refuse("the path of the socket is longer than 107 bytes");
    for (auto const& parameter : url.params()) {
        if (parameter.key != "db" || !parameter.has_value) refuse("the only allowed parameter is ?db=");
        address.database = parse_database(parameter.value);
    }
}

Address parse_server(std::string_view text)
{
    auto const parsed = boost::urls::parse_uri(text);
    if (!parsed) refuse("must be a URL such as redis://host:6379");
    auto const& url = *parsed;
    if (url.has_fragment()) refuse("a fragment (#...) is not allowed");
    Address address;
    address.user = url.user();
    address.password = core::Secret(url.password());
    if (!address.user.empty() && address.password.empty())
        refuse("the user has no password: use user:password@");
    address.tls = url.scheme() == "rediss";
    if (address.tls || url.scheme() == "redis")
        read_tcp(url, address);
    else if (url.scheme() == "unix")
        read_unix(url, address);
    else
        refuse("must start with redis://, rediss://, redis+cluster://, rediss+cluster:// or unix://");
    return address;
}

/// Parses the text after `redis+cluster://`. A URL has only one host, so each host of the list is parsed as a
/// separate URL. `scheme` is the scheme of a single server.
Address parse_cluster(std::string_view scheme, std::string_view rest)
{
    auto const authority = rest.substr(0, rest.find_first_of("/?#"));
    auto const after = rest.substr(authority.size());
    auto const sign_in = authority.substr(0, authority.rfind('@') + 1);
    Address address;
    for (auto hosts = authority.substr(sign_in.size());;) {
        auto const host = hosts.substr(0, hosts.find(','));
        auto node = parse_server(std::string(scheme).append(sign_in).append(host).append(after));
        if (node.database != 0) refuse("a cluster has no databases: remove the path");
        address.cluster.push_back({std::move(node.host), node.port});
        address.user = std::move(node.user);
        address.password = std::move(node.password);
        address.tls = node.tls;
        if (host.size() == hosts.size()) return address;
        hosts.remove_prefix(host.size() + 1);
    }
}

} // namespace

Address Address::parse(std::string_view text)
{
    constexpr std::string_view cluster = "redis+cluster://", tls_cluster = "rediss+cluster://";
    if (text.starts_with(cluster)) return parse_cluster("redis://", text.substr(cluster.size()));
    if (text.starts_with(tls_cluster)) return parse_cluster("rediss://", text.substr(tls_cluster.size()));
    return parse_server(text);
}

} // namespace redis
