#include "console/page.hpp"

#include "core/error.hpp"
#include "core/json_writer.hpp"

namespace console {

namespace {

core::Error not_found()
{
    return {core::codes::not_found, "No resource has this path. The reference at /docs lists them."};
}

void require_application(Bundle const& bundle)
{
    if (bundle.empty()) throw not_found();
}

/// Other sites can neither embed the file nor refer to its window.
http::Response isolated(http::Response response)
{
    return std::move(response)
        .header("Referrer-Policy", "strict-origin")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("Cross-Origin-Resource-Policy", "same-origin");
}

std::optional<std::string> url_of(
    std::optional<auth::TenantUrlPattern> const& pattern, core::Scope const& scope)
{
    return pattern ? std::optional(pattern->of(scope)) : std::nullopt;
}

} // namespace

std::string policy_of(Settings const& settings, core::Scope const& scope)
{
    std::string policy("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                       "font-src 'self'; connect-src 'self'");
    for (auto const* pattern : {&settings.feedback, &settings.notify, &settings.billing})
        if (*pattern) policy.append(" ").append((*pattern)->of(scope));
    for (auto const& origin : settings.uploads)
        policy.append(" ").append(origin);
    return policy += "; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
                     "require-trusted-types-for 'script'";
}

http::Response page(
    http::Request const& request, Bundle const& bundle, Settings const& settings, std::string_view path)
{
    require_application(bundle);
    if (path == "assets" || path.starts_with("assets/")) throw not_found();
    if (is_file_name(path)) {
        auto file = bundle.file(request, path);
        if (!file) throw not_found();
        return isolated(*std::move(file));
    }
    return isolated(bundle.index(request))
        .header("Content-Security-Policy", policy_of(settings, request.scope()))
        .header("X-Frame-Options", "DENY");
}

http::Response asset(http::Request const& request, Bundle const& bundle, std::string_view name)
{
    auto file = bundle.file(request, "assets/" + std::string(name));
    if (!file) throw not_found();
    return isolated(*std::move(file));
}

http::Response config(
    http::Request const& request, Bundle const& bundle, Settings const& settings, Place const& place)
{
    require_application(bundle);
    auto const& scope = request.scope();
    core::JsonWriter w(512);
    w.begin_object()
        .member("feedbackUrl", url_of(settings.feedback, scope))
        .member("notifyUrl", url_of(settings.notify, scope))
        .member("billingUrl", url_of(settings.billing, scope))
        .member("authUrl", place.auth_url)
        .member("otherEnvironmentUrl", place.other_url)
        .member("tenant", scope.slug)
        .member("environment", core::to_string(scope.environment()))
        .member("displayName", place.name)
        .end_object();
    return http::Response::ok(std::move(w).str()).header("Cache-Control", "no-store");
}

} // namespace console
