#include "blobs/s3_store.hpp"

#include "blobs/content_disposition.hpp"
#include "blobs/region.hpp"
#include "blobs/xml.hpp"
#include "core/backoff.hpp"
#include "core/error.hpp"
#include "core/hex.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/random.hpp"
#include "http_client/url.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace blobs {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t keys_per_page = 1000; // the maximum that S3 lists and deletes in one request

// S3 asks clients to retry requests that end in 5xx (`SlowDown`, `InternalError`). All requests sent here are
// idempotent.
constexpr unsigned attempts = 3;

bool is_passing(unsigned status)
{
    return status == 429 || status >= 500;
}

/// The code in an error document of S3 (`AccessDenied`); "" if there is none.
std::string error_code(std::string const& body)
{
    return xml::text_at(body, "Error.Code");
}

/// The Content-MD5 header of a delete request. No other hash is accepted by every S3-compatible server.
std::string content_md5(std::string const& body)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    std::size_t size = 0;
    if (EVP_Q_digest(nullptr, "MD5", nullptr, body.data(), body.size(), digest.data(), &size) != 1) {
        throw std::runtime_error("OpenSSL offers no MD5, which S3's DeleteObjects requires");
    }
    return crypto::base64::encode({reinterpret_cast<char const*>(digest.data()), size});
}

/// The total size in a Content-Range header (4711 in `bytes 0-15/4711`).
std::optional<std::int64_t> total_size(std::optional<std::string_view> content_range)
{
    if (!content_range) return std::nullopt;
    auto const slash = content_range->rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    std::string_view const digits = content_range->substr(slash + 1);
    std::int64_t total = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), total);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return total;
}

[[noreturn]] void refuse(std::string_view what, http_client::Response const& response)
{
    if (is_passing(response.status)) {
        throw core::Error::unavailable("The attachment store cannot serve requests now. Retry later.");
    }
    throw std::runtime_error("S3 answered " + std::to_string(response.status) + ' ' +
                             error_code(response.body) + " to " + std::string(what));
}

} // namespace

/// One request with signed headers.
struct S3Store::Call {
    std::string_view method;
    std::string_view object; ///< if empty, the request is for the bucket
    sigv4::Pairs query = {};
    sigv4::Pairs headers = {};
    std::string body = {};
    std::size_t max_response_bytes = 1 << 20;
    std::chrono::milliseconds timeout = 10s;
};

S3Store::S3Store(S3Options options, http_client::Client& client, core::Clock const& clock, unsigned threads)
    : options_(std::move(options)), client_(client), clock_(clock), workers_(threads)
{
    if (options_.bucket.empty() || options_.region.empty() || !options_.credentials)
        throw std::invalid_argument("S3 needs a bucket, a region and credentials");
    if (options_.endpoint.empty()) {
        host_ = options_.bucket + ".s3." + options_.region + '.' + aws_domain(options_.region);
        origin_ = "https://" + host_;
        return;
    }
    origin_ = options_.endpoint;
    if (origin_.ends_with('/')) origin_.pop_back();
    auto const url = http_client::parse_url(origin_);
    auto const authority = origin_.find("://") + 3;
    if (!url || url->has_credentials || origin_.find_first_of("/?#", authority) != std::string::npos) {
        throw std::invalid_argument("the S3 endpoint must have the form http(s)://host[:port]");
    }
    // The Host header must not contain the default port of the scheme.
    host_ = origin_.substr(authority);
    std::string const implied = url->scheme == "https" ? ":443" : ":80";
    if (host_.ends_with(implied)) host_.resize(host_.size() - implied.size());
    origin_ = url->scheme + "://" + host_;
    root_ = '/' + options_.bucket;
}

sigv4::Request S3Store::request(std::string_view method, std::string_view object) const
{
    return {.method = method,
        .host = host_,
        .path = root_ + '/' + std::string(object),
        .query = {},
        .headers = {}};
}

sigv4::Credentials S3Store::signer(AwsCredentials const& issued) const
{
    auto keys = issued.keys;
    keys.region = options_.region;
    return keys;
}

std::string S3Store::presigned(sigv4::Request request, core::Time expires) const
{
    auto const issued = options_.credentials->current();
    core::Time const now = clock_.now();
    auto lifetime = std::max(std::chrono::ceil<std::chrono::seconds>(expires - now), 1s);
    if (issued->expires)
        lifetime = std::min(lifetime, std::chrono::floor<std::chrono::seconds>(*issued->expires - now));
    if (lifetime < 1s)
        throw core::Error::unavailable("The attachment store has no valid credentials now. Retry later.");
    request.query.emplace_back("X-Amz-Content-Sha256", sigv4::unsigned_payload);
    return origin_ +
           sigv4::presign(signer(*issued), std::move(request), sigv4::unsigned_payload, now, lifetime);
}

std::string S3Store::upload_url(Upload const& upload, std::string_view)
{
    auto put = request("PUT", upload.key.name());
    put.query = {{"x-id", "PutObject"}};
    put.headers = {
        {"content-length", std::to_string(upload.size_bytes)}, {"content-type", upload.content_type}};
    return presigned(std::move(put), upload.expires);
}

std::string S3Store::download_url(Download const& download, std::string_view)
{
    auto get = request("GET", download.key.name());
    get.query = {{"response-cache-control", "private, no-store"},
        {"response-content-disposition", content_disposition(download.filename)}, {"x-id", "GetObject"}};
    return presigned(std::move(get), download.expires);
}

http_client::Response S3Store::send(Call const& call)
{
    for (unsigned attempt = 1;; ++attempt) {
        auto response = send_once(call);
        if (!is_passing(response.status) || attempt == attempts) return response;
        std::this_thread::sleep_for(core::backoff(attempt - 1, 50ms, 500ms, crypto::random_u64()));
    }
}

http_client::Response S3Store::send_once(Call const& call)
{
    sigv4::Request signed_request = request(call.method, call.object);
    signed_request.query = call.query;
    signed_request.headers = call.headers;
    auto const hash = crypto::sha256(call.body);
    auto added = sigv4::sign(signer(*options_.credentials->wait()), signed_request,
        core::hex::encode(crypto::view(hash)), clock_.now());

    http_client::Request outbound{.method = std::string(call.method),
        .url = origin_ + sigv4::target(signed_request),
        .headers = call.headers,
        .body = call.body,
        .timeout = call.timeout,
        .max_response_bytes = call.max_response_bytes};
    outbound.headers.insert(outbound.headers.end(), added.begin(), added.end());
    try {
        return client_.send(outbound);
    } catch (http_client::Error const& error) {
        if (error.kind() == http_client::Error::Kind::too_large) throw;
        throw core::Error::unavailable("The attachment store cannot be reached. Retry later.");
    }
}

std::optional<Stat> S3Store::stat_blocking(Key const& key)
{
    Key const uploaded{key.scope_id, key.attachment_id, {}};
    auto const response = send({.method = "GET",
        .object = uploaded.name(),
        .headers = {{"range", "bytes=0-" + std::to_string(TypeDetector::head_size - 1)}}});
    if (response.status == 404) return std::nullopt;
    if (response.status != 206) refuse("a ranged GET", response);
    auto const total = total_size(response.header("content-range"));
    auto const tag = response.header("etag");
    if (!total || !tag) throw std::runtime_error("S3 answered a ranged GET without Content-Range or ETag");
    return Stat{*total, types_.detect(response.body), std::string(*tag)};
}

std::optional<std::string> S3Store::finalize_blocking(Key const& key, Stat const& stat)
{
    Key const uploaded{key.scope_id, key.attachment_id, {}};
    Key const kept{key.scope_id, key.attachment_id, new_version()};
    auto const response = send({.method = "PUT",
        .object = kept.name(),
        .headers = {{"x-amz-copy-source", '/' + options_.bucket + '/' + uploaded.name()},
            {"x-amz-copy-source-if-match", stat.tag}},
        .timeout = 30s});
    if (response.status == 404 || response.status == 412) return std::nullopt;
    if (response.status != 200) refuse("a copy", response);
    // S3 may send status 200 before the copy is complete. S3 reports a later failure in the body.
    if (!error_code(response.body).empty()) {
        throw core::Error::unavailable("The attachment store failed to copy an attachment. Retry later.");
    }
    return kept.version;
}

asio::awaitable<std::optional<Stat>> S3Store::stat(Key key)
{
    co_return co_await workers_.run([&] { return stat_blocking(key); });
}

asio::awaitable<std::optional<std::string>> S3Store::finalize(Key key, Stat stat)
{
    co_return co_await workers_.run([&] { return finalize_blocking(key, stat); });
}

std::vector<std::string> S3Store::list(std::string const& prefix)
{
    auto const response = send({.method = "GET",
        .object = {},
        .query = {{"list-type", "2"}, {"max-keys", std::to_string(keys_per_page)}, {"prefix", prefix}},
        .timeout = 30s});
    if (response.status != 200) refuse("a list", response);
    std::vector<std::string> objects;
    xml::Tree const tree = xml::parse(response.body);
    for (auto const& [name, child] : tree.get_child("ListBucketResult")) {
        if (name == "Contents") objects.push_back(child.get<std::string>("Key"));
    }
    return objects;
}

void S3Store::erase(std::vector<std::string> const& objects)
{
    std::string body = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>";
    // The names of our objects consist of digits, letters, `/`, `-` and `.`, so XML needs no escapes.
    for (std::string const& object : objects)
        body.append("<Object><Key>").append(object).append("</Key></Object>");
    body.append("</Delete>");
    std::string md5 = content_md5(body);
    auto const response = send({.method = "POST",
        .object = {},
        .query = {{"delete", ""}},
        .headers = {{"content-md5", std::move(md5)}, {"content-type", "application/xml"}},
        .body = std::move(body),
        .timeout = std::chrono::minutes(1)});
    if (response.status != 200) refuse("a delete", response);
    auto const tree = xml::parse(response.body);
    if (auto const result = tree.get_child_optional("DeleteResult"); result && result->count("Error") != 0) {
        throw std::runtime_error(
            "S3 did not delete all objects: " + result->get("Error.Code", std::string{}));
    }
}

void S3Store::erase_except(Key const& keep)
{
    Key const any{keep.scope_id, keep.attachment_id, {}};
    std::vector<std::string> objects = list(any.name());
    if (!keep.version.empty()) std::erase(objects, keep.name());
    if (!objects.empty()) erase(objects);
}

void S3Store::erase_scope(core::ScopeId scope_id)
{
    // Each iteration lists the first page, because the objects of the previous page have been deleted.
    std::string const prefix = core::to_string(scope_id) + '/';
    std::vector<std::string> before;
    for (auto objects = list(prefix); !objects.empty(); objects = list(prefix)) {
        if (objects == before) throw std::runtime_error("S3 still lists objects that it reported as deleted");
        erase(objects);
        before = std::move(objects);
    }
}

} // namespace blobs
