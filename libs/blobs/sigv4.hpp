#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// AWS Signature Version 4 for S3, as pure functions.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
namespace blobs::sigv4 {

struct Credentials {
    std::string access_key_id;
    core::Secret secret_access_key;
    std::string region;         ///< such as `us-east-1`
    core::Secret session_token; ///< empty unless the credentials are short-lived
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// The parts of a request that are signed. Each header and each query parameter may occur once.
struct Request {
    std::string_view method;
    std::string host; ///< as in the Host field: with the port unless it is the scheme's default
    std::string path; ///< begins with `/`; not percent-encoded
    Pairs query;      ///< not percent-encoded
    Pairs headers;    ///< except `host`; lower-case names; values without surrounding or repeated spaces
};

/// The payload hash of a URL that is signed before its payload is known.
inline constexpr std::string_view unsigned_payload = "UNSIGNED-PAYLOAD";

/// Path and query of a URL that contains its signature (`/key?X-Amz-Algorithm=...`), with the parameters
/// sorted by name. A client must send exactly the headers of `request`.
std::string presign(Credentials const& credentials, Request request, std::string_view payload_hash,
    core::Time now, std::chrono::seconds lifetime);

/// The header fields to add to a request that is sent now: `x-amz-content-sha256`, `x-amz-date`,
/// `x-amz-security-token` if there is a session token, `authorization`. `payload_hash` is the SHA-256 of the
/// body in hexadecimal.
Pairs sign(Credentials const& credentials, Request request, std::string_view payload_hash, core::Time now);

/// Path and query as they are sent: encoded, with the parameters sorted by name.
std::string target(Request const& request);

} // namespace blobs::sigv4
