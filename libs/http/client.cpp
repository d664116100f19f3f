#include "http/client.hpp"

#include "http/transfer.hpp"

#include <algorithm>
#include <mutex>
#include <new>

namespace http {

namespace {

struct FreeEasy {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

using Easy = std::unique_ptr<CURL, FreeEasy>;

} // namespace

struct Client::Impl {
    explicit Impl(ClientOptions o) : options(std::move(o))
    {
        if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
            throw std::runtime_error("libcurl does not start");
    }

    ~Impl()
    {
        idle.clear();
        curl_global_cleanup();
    }

    Impl(Impl const&) = delete;
    Impl& operator=(Impl const&) = delete;

    Easy take()
    {
        {
            std::lock_guard const lock(mutex);
            if (!idle.empty()) {
                Easy handle = std::move(idle.back()); // the last used one: its connections are the youngest
                idle.pop_back();
                return handle;
            }
        }
        Easy handle(curl_easy_init());
        if (!handle) throw std::bad_alloc();
        return handle;
    }

    void put_back(Easy handle)
    {
        curl_easy_reset(handle.get()); // keeps connections and TLS sessions
        std::lock_guard const lock(mutex);
        if (idle.size() < options.max_idle) idle.push_back(std::move(handle));
    }

    ClientOptions const options;
    std::mutex mutex;
    std::vector<Easy> idle;
};

Client::Client(ClientOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Client::~Client() = default;

OutboundResponse Client::send(OutboundRequest const& request)
{
    if (!parse_outbound_url(request.url)) {
        throw OutboundError(OutboundError::Kind::protocol, "not an http or https URL", false);
    }
    Easy handle = impl_->take();

    struct Return { // a handle is good for another request after any failure
        Impl& impl;
        Easy& handle;

        ~Return() { impl.put_back(std::move(handle)); }
    } const on_exit{*impl_, handle};

    return perform(handle.get(), request, impl_->options);
}

AddressPolicy const& Client::addresses() const noexcept
{
    return impl_->options.addresses;
}

std::optional<std::string_view> OutboundResponse::header(std::string_view lower_case_name) const noexcept
{
    auto const it = std::ranges::find_if(headers, [&](auto const& h) { return h.first == lower_case_name; });
    if (it == headers.end()) return std::nullopt;
    return it->second;
}

std::string_view to_string(OutboundError::Kind kind) noexcept
{
    switch (kind) {
    case OutboundError::Kind::dns:
        return "dns";
    case OutboundError::Kind::connect:
        return "connect";
    case OutboundError::Kind::tls:
        return "tls";
    case OutboundError::Kind::timeout:
        return "timeout";
    case OutboundError::Kind::too_large:
        return "too_large";
    case OutboundError::Kind::refused_address:
        return "refused_address";
    case OutboundError::Kind::stopped:
        return "stopped";
    case OutboundError::Kind::protocol:
        break;
    }
    return "protocol";
}

} // namespace http
