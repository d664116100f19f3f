#pragma once

#include <string>
#include <string_view>

/// Sites and top-level domains, from the Public Suffix List that is compiled into libpsl. Host names are in
/// the form in which browsers send them (Punycode). The case of ASCII letters does not matter.
namespace auth_mfa {

/// Whether `label` is a top-level domain of the list, such as `com`.
bool is_top_level_domain(std::string_view label);

/// Whether names directly below `host` belong to different owners: `host` is on the list (`com`, `co.uk`,
/// `github.io`), or has no dot.
bool is_public_suffix(std::string_view host);

/// Whether `origin` is an https origin (`https://app.example.com:8443`) of another site than `host`, which
/// may have a port. The site of a host is its registrable domain: `example.co.uk` for `app.example.co.uk`.
/// The site of an IP address, and of a host without a registrable domain, is the host.
bool is_cross_site(std::string_view origin, std::string_view host);

} // namespace auth_mfa
