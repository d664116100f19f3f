#include "auth/tenant_url_pattern.hpp"

#include "core/text.hpp"
#include "http_client/url.hpp"

#include <utility>

namespace auth {

namespace {

constexpr std::string_view mark = "{tenant}";

std::string label_of(core::Scope const& scope)
{
    return scope.environment() == core::Environment::sandbox ? scope.slug + "-sandbox" : scope.slug;
}

} // namespace

TenantUrlPattern::TenantUrlPattern(std::string before, std::string after)
    : before_(std::move(before)), after_(std::move(after))
{
}

std::optional<TenantUrlPattern> TenantUrlPattern::parse(std::string_view text)
{
    auto url = core::trim(text);
    while (url.ends_with('/'))
        url.remove_suffix(1);
    auto const at = url.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    TenantUrlPattern made(std::string(url.substr(0, at)), std::string(url.substr(at + mark.size())));
    if (!http_client::parse_url(made.before_ + 'a' + made.after_)) return std::nullopt;
    return made;
}

bool TenantUrlPattern::is_origin() const
{
    constexpr std::string_view in_origins = "abcdefghijklmnopqrstuvwxyz0123456789.-:";
    return (before_ == "https://" || before_ == "http://") && after_.starts_with('.') &&
           after_.find_first_not_of(in_origins) == std::string::npos;
}

std::string TenantUrlPattern::of(core::Scope const& scope) const
{
    return before_ + label_of(scope) + after_;
}

} // namespace auth
