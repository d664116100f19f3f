#include "providers/carrier.hpp"

#include "http_client/client.hpp"

#include <stdexcept>

namespace notify {

Origin Origin::of(std::string const& base_url)
{
    auto const url = http::parse_outbound_url(base_url);
    if (!url) throw std::invalid_argument("not an http or https URL");
    Origin origin{.host = url->host, .port = url->port, .tls = url->scheme == "https"};
    bool const is_v6 = url->host.find(':') != std::string::npos;
    origin.authority = is_v6 ? '[' + url->host + ']' : url->host;
    if (url->port != (origin.tls ? 443 : 80)) origin.authority += ':' + std::to_string(url->port);
    auto const path = base_url.find('/', base_url.find("://") + 3);
    if (path != std::string::npos) origin.prefix = base_url.substr(path);
    while (origin.prefix.ends_with('/'))
        origin.prefix.pop_back();
    return origin;
}

CarrierAnswer unexpected_answer(unsigned status)
{
    bool const accepted = status >= 200 && status < 300;
    std::string reason = accepted ? std::string(push_reasons::nonsense) : "HTTP_" + std::to_string(status);
    return {.answer = push_answer(Verdict::transient, std::move(reason))};
}

} // namespace notify
