#pragma once

#include "docs/asset.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>

namespace docs {

/// The API reference of a service: a page in which Redoc, which is part of the program, shows the contract.
class Reference {
public:
    /// `title`: the contract's. `contract`: the OpenAPI document as JSON, compressed with gzip; of static
    /// storage.
    Reference(std::string_view title, std::string_view contract);

    /// `GET /docs`: the page. It loads what the next two answer, of the same host, and nothing else, as its
    /// Content-Security-Policy says.
    http::Response page() const;
    /// `GET /docs/openapi.json`
    http::Response contract(http::Request const& request) const;
    /// `GET /docs/redoc.js`, the same for every service.
    static http::Response script(http::Request const& request);

private:
    std::string page_;
    Asset contract_;
};

} // namespace docs
