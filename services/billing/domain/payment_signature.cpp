#include "domain/payment_signature.hpp"

#include "core/hex.hpp"
#include "core/text.hpp"
#include "crypto/compare.hpp"
#include "crypto/hmac.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace billing {

namespace {

/// Maximum number of signatures that are read; further ones are ignored. The provider sends one signature per
/// secret. Each signature is compared with each of the tenant's secrets, so the limit bounds the work.
constexpr std::size_t max_signatures = 16;

struct Header {
    std::string_view time;
    std::vector<std::string_view> signatures;
};

Header parse(std::string_view header)
{
    Header parsed;
    while (!header.empty()) {
        auto const end = header.find(',');
        auto const part = core::trim(header.substr(0, end));
        header = end == std::string_view::npos ? std::string_view() : header.substr(end + 1);
        if (part.starts_with("t=")) parsed.time = part.substr(2);
        if (part.starts_with("v1=") && parsed.signatures.size() < max_signatures)
            parsed.signatures.push_back(part.substr(3));
    }
    return parsed;
}

std::optional<std::int64_t> parse_seconds(std::string_view text)
{
    std::int64_t seconds = 0;
    auto const* const begin = text.data();
    auto const* const end = begin + text.size();
    auto const [stop, failed] = std::from_chars(begin, end, seconds);
    if (text.empty() || failed != std::errc() || stop != end) return std::nullopt;
    return seconds;
}

bool is_recent(std::string_view time, core::Time now)
{
    auto const signed_at = parse_seconds(time);
    if (!signed_at) return false;
    auto const here = core::unix_seconds(now);
    auto const tolerance = signature_tolerance.count();
    return *signed_at >= here - tolerance && *signed_at <= here + tolerance;
}

} // namespace

SignedBody::SignedBody(std::string_view header, std::string_view body, core::Time now)
{
    Header parsed = parse(header);
    if (parsed.signatures.empty() || !is_recent(parsed.time, now)) return;
    content_.reserve(parsed.time.size() + 1 + body.size());
    content_.append(parsed.time).append(1, '.').append(body);
    signatures_ = std::move(parsed.signatures);
}

bool SignedBody::is_signed_with(core::Secret const& secret) const
{
    if (signatures_.empty()) return false;
    auto const digest = crypto::hmac_sha256(secret.reveal(), content_);
    std::string const expected = core::hex::encode(crypto::view(digest));
    bool matches = false;
    for (auto const signature : signatures_)
        matches |= crypto::equal_constant_time(signature, expected);
    return matches;
}

bool is_signed(
    std::string_view header, std::string_view body, std::span<core::Secret const> secrets, core::Time now)
{
    SignedBody const signed_body(header, body, now);
    bool matches = false;
    for (auto const& secret : secrets)
        matches |= signed_body.is_signed_with(secret);
    return matches;
}

} // namespace billing
