#include "blobs/url_tokens.hpp"

#include "crypto/compare.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/hmac.hpp"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include <charconv>
#include <stdexcept>

namespace blobs {

namespace {

// Separates the values. No value contains a line feed: the values are numbers, an id, a base62 version, a
// media type, and a file name without control characters.
constexpr char separator = '\n';
constexpr std::string_view upload_kind = "upload-1";
constexpr std::string_view download_kind = "download-1";
constexpr std::size_t mac_size = sizeof(crypto::Digest);
constexpr std::size_t shortest_secret = 16;

std::string join(std::initializer_list<std::string_view> values)
{
    std::string text;
    for (std::string_view const value : values) {
        if (!text.empty()) text += separator;
        text += value;
    }
    return text;
}

std::vector<std::string> split(std::string const& text)
{
    std::vector<std::string> values;
    boost::algorithm::split(values, text, boost::algorithm::is_from_range(separator, separator));
    return values;
}

std::optional<std::int64_t> parse_integer(std::string_view text)
{
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string to_text(core::Time time)
{
    return std::to_string(time.time_since_epoch().count());
}

/// The fields with which both kinds of token begin: kind, scope, attachment, version, size, type, expiry.
struct Common {
    Key key;
    std::int64_t size_bytes = 0;
    core::Time expires;
};

constexpr std::size_t common_fields = 7;

std::optional<Common> parse_common(
    std::vector<std::string> const& values, std::string_view kind, core::Time now)
{
    if (values.size() < common_fields || values[0] != kind) return std::nullopt;
    auto const scope_id = parse_integer(values[1]);
    auto const attachment_id = core::Uuid::parse(values[2]);
    auto const size = parse_integer(values[4]);
    auto const expires = parse_integer(values[6]);
    if (!scope_id || !attachment_id || !size || !expires) return std::nullopt;
    core::Time const until{core::Time::duration(*expires)};
    if (now >= until) return std::nullopt;
    return Common{{core::ScopeId{*scope_id}, *attachment_id, values[3]}, *size, until};
}

std::string common_text(std::string_view kind, Key const& key, std::int64_t size,
    std::string_view content_type, core::Time expires)
{
    return join({kind, core::to_string(key.scope_id), key.attachment_id.to_string(), key.version,
        std::to_string(size), content_type, to_text(expires)});
}

} // namespace

UrlTokens::UrlTokens(std::vector<core::Secret> const& secrets)
{
    if (secrets.empty()) throw std::invalid_argument("tokens of upload and download URLs need a secret");
    for (core::Secret const& secret : secrets) {
        if (secret.reveal().size() < shortest_secret) {
            throw std::invalid_argument(
                "the secret for tokens of upload and download URLs must have at least 16 bytes");
        }
        auto const key = crypto::hmac_sha256(secret.reveal(), "blobs: addresses");
        keys_.emplace_back(std::string(crypto::view(key)));
    }
}

std::string UrlTokens::sign_payload(std::string_view payload) const
{
    auto const mac = crypto::hmac_sha256(keys_.front().reveal(), payload);
    return crypto::base64url::encode(std::string(crypto::view(mac)).append(payload));
}

std::optional<std::string> UrlTokens::verify_payload(std::string_view token) const
{
    auto const bytes = crypto::base64url::decode(token);
    if (!bytes || bytes->size() <= mac_size) return std::nullopt;
    std::string_view const mac = std::string_view(*bytes).substr(0, mac_size);
    std::string_view const payload = std::string_view(*bytes).substr(mac_size);
    for (core::Secret const& key : keys_) {
        auto const expected = crypto::hmac_sha256(key.reveal(), payload);
        if (crypto::equal_constant_time(mac, crypto::view(expected))) return std::string(payload);
    }
    return std::nullopt;
}

std::string UrlTokens::sign(Upload const& upload) const
{
    return sign_payload(
        common_text(upload_kind, upload.key, upload.size_bytes, upload.content_type, upload.expires));
}

std::string UrlTokens::sign(Download const& download) const
{
    return sign_payload(join({common_text(download_kind, download.key, download.size_bytes,
                                  download.content_type, download.expires),
        download.filename}));
}

std::optional<Upload> UrlTokens::verify_upload(std::string_view token, core::Time now) const
{
    auto const payload = verify_payload(token);
    if (!payload) return std::nullopt;
    auto values = split(*payload);
    auto const common = parse_common(values, upload_kind, now);
    if (!common || values.size() != common_fields) return std::nullopt;
    return Upload{common->key, common->size_bytes, std::move(values[5]), common->expires};
}

std::optional<Download> UrlTokens::verify_download(std::string_view token, core::Time now) const
{
    auto const payload = verify_payload(token);
    if (!payload) return std::nullopt;
    auto values = split(*payload);
    auto const common = parse_common(values, download_kind, now);
    if (!common || values.size() != common_fields + 1) return std::nullopt;
    return Download{
        common->key, common->size_bytes, std::move(values[5]), std::move(values[7]), common->expires};
}

} // namespace blobs
