#pragma once

#include "deps.hpp"
#include "domain/template.hpp"
#include "http/message.hpp"
#include "storage/templates.hpp"

#include <string>

namespace notify {

/// The template that a send or broadcast request names. Throws TEMPLATE_NOT_FOUND.
asio::awaitable<templates::Found> find_template(http::Request const& req, Deps& deps, std::string name);

/// Renders the template that `templateName` of the request names. Throws VALIDATION_ERROR with all errors in
/// the variables, or with an error in the template's body, of which the pointer is then `/templateName`.
Content render_content(Template const& t, Variables const& variables);

} // namespace notify
