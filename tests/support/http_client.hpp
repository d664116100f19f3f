#pragma once

#include <boost/json/value.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace testing {

class HttpResponse {
public:
    unsigned status = 0;
    /// Lower-case names; values of repeated headers are joined by ", ".
    std::map<std::string, std::string, std::less<>> headers;
    std::string body;

    /// Returns the header's value, or "" if it is absent.
    std::string const& header(std::string_view lower_case_name) const;
    /// Returns the parsed body. Throws if it is not JSON.
    boost::json::value const& json() const&;
    boost::json::value json() &&;

private:
    mutable std::optional<boost::json::value> json_;
};

/// Returns `response` if it has that status; otherwise throws std::runtime_error with its body.
HttpResponse require(unsigned status, HttpResponse response);

/// A small blocking HTTP/1.1 client over libcurl that keeps its connection between requests. Not thread-safe.
/// Follows no redirects. Throws std::runtime_error when there is no response (refused, reset, timed out).
///
///     testing::HttpClient client("http://127.0.0.1:8101");
///     client.set("Host", "demo.feedback.localhost");
///     auto const r = client.post("/v1/feedbacks", R"({"title":"x"})", {{"Authorization", "Bearer " + key}});
class HttpClient {
public:
    using Headers = std::vector<std::pair<std::string, std::string>>;

    explicit HttpClient(std::string base_url, std::chrono::milliseconds timeout = std::chrono::minutes(2));
    ~HttpClient();
    HttpClient(HttpClient&&) noexcept;
    HttpClient& operator=(HttpClient&&) noexcept;

    /// Adds a header to all later requests. With an empty value, later requests are sent without the header.
    void set(std::string name, std::string value);

    /// `path` is the request target as sent, query included. Headers of the request replace headers that
    /// `set` has added, also `Host`. A request with a body is sent as `application/json` unless it has
    /// another Content-Type.
    HttpResponse request(std::string const& method, std::string const& path, Headers const& headers = {},
        std::optional<std::string> const& body = std::nullopt);

    HttpResponse get(std::string const& path, Headers const& headers = {})
    {
        return request("GET", path, headers);
    }

    HttpResponse del(std::string const& path, Headers const& headers = {})
    {
        return request("DELETE", path, headers);
    }

    HttpResponse post(std::string const& path, std::string const& body, Headers const& headers = {})
    {
        return request("POST", path, headers, body);
    }

    HttpResponse put(std::string const& path, std::string const& body, Headers const& headers = {})
    {
        return request("PUT", path, headers, body);
    }

    HttpResponse patch(std::string const& path, std::string const& body, Headers const& headers = {})
    {
        return request("PATCH", path, headers, body);
    }

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace testing
