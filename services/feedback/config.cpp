#include "config.hpp"

namespace feedback {

Config Config::read(core::Config& config)
{
    Config c;
    c.issuer = service::TokenIssuer::read(config);
    c.public_scheme =
        config.one_of("PUBLIC_SCHEME", {"http", "https"}, "scheme of the addresses handed to clients") == 1
            ? "https"
            : "http";
    c.unattached_limit = config.integer("BLOB_UNATTACHED_LIMIT", c.unattached_limit, 26'214'400,
        std::int64_t{1} << 50, "bytes of uploads a tenant's environment may leave unattached");
    c.s3 = config.one_of("BLOB_STORE", {"local", "s3"}, "where attachments are kept") == 1;
    if (!c.s3) {
        c.blob_dir = config.required("BLOB_DIR", "directory of the local blob store");
        return c;
    }
    c.s3_endpoint = config.text("S3_ENDPOINT", "", "base address of the S3 service; empty: AWS");
    c.s3_bucket = config.required("S3_BUCKET", "bucket of the attachments");
    c.s3_region = config.text("S3_REGION", "us-east-1", "region that signatures name");
    c.s3_access_key_id = config.required("S3_ACCESS_KEY_ID", "key id for S3");
    c.s3_secret_access_key = config.required_secret("S3_SECRET_ACCESS_KEY", "secret for S3");
    return c;
}

} // namespace feedback
