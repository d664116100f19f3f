#include "config.hpp"

#include "providers/dns.hpp"

namespace notify {

namespace {

std::string read_dns_servers(core::Config& config)
{
    std::string servers = config.text("DNS_SERVERS", "",
        "resolvers for the records of custom domains, as ip[:port],...; if empty, those of the system");
    if (!servers.empty() && !Dns::are_servers(servers))
        config.fault("DNS_SERVERS", "must be resolver addresses: ip[:port],...");
    return servers;
}

} // namespace

Config Config::read(core::Config& config)
{
    Config c;
    c.issuer = service::TokenIssuer::read(config);
    c.blobs = blobs::Options::read(config);
    c.push = PushOptions::read(config);
    c.mail = mail::Options::read(config, "Tetrad Notify <notify@notify.localhost>");
    c.dns_servers = read_dns_servers(config);
    c.sms = sms::Options::read(config);
    c.broadcast_chunk = static_cast<std::size_t>(config.integer("BROADCAST_CHUNK", 100, 1, 10'000,
        "devices of one carrier per chunk of a broadcast; chunks of large broadcasts have up to four times "
        "as "
        "many; the chunks in flight may be sent again after a crash"));
    return c;
}

} // namespace notify
