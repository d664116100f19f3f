#include "support/http_client.hpp"

#include "core/text.hpp"

#include <boost/json.hpp>
#include <curl/curl.h>

#include <stdexcept>

namespace testing {

namespace {

using HeaderList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

} // namespace

std::string const& HttpResponse::header(std::string_view lower_case_name) const
{
    static std::string const absent;
    auto const found = headers.find(lower_case_name);
    return found == headers.end() ? absent : found->second;
}

boost::json::value const& HttpResponse::json() const&
{
    if (!json_) json_ = boost::json::parse(body);
    return *json_;
}

boost::json::value HttpResponse::json() &&
{
    return boost::json::parse(body);
}

HttpResponse require(unsigned status, HttpResponse response)
{
    if (response.status != status)
        throw std::runtime_error("expected " + std::to_string(status) + ", got " +
                                 std::to_string(response.status) + ": " + response.body);
    return response;
}

struct HttpClient::Impl {
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl{curl_easy_init(), &curl_easy_cleanup};
    std::string base_url;
    std::chrono::milliseconds timeout;
    std::map<std::string, std::pair<std::string, std::string>> defaults; ///< by lower-case name
};

static std::size_t append_body(char const* data, std::size_t, std::size_t size, void* response)
{
    static_cast<HttpResponse*>(response)->body.append(data, size);
    return size;
}

static std::size_t append_header(char const* data, std::size_t, std::size_t size, void* target)
{
    auto& headers = static_cast<HttpResponse*>(target)->headers;
    std::string_view line(data, size);
    line = line.substr(0, line.find_last_not_of("\r\n") + 1);
    // Each status line starts a new response: headers of an interim response (100) are dropped.
    if (line.starts_with("HTTP/")) headers.clear();
    auto const colon = line.find(':');
    if (colon == std::string_view::npos) return size;
    auto const start = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
    std::string& value = headers[core::lower(line.substr(0, colon))];
    if (!value.empty()) value += ", ";
    value += line.substr(start);
    return size;
}

HttpClient::HttpClient(std::string base_url, std::chrono::milliseconds timeout)
    : impl_(std::make_unique<Impl>())
{
    if (!impl_->curl) throw std::runtime_error("curl_easy_init failed");
    impl_->base_url = std::move(base_url);
    impl_->timeout = timeout;
}

HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

void HttpClient::set(std::string name, std::string value)
{
    std::string const key = core::lower(name);
    if (value.empty())
        impl_->defaults.erase(key);
    else
        impl_->defaults[key] = {std::move(name), std::move(value)};
}

HttpResponse HttpClient::request(std::string const& method, std::string const& path, Headers const& headers,
    std::optional<std::string> const& body)
{
    auto all = impl_->defaults;
    // Empty values keep libcurl from adding its own headers.
    all.try_emplace("expect", "Expect", "");
    if (body)
        all.try_emplace("content-type", "Content-Type", "application/json");
    else
        all.try_emplace("content-type", "Content-Type", "");
    for (auto const& header : headers)
        all[core::lower(header.first)] = header;
    HeaderList list(nullptr, &curl_slist_free_all);
    for (auto const& [key, header] : all) {
        // "Name:" removes a header that libcurl adds.
        std::string const line = header.first + ":" + (header.second.empty() ? "" : " " + header.second);
        curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
        if (!longer) throw std::bad_alloc();
        std::ignore = list.release();
        list.reset(longer);
    }

    HttpResponse response;
    CURL* const curl = impl_->curl.get();
    curl_easy_reset(curl); // keeps the connection
    curl_easy_setopt(curl, CURLOPT_URL, (impl_->base_url + path).c_str());
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method.c_str());
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list.get());
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(impl_->timeout.count()));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &append_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &append_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response);
    if (method == "HEAD") curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    if (body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body->data());
    }
    CURLcode const result = curl_easy_perform(curl);
    if (result != CURLE_OK) throw std::runtime_error(method + " " + path + ": " + curl_easy_strerror(result));
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<unsigned>(status);
    return response;
}

} // namespace testing
