#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace http_client {

struct FreeCurl {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }

    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }

    void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};

using CurlHandle = std::unique_ptr<CURL, FreeCurl>;
using CurlList = std::unique_ptr<curl_slist, FreeCurl>;
using CurlUrl = std::unique_ptr<CURLU, FreeCurl>;

/// A pool of libcurl handles, each with its open connections. Each user of libcurl has its own pool.
/// Thread-safe.
class CurlHandles {
public:
    /// Keeps at most `max_idle` handles. Throws std::runtime_error if libcurl cannot be initialised.
    explicit CurlHandles(std::size_t max_idle);
    ~CurlHandles();
    CurlHandles(CurlHandles const&) = delete;
    CurlHandles& operator=(CurlHandles const&) = delete;

    /// Returns the handle that was put back last, because its connections are the most recently used, or a
    /// new handle. All options of the handle have their defaults.
    CurlHandle take();

    /// Puts a handle back after its transfer, successful or not.
    void put_back(CurlHandle handle);

private:
    std::size_t const max_idle_;
    std::mutex mutex_;
    std::vector<CurlHandle> idle_;
};

} // namespace http_client
