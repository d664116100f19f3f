#pragma once

#include "blobs/attachments.hpp"
#include "blobs/s3_credentials.hpp"
#include "blobs/store.hpp"
#include "core/clock.hpp"
#include "core/config.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "http/client.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace blobs {

/// Where a service keeps attachments: the same settings in every service that has any.
struct Options {
    bool s3 = false;                                       ///< BLOB_STORE=s3
    std::string dir;                                       ///< BLOB_DIR, of the local store
    std::string public_scheme = "http";                    ///< PUBLIC_SCHEME of the local store's addresses
    std::int64_t unattached_limit = std::int64_t{1} << 30; ///< BLOB_UNATTACHED_LIMIT, bytes of a scope
    std::int64_t unattached_limit_per_user = 0;            ///< BLOB_UNATTACHED_LIMIT_PER_USER, bytes
    std::string s3_endpoint, s3_bucket, s3_region;         ///< S3_ENDPOINT (empty: AWS), ...
    CredentialSource s3_credentials;

    /// Faults are recorded in `config`.
    static Options read(core::Config& config);

    /// What follows of them for Attachments; the rest is the service's.
    AttachmentsOptions attachments() const;
};

/// What a store works with; all of it outlives the store, and `metrics` shows the store's credentials.
struct StoreDeps {
    crypto::Keyring const& keyring;
    http::Client& client; ///< to addresses the operator configured
    core::Clock const& clock;
    observe::Logger& logger;
    observe::Metrics& metrics;
};

/// Throws as the stores do.
std::unique_ptr<BlobStore> make_store(Options const& options, StoreDeps const& deps);

} // namespace blobs
