#pragma once

#include "core/config.hpp"
#include "core/secret.hpp"
#include "service/platform.hpp"

#include <string>

namespace feedback {

/// What feedback is configured with beyond service::Settings (README, "Configuration").
struct Config {
    service::TokenIssuer issuer;
    bool s3 = false;                                       ///< BLOB_STORE=s3
    std::string blob_dir;                                  ///< local store
    std::string public_scheme = "http";                    ///< of the addresses of the local store
    std::int64_t unattached_limit = std::int64_t{1} << 30; ///< bytes that wait to be attached, per scope
    std::string s3_endpoint, s3_bucket, s3_region;
    std::string s3_access_key_id;
    core::Secret s3_secret_access_key;

    /// Faults are recorded in `config`.
    static Config read(core::Config& config);
};

} // namespace feedback
