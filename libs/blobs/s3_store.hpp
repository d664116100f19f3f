#pragma once

#include "blobs/credentials_provider.hpp"
#include "blobs/sigv4.hpp"
#include "blobs/store.hpp"
#include "blobs/type_detector.hpp"
#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/thread_pool.hpp"
#include "http_client/client.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobs {

struct S3Options {
    /// Base URL of the server, such as `http://127.0.0.1:9000`. The URL of an object is
    /// `<endpoint>/<bucket>/<key>`. If `endpoint` is empty, the server is AWS, with URLs
    /// `https://<bucket>.s3.<region>.amazonaws.com/<key>`.
    std::string endpoint;
    std::string bucket;
    std::string region;                                     ///< such as `us-east-1`
    std::shared_ptr<CredentialsProvider const> credentials; ///< the region in these keys is ignored
};

/// Stores blobs as objects in one bucket of S3, or of a server with the same protocol. Clients upload and
/// download the objects at that server, with presigned URLs (Signature Version 4). An upload URL fixes length
/// and type.
///
/// An upload is stored at `<scope id>/<attachment id>`, where the client may overwrite it until the upload
/// URL expires. `finalize` copies it to `<scope id>/<attachment id>.<version>` if it is unchanged since
/// `stat`, so the service keeps and serves exactly the bytes that it has checked.
///
/// A URL expires at the requested time, or with the credentials that signed it if they expire earlier.
class S3Store final : public BlobStore, public DirectUploads {
public:
    /// `client` (whose address policy must allow the endpoint) and `clock` must outlive the store. Throws
    /// std::invalid_argument if the endpoint has more than scheme, host and port, or if the bucket, the
    /// region or the credentials are missing.
    S3Store(S3Options options, http_client::Client& client, core::Clock const& clock, unsigned threads = 4);

    std::string upload_url(Upload const& upload, std::string_view origin) override;
    std::string download_url(Download const& download, std::string_view origin) override;
    void erase_except(Key const& keep) override;
    void erase_scope(core::ScopeId scope_id) override;

    DirectUploads* direct_uploads() noexcept override { return this; }

    asio::awaitable<std::optional<Stat>> stat(Key key) override;
    asio::awaitable<std::optional<std::string>> finalize(Key key, Stat stat) override;

private:
    struct Call;

    sigv4::Request request(std::string_view method, std::string_view object) const;
    sigv4::Credentials signer(AwsCredentials const& issued) const;
    std::string presigned(sigv4::Request request, core::Time expires) const;
    http_client::Response send(Call const& call);
    http_client::Response send_once(Call const& call);
    std::optional<Stat> stat_blocking(Key const& key);
    std::optional<std::string> finalize_blocking(Key const& key, Stat const& stat);
    std::vector<std::string> list(std::string const& prefix);
    void erase(std::vector<std::string> const& objects);

    S3Options const options_;
    std::string origin_; ///< scheme and authority
    std::string host_;
    std::string root_; ///< path of the bucket: `/<bucket>` or empty
    http_client::Client& client_;
    core::Clock const& clock_;
    TypeDetector types_;
    core::ThreadPool workers_;
};

} // namespace blobs
