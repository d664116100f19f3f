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
    return c;
}

} // namespace notify
