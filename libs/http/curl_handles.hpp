#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace http {

struct FreeCurl {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }

    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }

    void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};

using CurlHandle = std::unique_ptr<CURL, FreeCurl>;
using CurlList = std::unique_ptr<curl_slist, FreeCurl>;
using CurlUrl = std::unique_ptr<CURLU, FreeCurl>;

/// libcurl's handles between the transfers they serve, each with the connections it has open. Whatever speaks
/// through libcurl, HTTP or not, keeps its own. Safe from any thread.
class CurlHandles {
public:
    /// At most `max_idle` are kept. Throws std::runtime_error when libcurl does not start.
    explicit CurlHandles(std::size_t max_idle);
    ~CurlHandles();
    CurlHandles(CurlHandles const&) = delete;
    CurlHandles& operator=(CurlHandles const&) = delete;

    /// The one that was put back last, since its connections are the youngest, or a new one. Its options are
    /// the default ones.
    CurlHandle take();

    /// Takes back one whose transfer is over, however it ended.
    void put_back(CurlHandle handle);

private:
    std::size_t const max_idle_;
    std::mutex mutex_;
    std::vector<CurlHandle> idle_;
};

} // namespace http
