#include "docs/reference.hpp"

#include "core/hex.hpp"
#include "core/text.hpp"
#include "crypto/hash.hpp"
#include "http/etag.hpp"

#include <stdexcept>
#include <utility>

namespace docs {

// The contents of the files in this folder, which the build embeds.
extern std::string_view const front_html;
extern std::string_view const guide_html;
extern std::string_view const page_html;
extern std::string_view const pages_css;
extern std::string_view const redoc_js; // compressed; from the folder redoc/

namespace {

/// The Content-Security-Policy of the API reference. Its hashes allow three style elements: an empty element,
/// which Redoc fills rule by rule through the CSSOM; an element that Redoc adds for its scroll bars; and the
/// element in page.html.
constexpr char const* reference_policy =
    "default-src 'none'; script-src 'self'; connect-src 'self'; worker-src blob:; img-src data:; "
    "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' "
    "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc=' "
    "'sha256-mX+s7KJgWpgxJola85xdpAFPBQaV091gzM2oPjgTW2w='; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr char const* page_policy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; "
                                    "form-action 'none'; frame-ancestors 'none'";

constexpr std::string_view html = "text/html; charset=utf-8";

/// Appends the member `name` of `about`: `tutorial` is appended as HTML, the other members are escaped.
/// Throws std::logic_error for an unknown name.
void append_member(std::string& page, std::string_view name, About const& about)
{
    if (name == "tutorial")
        page.append(about.tutorial);
    else if (name == "title")
        core::append_html_escaped(page, about.title);
    else if (name == "summary")
        core::append_html_escaped(page, about.summary);
    else if (name == "version")
        core::append_html_escaped(page, about.version);
    else
        throw std::logic_error("a page of libs/docs has an unknown name: {{" + std::string(name) + "}}");
}

/// Returns the template `text` with each `{{name}}` replaced by that member of `about`.
std::string fill(std::string_view text, About const& about)
{
    std::string page;
    for (;;) {
        auto const begin = text.find("{{");
        if (begin == text.npos) return page.append(text);
        auto const end = text.find("}}", begin);
        page.append(text.substr(0, begin));
        append_member(page, text.substr(begin + 2, end - begin - 2), about);
        text.remove_prefix(end + 2);
    }
}

} // namespace

Page::Page(std::string body, std::string_view content_type, char const* policy)
    : body_(std::move(body)), content_type_(content_type), policy_(policy)
{
    auto const digest = crypto::sha256(body_);
    tag_ = http::etag(core::hex::encode(crypto::view(digest).substr(0, 16)));
}

http::Response Page::answer(http::Request const& request) const
{
    auto response = http::Response{.content_type = content_type_}
                        .header("ETag", tag_)
                        .header("Cache-Control", "no-cache")
                        .header("Content-Security-Policy", policy_)
                        .header("Referrer-Policy", "no-referrer")
                        .header("Cross-Origin-Opener-Policy", "same-origin")
                        .header("X-Frame-Options", "DENY");
    if (http::is_not_modified(request, tag_))
        response.status = 304;
    else
        response.fixed_body = body_;
    return response;
}

Reference::Reference(About const& about, std::string_view contract)
    : front_(fill(front_html, about), html, page_policy),
      page_(fill(page_html, about), html, reference_policy),
      tutorial_(fill(guide_html, about), html, page_policy), contract_(contract, "application/json")
{
}

http::Response Reference::front(http::Request const& request) const
{
    return front_.answer(request);
}

http::Response Reference::page(http::Request const& request) const
{
    return page_.answer(request);
}

http::Response Reference::tutorial(http::Request const& request) const
{
    return tutorial_.answer(request);
}

http::Response Reference::stylesheet(http::Request const& request)
{
    static Page const stylesheet(std::string(pages_css), "text/css; charset=utf-8", page_policy);
    return stylesheet.answer(request);
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
