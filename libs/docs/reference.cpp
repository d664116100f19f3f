#include "docs/reference.hpp"

#include "core/text.hpp"

namespace docs {

extern std::string_view const page_html; // of this folder
extern std::string_view const redoc_js;  // compressed, of redoc/

namespace {

/// The hashes are of the three style elements that there are: an empty one, which Redoc fills rule by rule
/// through the CSSOM, the one that it brings for its scroll bars, and that of page.html.
constexpr char const* content_security_policy =
    "default-src 'none'; script-src 'self'; connect-src 'self'; worker-src blob:; img-src data:; "
    "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' "
    "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc=' "
    "'sha256-mX+s7KJgWpgxJola85xdpAFPBQaV091gzM2oPjgTW2w='; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string page_of(std::string_view title)
{
    constexpr std::string_view place = "{{title}}";
    auto const at = page_html.find(place);
    std::string page(page_html.substr(0, at));
    core::append_html_escaped(page, title);
    return page += page_html.substr(at + place.size());
}

} // namespace

Reference::Reference(std::string_view title, std::string_view contract)
    : page_(page_of(title)), contract_(contract, "application/json")
{
}

http::Response Reference::page() const
{
    return http::Response{.body = page_, .content_type = "text/html; charset=utf-8"}
        .header("Cache-Control", "no-cache")
        .header("Content-Security-Policy", content_security_policy)
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("X-Frame-Options", "DENY");
}

http::Response Reference::contract(http::Request const& request) const
{
    return contract_.answer(request);
}

http::Response Reference::script(http::Request const& request)
{
    static Asset const redoc(redoc_js, "text/javascript; charset=utf-8");
    return redoc.answer(request);
}

} // namespace docs
