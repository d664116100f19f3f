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
        "devices per broadcast chunk. A replica sends up to four chunks at a time; after a crash these may "
        "be sent again"));
    return c;
}

} // namespace notify
