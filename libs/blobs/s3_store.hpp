#pragma once

#include "blobs/credentials.hpp"
#include "blobs/sigv4.hpp"
#include "blobs/store.hpp"
#include "core/clock.hpp"
#include "core/workers.hpp"
#include "http/client.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobs {

struct S3Options {
    /// `http://127.0.0.1:9000`: objects are addressed as `<endpoint>/<bucket>/<key>`. Empty: AWS,
    /// `https://<bucket>.s3.<region>.amazonaws.com/<key>`.
    std::string endpoint;
    std::string bucket;
    std::string region;                             ///< `us-east-1`
    std::shared_ptr<Credentials const> credentials; ///< safe to share; region of their keys is not looked at
};

/// Blobs as objects of one S3 bucket, or of a server that speaks its protocol; clients PUT and GET them
/// there, under presigned addresses (Signature Version 4) that bind length and type.
///
/// An upload lands at `<scope id>/<attachment id>`, where the client may repeat it until its address expires.
/// `adopt` copies it to `<scope id>/<attachment id>.<version>` on condition that it is still the one that was
/// looked at, so what was checked is what is kept and served.
///
/// An address ends with the credentials that it was signed with, when that is earlier than was asked for.
class S3Store final : public BlobStore, public UnseenUploads {
public:
    /// `client` (whose address policy admits the endpoint) and `clock` outlive the store. Throws
    /// std::invalid_argument when the endpoint is more than scheme, host and port, or a name is missing.
    S3Store(S3Options options, http::Client& client, core::Clock const& clock, unsigned threads = 4);

    std::string upload_url(Upload const& upload, std::string_view origin) override;
    std::string download_url(Download const& download, std::string_view origin) override;
    void erase_except(Key const& keep) override;
    void erase_scope(std::int64_t scope_id) override;

    UnseenUploads* unseen() noexcept override { return this; }

    asio::awaitable<std::optional<Stat>> stat(Key key) override;
    asio::awaitable<std::optional<std::string>> adopt(Key key, Stat stat) override;

private:
    struct Call;

    sigv4::Request request(std::string_view method, std::string_view object) const;
    sigv4::Credentials signer(Issued const& issued) const;
    std::string presigned(sigv4::Request request, core::Time expires) const;
    http::OutboundResponse send(Call const& call);
    http::OutboundResponse send_once(Call const& call);
    std::optional<Stat> stat_blocking(Key const& key);
    std::optional<std::string> adopt_blocking(Key const& key, Stat const& stat);
    std::vector<std::string> list(std::string const& prefix);
    void erase(std::vector<std::string> const& objects);

    S3Options const options_;
    std::string origin_; ///< scheme and authority
    std::string host_;
    std::string root_; ///< path of the bucket: `/<bucket>` or empty
    http::Client& client_;
    core::Clock const& clock_;
    core::Workers workers_;
};

} // namespace blobs
