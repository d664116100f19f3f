#include "blobs/options.hpp"

#include "blobs/local_store.hpp"
#include "blobs/s3_store.hpp"

#include <algorithm>

namespace blobs {

namespace {

constexpr std::int64_t smallest_limit = 26'214'400; // one attachment of the default size
constexpr std::int64_t largest_limit = std::int64_t{1} << 50;

void read_s3(Options& options, core::Config& config)
{
    options.s3_endpoint = config.text("S3_ENDPOINT", "", "base address of the S3 service; empty: AWS");
    options.s3_bucket = config.required("S3_BUCKET", "bucket of the attachments");
    options.s3_region = config.text("S3_REGION", "us-east-1", "region that signatures name");
    options.s3_access_key_id = config.required("S3_ACCESS_KEY_ID", "key id for S3");
    options.s3_secret_access_key = config.required_secret("S3_SECRET_ACCESS_KEY", "secret for S3");
}

} // namespace

Options Options::read(core::Config& config)
{
    Options options;
    auto const scheme =
        config.one_of("PUBLIC_SCHEME", {"http", "https"}, "scheme of the addresses handed to clients");
    options.public_scheme = scheme == 1 ? "https" : "http";
    options.unattached_limit = config.integer("BLOB_UNATTACHED_LIMIT", options.unattached_limit,
        smallest_limit, largest_limit, "bytes of uploads a tenant's environment may leave unattached");
    options.unattached_limit_per_user = config.integer("BLOB_UNATTACHED_LIMIT_PER_USER",
        std::max(options.unattached_limit / 10, smallest_limit), smallest_limit, largest_limit,
        "bytes of those that one user may leave unattached; default: a tenth");
    options.s3 = config.one_of("BLOB_STORE", {"local", "s3"}, "where attachments are kept") == 1;
    if (options.s3)
        read_s3(options, config);
    else
        options.dir = config.required("BLOB_DIR", "directory of the local blob store");
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

std::unique_ptr<BlobStore> make_store(
    Options const& options, crypto::Keyring const& keyring, http::Client& client, core::Clock const& clock)
{
    if (!options.s3) {
        return std::make_unique<LocalStore>(options.dir, Addresses(keyring.derive("blobs.addresses")), clock);
    }
    S3Options s3{.endpoint = options.s3_endpoint,
        .bucket = options.s3_bucket,
        .credentials = {options.s3_access_key_id, options.s3_secret_access_key, options.s3_region}};
    return std::make_unique<S3Store>(std::move(s3), client, clock);
}

} // namespace blobs
