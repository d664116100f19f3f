#include "oauth/form.hpp"

#include "domain/oauth_errors.hpp"
#include "domain/parameters.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa::oauth {

http::Form parse_parameters(std::string_view text)
{
    auto form = http::parse_form(text);
    if (!form) throw invalid_request("The parameters are malformed, or more than 100.");
    for (auto const& [name, value] : *form) {
        if (!is_parameter_text(name) || !is_parameter_text(value))
            throw invalid_request("The parameters must be UTF-8 without control characters.");
    }
    std::vector<std::string_view> names;
    for (auto const& field : *form)
        names.push_back(field.first);
    std::ranges::sort(names);
    if (auto const repeated = std::ranges::adjacent_find(names); repeated != names.end())
        throw invalid_request("The parameter " + std::string(repeated->substr(0, core::Error::max_name)) +
                              " must be given at most once.");
    std::erase_if(*form, [](auto const& field) { return field.second.empty(); });
    return *std::move(form);
}

http::Form read_form(http::Request const& req)
{
    if (!http::is_form(req))
        throw invalid_request("The body must be a form of the type application/x-www-form-urlencoded.");
    return parse_parameters(req.body);
}

} // namespace auth_mfa::oauth
