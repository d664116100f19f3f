#include "http_client/client.hpp"

#include "http_client/curl_handles.hpp"
#include "http_client/transfer.hpp"
#include "http_client/url.hpp"

#include <algorithm>

namespace http_client {

struct Client::Impl {
    explicit Impl(ClientOptions o) : options(std::move(o)), handles(options.max_idle) {}

    ClientOptions const options;
    CurlHandles handles;
};

Client::Client(ClientOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Client::~Client() = default;

Response Client::send(Request const& request)
{
    if (!parse_url(request.url)) {
        throw Error(Error::Kind::protocol, "the URL is not an http or https URL", false);
    }
    CurlHandle handle = impl_->handles.take();

    struct Return { // a handle can be reused after any failure
        CurlHandles& handles;
        CurlHandle& handle;

        ~Return() { handles.put_back(std::move(handle)); }
    } const on_exit{impl_->handles, handle};

    return perform(handle.get(), request, impl_->options);
}

AddressPolicy const& Client::addresses() const noexcept
{
    return impl_->options.addresses;
}

std::optional<std::string_view> Response::header(std::string_view lower_case_name) const noexcept
{
    auto const it = std::ranges::find_if(headers, [&](auto const& h) { return h.first == lower_case_name; });
    if (it == headers.end()) return std::nullopt;
    return it->second;
}

} // namespace http_client
