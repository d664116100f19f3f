#include "docs/asset.hpp"

#include "core/hex.hpp"
#include "core/text.hpp"
#include "crypto/hash.hpp"
#include "http/etag.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <zlib.h>

namespace docs {

namespace {

constexpr std::size_t piece_size = 64 << 10;

/// Removes the part of `text` up to and including the first `separator`. Returns this part, trimmed and
/// without the separator.
std::string_view take(std::string_view& text, char separator) noexcept
{
    auto const end = std::min(text.find(separator), text.size());
    auto const part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return core::trim(part);
}

/// Whether the weight is zero: `q=0`, `Q=0.000`.
bool refuses(std::string_view weight) noexcept
{
    return weight.size() > 2 && core::equal_ignoring_case(weight.substr(0, 2), "q=") &&
           weight.find_first_not_of("0.", 2) == std::string_view::npos;
}

/// Whether the response may be compressed. Without an Accept-Encoding header every coding is allowed, but
/// clients that do not send the header usually cannot decompress. So the result is false.
bool takes_gzip(std::string_view accept_encoding) noexcept
{
    bool others = false;
    while (!accept_encoding.empty()) {
        auto element = take(accept_encoding, ',');
        auto const coding = take(element, ';');
        if (core::equal_ignoring_case(coding, "gzip")) return !refuses(core::trim(element));
        if (coding == "*") others = !refuses(core::trim(element));
    }
    return others;
}

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

Asset::Asset(std::string_view gzip, std::string_view content_type) : gzip_(gzip), content_type_(content_type)
{
    auto const digest = crypto::sha256(gzip);
    auto const hash = core::hex::encode(crypto::view(digest).substr(0, 16));
    plain_tag_ = http::etag(hash);
    gzip_tag_ = http::etag(hash + "-gzip");
}

http::Response Asset::answer(http::Request const& request) const
{
    bool const compressed = takes_gzip(request.header("Accept-Encoding").value_or(""));
    auto const& tag = compressed ? gzip_tag_ : plain_tag_;
    auto response = http::Response{.content_type = content_type_}
                        .header("ETag", tag)
                        .header("Cache-Control", "no-cache")
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
