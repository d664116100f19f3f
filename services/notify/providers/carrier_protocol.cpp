#include "providers/carrier_protocol.hpp"

#include "http_client/url.hpp"

#include <stdexcept>

namespace notify {

BaseUrl BaseUrl::parse(std::string const& text)
{
    auto const parsed = http_client::parse_url(text);
    if (!parsed) throw std::invalid_argument("not an http or https URL");
    BaseUrl url{.host = parsed->host, .port = parsed->port, .tls = parsed->scheme == "https"};
    bool const is_v6 = parsed->host.find(':') != std::string::npos;
    url.authority = is_v6 ? '[' + parsed->host + ']' : parsed->host;
    if (parsed->port != (url.tls ? 443 : 80)) url.authority += ':' + std::to_string(parsed->port);
    auto const path = text.find('/', text.find("://") + 3);
    if (path != std::string::npos) url.prefix = text.substr(path);
    while (url.prefix.ends_with('/'))
        url.prefix.pop_back();
    return url;
}

CarrierResponse unexpected_response(unsigned status)
{
    bool const accepted = status >= 200 && status < 300;
    std::string reason = accepted ? std::string(push_reasons::unexpected) : "HTTP_" + std::to_string(status);
    return {.result = push_result(Verdict::transient, std::move(reason))};
}

} // namespace notify
