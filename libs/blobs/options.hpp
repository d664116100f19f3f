#pragma once

#include "blobs/attachments.hpp"
#include "blobs/s3_credentials.hpp"
#include "blobs/store.hpp"
#include "core/clock.hpp"
#include "core/config.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "http_client/client.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace blobs {

/// The settings of the attachment store. They are the same in every service that has attachments.
struct Options {
    bool s3 = false;                    ///< BLOB_STORE=s3
    std::string dir;                    ///< BLOB_DIR: the directory of the local store
    std::string public_scheme = "http"; ///< PUBLIC_SCHEME: the scheme of the local store's URLs
    std::int64_t unattached_limit = std::int64_t{1} << 30; ///< BLOB_UNATTACHED_LIMIT, bytes per scope
    std::int64_t unattached_limit_per_user = 0;            ///< BLOB_UNATTACHED_LIMIT_PER_USER, bytes per user
    std::string s3_endpoint;                               ///< S3_ENDPOINT; if empty, AWS is used
    std::string s3_bucket, s3_region;                      ///< S3_BUCKET, S3_REGION
    CredentialSource s3_credentials;

    /// Reads the settings. Errors are recorded in `config`.
    static Options read(core::Config& config);

    /// The options for Attachments that follow from these settings. The service sets the other options.
    AttachmentsOptions attachments() const;
};

/// The dependencies of a store, which must outlive it. `metrics` shows the lifetime of the store's
/// credentials.
struct StoreDeps {
    crypto::Keyring const& keyring;
    http_client::Client& client; ///< its address policy must allow addresses that the operator configured
    core::Clock const& clock;
    observe::Logger& logger;
    observe::Metrics& metrics;
};

/// Throws the exceptions of the stores' constructors.
std::unique_ptr<BlobStore> make_store(Options const& options, StoreDeps const& deps);

} // namespace blobs
