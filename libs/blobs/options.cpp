#include "blobs/options.hpp"

#include "blobs/local_store.hpp"
#include "blobs/s3_store.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace blobs {

namespace {

constexpr std::int64_t smallest_limit = 26'214'400; // one attachment of the default maximum size
constexpr std::int64_t largest_limit = std::int64_t{1} << 50;

void read_s3(Options& options, core::Config& config)
{
    options.s3_endpoint = config.text("S3_ENDPOINT", "", "base URL of the S3 service; if empty, that of AWS");
    options.s3_bucket =
        config.required("S3_BUCKET", "bucket of the attachments", {options.s3, "BLOB_STORE=s3"});
    options.s3_region = config.text("S3_REGION", "us-east-1", "region for signatures");
    options.s3_credentials = read_credential_source(config, options.s3_region, options.s3);
}

void show_remaining(observe::Metrics& metrics, std::function<double()> read)
{
    metrics.gauge_callback("tetrad_blob_credentials_remaining_seconds",
        "Remaining lifetime of the credentials of the attachment store: 0 if there are none, +Inf if they do "
        "not expire.",
        std::move(read));
}

} // namespace

Options Options::read(core::Config& config)
{
    Options options;
    auto const scheme = config.one_of(
        "PUBLIC_SCHEME", {"http", "https"}, "scheme of upload and download URLs: http or https");
    options.public_scheme = scheme == 1 ? "https" : "http";
    options.unattached_limit = config.integer("BLOB_UNATTACHED_LIMIT", options.unattached_limit,
        smallest_limit, largest_limit, "bytes of uploads a tenant's environment may leave unattached");
    options.unattached_limit_per_user = config.integer("BLOB_UNATTACHED_LIMIT_PER_USER",
        std::max(options.unattached_limit / 10, smallest_limit), smallest_limit, largest_limit,
        "bytes of uploads one user may leave unattached; default: a tenth of BLOB_UNATTACHED_LIMIT");
    options.s3 =
        config.one_of("BLOB_STORE", {"local", "s3"}, "where attachments are stored: local or s3") == 1;
    options.dir =
        config.required("BLOB_DIR", "directory of the local blob store", {!options.s3, "BLOB_STORE=local"});
    read_s3(options, config);
    return options;
}

AttachmentsOptions Options::attachments() const
{
    AttachmentsOptions made;
    made.max_unattached_bytes = unattached_limit;
    made.max_unattached_bytes_per_user = unattached_limit_per_user;
    made.origin = origin_from_host(public_scheme);
    return made;
}

std::unique_ptr<BlobStore> make_store(Options const& options, StoreDeps const& deps)
{
    if (!options.s3) {
        show_remaining(deps.metrics, [] { return std::numeric_limits<double>::infinity(); });
        return std::make_unique<LocalStore>(
            options.dir, UrlTokens(deps.keyring.derive("blobs.addresses")), deps.clock);
    }
    auto const credentials = make_credentials_provider(
        options.s3_credentials, deps.client, deps.clock, [&logger = deps.logger](std::string const& what) {
            logger.warn("cannot fetch the credentials for S3", {{"error", what}});
        });
    // A weak pointer, because the metrics outlive the store and its credentials.
    show_remaining(deps.metrics, [weak = std::weak_ptr(credentials)] {
        auto const there = weak.lock();
        return there ? there->remaining().count() : 0.0;
    });
    S3Options s3{.endpoint = options.s3_endpoint,
        .bucket = options.s3_bucket,
        .region = options.s3_region,
        .credentials = credentials};
    return std::make_unique<S3Store>(std::move(s3), deps.client, deps.clock);
}

} // namespace blobs
