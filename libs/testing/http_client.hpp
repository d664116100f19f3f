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
    std::map<std::string, std::string, std::less<>>
        headers; ///< lower-case names; repeated ones joined by ", "
    std::string body;

    /// The header's value, "" when absent.
    std::string const& header(std::string_view lower_case_name) const;
    /// The body parsed; throws when it is not JSON.
    boost::json::value const& json() const&;
    boost::json::value json() &&;

private:
    mutable std::optional<boost::json::value> json_;
};

/// The response, which has that status. Throws std::runtime_error, with what it says, when it has another.
HttpResponse require(unsigned status, HttpResponse response);

/// A small blocking HTTP/1.1 client over libcurl that keeps its connection between requests. One per thread.
/// Follows no redirects. Throws std::runtime_error when there is no answer (refused, reset, timed out).
///
///     testing::HttpClient client("http://127.0.0.1:8101");
///     client.set("Host", "demo.feedback.localhost");
///     auto const r = client.post("/v1/feedbacks", R"({"title":"x"})", {{"Authorization", "Bearer " + key}});
class HttpClient {
public:
    using Headers = std::vector<std::pair<std::string, std::string>>;

    explicit HttpClient(std::string base_url, std::chrono::milliseconds timeout = std::chrono::seconds(30));
    ~HttpClient();
    HttpClient(HttpClient&&) noexcept;
    HttpClient& operator=(HttpClient&&) noexcept;

    /// A header sent with every request from now on; an empty value takes it away again.
    void set(std::string name, std::string value);

    /// `path` is the request target as sent, query included. Request headers win over those `set`; `Host` may
    /// be among them. With a body and no Content-Type given, `application/json` is sent.
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
