// The input is the header fields of a request, one `Name: value` on each line. The checks cover tenant,
// credential, client address, trace, conditions and ranges.
#include "blobs/media_type.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "fuzz.hpp"
#include "gateway/rules.hpp"
#include "gateway/trusted_proxies.hpp"
#include "http/etag.hpp"
#include "http/range.hpp"
#include "observe/trace.hpp"
#include "tenancy/resolve.hpp"
#include "tenancy/slug.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <string>

using fuzz::require;
using tenancy::Resolution;

namespace {

http::Request read(fuzz::Input input)
{
    http::Request request;
    while (!input.empty()) {
        std::string_view const line = input.line();
        auto const colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        request.headers.push_back({line.substr(0, colon), core::trim(line.substr(colon + 1))});
    }
    return request;
}

/// Returns nullopt if the request is refused. The only allowed error is TENANT_MISMATCH.
std::optional<Resolution> resolve(http::Request const& request, bool tenant_headers)
{
    try {
        return tenancy::resolve(
            request.headers, tenancy::ResolveRules("feedback.example.com", tenant_headers));
    } catch (core::Error const& error) {
        require(error.code().name == core::codes::tenant_mismatch.name);
        return std::nullopt;
    }
}

void check_tenant(http::Request const& request)
{
    auto const by_host = resolve(request, false), by_all = resolve(request, true);
    for (auto const& named : {by_host, by_all}) {
        if (!named) continue;
        bool const is_tenant = named->kind == Resolution::Kind::tenant;
        require(is_tenant == tenancy::is_slug(named->slug) && (is_tenant || named->slug.empty()));
        require(!is_tenant || named->environment);
        if (is_tenant) {
            require(gateway::agrees(*named, named->slug, *named->environment));
            require(!gateway::agrees(*named, named->slug + "x", *named->environment));
        }
    }
    // Headers can complete the host's tenant and environment, but never change them.
    if (by_all) require(by_host.has_value());
    if (by_all && by_host->kind != Resolution::Kind::nothing)
        require(by_all->kind == by_host->kind && by_all->slug == by_host->slug &&
                by_all->environment == by_host->environment);
}

void check_credential(http::Request const& request)
{
    auto const credential = gateway::read_credential(request);
    require(credential.token.empty() || credential.sent);
    require(credential.token.find_first_of(" \t,") == std::string_view::npos);
}

void check_client(http::Request const& request)
{
    static auto const proxies = gateway::TrustedProxies::parse("10.0.0.0/8, ::1, 2001:db8::/32").value();
    auto const forwarded = gateway::joined_header(request, "X-Forwarded-For").value_or("");
    require(proxies.client_address("192.0.2.1", forwarded) == "192.0.2.1"); // not a trusted proxy
    boost::system::error_code failed;
    boost::asio::ip::make_address(proxies.client_address("10.0.0.1", forwarded), failed);
    require(!failed);
    if (auto const trusted = gateway::TrustedProxies::parse(forwarded))
        trusted->client_address("10.0.0.1", forwarded);
}

void check_trace(http::Request const& request)
{
    auto const id = observe::request_id(request.header("X-Request-Id"));
    require(!id.empty() && id.size() <= 64 && id.find_first_of("\r\n\" ") == std::string::npos);
    auto const header = request.header("traceparent");
    auto const given = header ? observe::parse_traceparent(*header) : std::nullopt;
    auto const trace = observe::continue_trace(header);
    auto const passed_on = observe::parse_traceparent(trace.traceparent());
    require(passed_on && passed_on->trace_id == trace.trace_id && passed_on->sampled == trace.sampled);
    require(passed_on->parent_id == trace.span_id);
    if (given) require(trace.trace_id == given->trace_id && trace.parent_id == given->parent_id);
}

void check_conditions(http::Request const& request)
{
    try {
        http::check_if_match(request, std::int64_t{7});
        auto const condition = request.header("If-Match");
        require(!condition || condition->find('7') != std::string_view::npos ||
                condition->find('*') != std::string_view::npos);
    } catch (core::Error const& error) {
        require(error.code().status == 412);
    }
    auto const type = request.header("Content-Type").value_or("");
    if (blobs::is_media_type(type, "application/json"))
        require(core::equal_ignoring_case(core::trim(type).substr(0, 16), "application/json"));
}

void check_range(http::Request request)
{
    constexpr std::uint64_t size = 1000;
    request.method_text = "GET";
    try {
        auto const range = http::requested_range(request, size, "\"7\"");
        if (range) require(range->length > 0 && range->first < size && range->length <= size - range->first);
    } catch (core::Error const& error) {
        require(error.code().status == 416);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    http::Request const request = read({data, size});
    check_tenant(request);
    check_credential(request);
    check_client(request);
    check_trace(request);
    check_conditions(request);
    check_range(request);
    return 0;
}
