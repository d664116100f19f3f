#include "tenancy/resolve.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "tenancy/slug.hpp"

namespace tenancy {

namespace {

using core::Environment;

/// The host of a `Host` header (RFC 9110, 7.2) in lower case, without port and trailing dot. An IPv6 literal
/// keeps its colons, so it matches no base host. This is intended.
std::string host_name(std::string_view header)
{
    if (!header.starts_with('[')) header = header.substr(0, header.find(':'));
    if (header.ends_with('.')) header.remove_suffix(1);
    return core::lower(header);
}

[[noreturn]] void mismatch(std::string detail)
{
    throw core::Error(core::codes::tenant_mismatch, std::move(detail));
}

/// Returns the value of a header. The header may be repeated only with the same value.
std::optional<std::string_view> single(std::span<http::Header const> headers, std::string_view name)
{
    std::optional<std::string_view> value;
    for (auto const& header : headers) {
        if (!core::equal_ignoring_case(header.name, name)) continue;
        if (value && *value != header.value)
            mismatch(
                "The header " + std::string(name) + " is given twice with different values. Send it once.");
        value = header.value;
    }
    return value;
}

/// The tenant that the label before the base host names.
Resolution from_label(std::string_view label)
{
    Environment environment = Environment::production;
    if (label.ends_with(sandbox_suffix)) {
        label.remove_suffix(sandbox_suffix.size());
        environment = Environment::sandbox;
    }
    if (!is_slug(label)) return {Resolution::Kind::unknown, {}, std::nullopt};
    return {Resolution::Kind::tenant, std::string(label), environment};
}

Resolution from_host(std::optional<std::string_view> header, std::string_view base_host)
{
    std::string const host = host_name(header.value_or(std::string_view()));
    std::string_view rest(host);
    if (!rest.ends_with(base_host)) return {};
    rest.remove_suffix(base_host.size());
    if (!rest.ends_with('.')) return {};
    rest.remove_suffix(1);
    return from_label(rest); // a label with a dot is not a slug
}

std::optional<Environment> from_environment_header(std::optional<std::string_view> header)
{
    if (!header) return std::nullopt;
    auto const environment = core::parse_enum<core::Environment>(*header);
    if (!environment) mismatch("X-Tenant-Env must be production or sandbox.");
    return environment;
}

} // namespace

ResolveRules::ResolveRules(std::string_view base_host, bool tenant_headers)
    : base_host_(host_name(base_host)), tenant_headers_(tenant_headers)
{
}

Resolution resolve(std::span<http::Header const> headers, ResolveRules const& rules)
{
    Resolution named = from_host(single(headers, "Host"), rules.base_host());
    if (!rules.tenant_headers()) return named;

    auto const slug = single(headers, "X-Tenant-Slug");
    auto const environment = from_environment_header(single(headers, "X-Tenant-Env"));

    if (slug && named.kind != Resolution::Kind::nothing && *slug != named.slug)
        mismatch(
            "X-Tenant-Slug differs from the tenant of the host. Send the same tenant in both, or omit one.");
    if (environment && named.environment && *environment != *named.environment)
        mismatch(
            "X-Tenant-Env differs from the environment of the host. Send the same one in both, or omit one.");
    if (named.kind != Resolution::Kind::nothing) return named;

    if (!slug) return {Resolution::Kind::nothing, {}, environment};
    if (!is_slug(*slug)) return {Resolution::Kind::unknown, {}, std::nullopt};
    return {Resolution::Kind::tenant, std::string(*slug), environment.value_or(Environment::production)};
}

} // namespace tenancy
