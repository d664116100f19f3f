#include "config.hpp"

namespace feedback {

Config Config::read(core::Config& config)
{
    Config c;
    c.issuer = service::TokenIssuer::read(config);
    c.blobs = blobs::Options::read(config);
    return c;
}

} // namespace feedback
