#pragma once

#include "core/scope.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace auth {

/// The URL of a service's tenants, in which `{tenant}` stands for the label of a tenant's host:
/// `https://{tenant}.feedback.example.com`. Settings have this form. A value type.
class TenantUrlPattern {
public:
    /// Spaces around the URL and slashes at its end are ignored. Returns nullopt if the text is not an http
    /// or https URL with `{tenant}`.
    static std::optional<TenantUrlPattern> parse(std::string_view text);

    /// Whether the URL is an origin in lower case, whose host begins with `{tenant}.`. Then a header may
    /// contain it.
    bool is_origin() const;

    /// The URL of a scope, without a slash at its end. The label is `demo` or `demo-sandbox`.
    std::string of(core::Scope const& scope) const;

private:
    TenantUrlPattern(std::string before, std::string after);

    std::string before_, after_;
};

} // namespace auth
