#include "blobs/sigv4.hpp"

#include "core/hex.hpp"
#include "core/text.hpp"
#include "crypto/hash.hpp"
#include "crypto/hmac.hpp"

#include <algorithm>

namespace blobs::sigv4 {

namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";

/// The time in the form `20260131T235959Z`.
std::string basic_time(core::Time now)
{
    std::string text = core::to_rfc3339(now).substr(0, 19);
    std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
    return text + 'Z';
}

std::string hex(crypto::Digest const& digest)
{
    return core::hex::encode(crypto::view(digest));
}

/// The scope of a signature: `20260131/us-east-1/s3/aws4_request`.
std::string credential_scope(Credentials const& credentials, std::string_view time)
{
    return std::string(time.substr(0, 8)) + '/' + credentials.region + "/s3/aws4_request";
}

std::string canonical_query(Pairs const& query)
{
    Pairs encoded;
    encoded.reserve(query.size());
    for (auto const& [name, value] : query)
        encoded.emplace_back(core::percent_encode(name), core::percent_encode(value));
    std::ranges::sort(encoded);
    std::string text;
    for (auto const& [name, value] : encoded) {
        if (!text.empty()) text += '&';
        text.append(name).append(1, '=').append(value);
    }
    return text;
}

/// The signed header fields including `host`, sorted by name.
Pairs signed_headers(Request const& request)
{
    Pairs headers = request.headers;
    headers.emplace_back("host", request.host);
    std::ranges::sort(headers);
    return headers;
}

/// The names of the headers in the form `content-length;content-type;host`.
std::string names(Pairs const& headers)
{
    std::string text;
    for (auto const& header : headers) {
        if (!text.empty()) text += ';';
        text += header.first;
    }
    return text;
}

std::string signature(Credentials const& credentials, Request const& request, std::string_view payload_hash,
    std::string_view time)
{
    Pairs const headers = signed_headers(request);
    std::string canonical;
    canonical.append(request.method).append(1, '\n');
    canonical.append(core::percent_encode(request.path, "/")).append(1, '\n');
    canonical.append(canonical_query(request.query)).append(1, '\n');
    for (auto const& [name, value] : headers)
        canonical.append(name).append(1, ':').append(value).append(1, '\n');
    canonical.append(1, '\n').append(names(headers)).append(1, '\n').append(payload_hash);

    std::string to_sign(algorithm);
    to_sign.append(1, '\n').append(time).append(1, '\n').append(credential_scope(credentials, time));
    to_sign.append(1, '\n').append(hex(crypto::sha256(canonical)));

    core::Secret const seed("AWS4" + credentials.secret_access_key.reveal());
    crypto::Digest key = crypto::hmac_sha256(seed.reveal(), time.substr(0, 8));
    key = crypto::hmac_sha256(crypto::view(key), credentials.region);
    key = crypto::hmac_sha256(crypto::view(key), "s3");
    key = crypto::hmac_sha256(crypto::view(key), "aws4_request");
    return hex(crypto::hmac_sha256(crypto::view(key), to_sign));
}

} // namespace

std::string target(Request const& request)
{
    std::string text = core::percent_encode(request.path, "/");
    if (!request.query.empty()) text.append(1, '?').append(canonical_query(request.query));
    return text;
}

std::string presign(Credentials const& credentials, Request request, std::string_view payload_hash,
    core::Time now, std::chrono::seconds lifetime)
{
    std::string const time = basic_time(now);
    request.query.emplace_back("X-Amz-Algorithm", algorithm);
    request.query.emplace_back(
        "X-Amz-Credential", credentials.access_key_id + '/' + credential_scope(credentials, time));
    request.query.emplace_back("X-Amz-Date", time);
    request.query.emplace_back("X-Amz-Expires", std::to_string(lifetime.count()));
    if (!credentials.session_token.empty())
        request.query.emplace_back("X-Amz-Security-Token", credentials.session_token.reveal());
    request.query.emplace_back("X-Amz-SignedHeaders", names(signed_headers(request)));
    request.query.emplace_back("X-Amz-Signature", signature(credentials, request, payload_hash, time));
    return target(request);
}

Pairs sign(Credentials const& credentials, Request request, std::string_view payload_hash, core::Time now)
{
    std::string const time = basic_time(now);
    Pairs added{{"x-amz-content-sha256", std::string(payload_hash)}, {"x-amz-date", time}};
    if (!credentials.session_token.empty())
        added.emplace_back("x-amz-security-token", credentials.session_token.reveal());
    request.headers.insert(request.headers.end(), added.begin(), added.end());
    added.emplace_back("authorization",
        std::string(algorithm) + " Credential=" + credentials.access_key_id + '/' +
            credential_scope(credentials, time) + ", SignedHeaders=" + names(signed_headers(request)) +
            ", Signature=" + signature(credentials, request, payload_hash, time));
    return added;
}

} // namespace blobs::sigv4
