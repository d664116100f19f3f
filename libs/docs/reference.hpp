#pragma once

#include "docs/asset.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>

namespace docs {

/// The texts about a service that the pages show.
struct About {
    std::string_view title;    ///< the title of the contract
    std::string_view summary;  ///< the summary of the contract
    std::string_view version;  ///< the version of the project
    std::string_view tutorial; ///< the tutorial as HTML
};

/// A page or style sheet in memory. Must have static storage duration, because its responses refer to it.
class Page {
public:
    /// `policy` is the Content-Security-Policy.
    Page(std::string body, std::string_view content_type, char const* policy);

    /// 200 with the page, or 304 if `If-None-Match` contains its ETag. Caches must revalidate the page before
    /// each use (`no-cache`).
    http::Response answer(http::Request const& request) const;

private:
    std::string body_;
    std::string_view content_type_;
    char const* policy_;
    std::string tag_;
};

/// The documentation that a service serves: front page, tutorial, and the API reference, in which Redoc shows
/// the contract. All files are embedded in the program. The pages load nothing from other hosts; their
/// Content-Security-Policy forbids such requests.
class Reference {
public:
    /// `contract`: the OpenAPI document as JSON, compressed with gzip. This object and all
    /// arguments must have static storage duration.
    Reference(About const& about, std::string_view contract);

    /// `GET /`: title, summary and version of the service, and links.
    http::Response front(http::Request const& request) const;
    /// `GET /docs`: the API reference.
    http::Response page(http::Request const& request) const;
    /// `GET /docs/tutorial`
    http::Response tutorial(http::Request const& request) const;
    /// `GET /docs/pages.css`, the same for every service.
    static http::Response stylesheet(http::Request const& request);
    /// `GET /docs/openapi.json`
    http::Response contract(http::Request const& request) const;
    /// `GET /docs/redoc.js`, the same for every service.
    static http::Response script(http::Request const& request);

private:
    Page front_;
    Page page_;
    Page tutorial_;
    Asset contract_;
};

} // namespace docs
