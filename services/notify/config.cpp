#include "config.hpp"

namespace notify {

Config Config::read(core::Config& config)
{
    Config c;
    c.issuer = service::TokenIssuer::read(config);
    c.blobs = blobs::Options::read(config);
    c.push = PushOptions::read(config);
    c.mail = MailOptions::read(config);
    c.sms = sms::Options::read(config);
    c.broadcast_chunk = static_cast<std::size_t>(config.integer("BROADCAST_CHUNK", 5'000, 1, 10'000,
        "devices per chunk of a broadcast; a replica sends four chunks of a tenant at a time, which may "
        "be sent again after a crash"));
    return c;
}

} // namespace notify
