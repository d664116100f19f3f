#include "http_client/curl_handles.hpp"

#include <new>
#include <stdexcept>
#include <utility>

namespace http_client {

CurlHandles::CurlHandles(std::size_t max_idle) : max_idle_(max_idle)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        throw std::runtime_error("libcurl cannot be initialised");
}

CurlHandles::~CurlHandles()
{
    idle_.clear();
    curl_global_cleanup();
}

CurlHandle CurlHandles::take()
{
    {
        std::lock_guard const lock(mutex_);
        if (!idle_.empty()) {
            CurlHandle handle = std::move(idle_.back());
            idle_.pop_back();
            return handle;
        }
    }
    CurlHandle handle(curl_easy_init());
    if (!handle) throw std::bad_alloc();
    return handle;
}

void CurlHandles::put_back(CurlHandle handle)
{
    // The reset keeps connections and TLS sessions, and drops pointers to objects of the transfer.
    curl_easy_reset(handle.get());
    std::lock_guard const lock(mutex_);
    if (idle_.size() < max_idle_) idle_.push_back(std::move(handle));
}

} // namespace http_client
