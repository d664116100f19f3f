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
    std::string region;         ///< `us-east-1`
    core::Secret session_token; ///< of short-lived ones; empty: none
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// What is signed: all of it. Each header and parameter once.
struct Request {
    std::string_view method;
    std::string host; ///< as the Host field has it: with the port unless it is the scheme's own
    std::string path; ///< from `/`, not percent-encoded
    Pairs query;      ///< not percent-encoded
    Pairs headers;    ///< besides `host`; names in lower case, values without surrounding or repeated spaces
};

/// Stands for the hash of a payload that is not known when an address is signed.
inline constexpr std::string_view unsigned_payload = "UNSIGNED-PAYLOAD";

/// Path and query of an address that carries its own signature (`/key?X-Amz-Algorithm=...`), the parameters
/// in the order of their names. Whoever uses it has to send exactly the headers of `request`.
std::string presign(Credentials const& credentials, Request request, std::string_view payload_hash,
    core::Time now, std::chrono::seconds lifetime);

/// The header fields to add to a request that is sent at once: `x-amz-content-sha256`, `x-amz-date`,
/// `x-amz-security-token` when there is a session token, `authorization`. `payload_hash` is the SHA-256 of
/// the body in hexadecimal.
Pairs sign(Credentials const& credentials, Request request, std::string_view payload_hash, core::Time now);

/// Percent-encodes all but `A-Za-z0-9-._~` (RFC 3986, unreserved) and, if it is kept, `/`.
std::string uri_encode(std::string_view text, bool keep_slash = false);

/// Path and query as they are sent: encoded, the parameters in the order of their names.
std::string target(Request const& request);

} // namespace blobs::sigv4
