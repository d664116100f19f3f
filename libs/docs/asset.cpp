#include "docs/asset.hpp"

#include "core/hex.hpp"
#include "crypto/hash.hpp"
#include "http/content_coding.hpp"
#include "http/etag.hpp"

#include <memory>
#include <stdexcept>
#include <zlib.h>

namespace docs {

namespace {

constexpr std::size_t piece_size = 64 << 10;

class Inflater {
public:
    explicit Inflater(std::string_view gzip)
    {
        constexpr int with_gzip_header = 16 + MAX_WBITS;
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
        stream_.avail_in = static_cast<uInt>(gzip.size());
        if (inflateInit2(&stream_, with_gzip_header) != Z_OK) throw std::bad_alloc();
    }

    ~Inflater() { inflateEnd(&stream_); }

    Inflater(Inflater const&) = delete;
    Inflater& operator=(Inflater const&) = delete;

    /// The next piece; empty at the end.
    std::string next()
    {
        if (ended_) return {};
        std::string piece(piece_size, '\0');
        stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream_.avail_out = static_cast<uInt>(piece.size());
        int const result = inflate(&stream_, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END) throw std::runtime_error("an asset is not valid gzip");
        ended_ = result == Z_STREAM_END;
        piece.resize(piece.size() - stream_.avail_out);
        return piece;
    }

private:
    z_stream stream_{};
    bool ended_ = false;
};

} // namespace

std::string_view cache_control(Caching caching) noexcept
{
    return caching == Caching::immutable ? "public, max-age=31536000, immutable" : "no-cache";
}

Asset::Asset(std::string_view gzip, std::string_view content_type, Caching caching)
    : gzip_(gzip), content_type_(content_type), caching_(caching)
{
    auto const digest = crypto::sha256(gzip);
    auto const hash = core::hex::encode(crypto::view(digest).substr(0, 16));
    plain_tag_ = http::etag(hash);
    gzip_tag_ = http::etag(hash + "-gzip");
}

http::Response Asset::answer(http::Request const& request) const
{
    bool const compressed = http::accepts_gzip(request);
    auto const& tag = compressed ? gzip_tag_ : plain_tag_;
    auto response = http::Response{.content_type = content_type_}
                        .header("ETag", tag)
                        .header("Cache-Control", cache_control(caching_))
                        .header("Vary", "Accept-Encoding");
    if (http::is_not_modified(request, tag)) {
        response.status = 304;
    } else if (compressed) {
        response.headers.emplace_back("Content-Encoding", "gzip");
        response.fixed_body = gzip_;
    } else {
        response.stream =
            [inflater = std::make_shared<Inflater>(gzip_)]() -> boost::asio::awaitable<std::string> {
            co_return inflater->next();
        };
    }
    return response;
}

} // namespace docs
