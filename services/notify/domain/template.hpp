#pragma once

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "domain/notification.hpp"
#include "domain/push_settings.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

using core::to_string;

/// The markup of an email body. Other channels support only text.
enum class Format : std::uint8_t { html, text };

constexpr auto enum_names(Format)
{
    return std::to_array<std::string_view>({"html", "text"});
}

/// The format of a template whose request names no format: HTML for email, text for other channels.
constexpr Format default_format(Channel channel) noexcept
{
    return channel == Channel::email ? Format::html : Format::text;
}

/// A template: texts with placeholders. The tenant's two environments share the template.
struct Template {
    core::Uuid id;
    std::string name; ///< unique per tenant
    Channel channel{};
    std::string subject; ///< email: the subject; push: the title; a text message ignores it
    std::string body;
    Format format = Format::text;
    std::optional<PushSettings> push; ///< options of its pushes; only if the channel is push
    std::int64_t version = 1;         ///< incremented by each change
    core::Time created_at, updated_at;
};

/// Maximum lengths in code points.
inline constexpr std::size_t max_template_name = 100;
inline constexpr std::size_t max_template_subject = 200;
inline constexpr std::size_t max_template_body = 20'000;

/// The errors in a template's texts. The pointer of an error names the field (`/subject`, `/body`,
/// `/format`, `/push`). If the error has a position in the text, its detail contains the position (`line 3,
/// column 7`; columns are code points, counted from 1).
///
/// A placeholder is `{{name}}` with a name of `[A-Za-z0-9_.]`. Any other text after `{{` is an error, and so
/// is a `}}` without a matching `{{`. A `}}` of CSS within a `<style>` element of an HTML body is allowed.
/// In an HTML body, a placeholder must be where a value can be escaped (see `read_html`). An email needs a
/// subject. A subject has one line.
std::vector<core::FieldError> faults_of(Template const& t);

/// The variables that a notification from the template needs, each once, in alphabetical order. Precondition:
/// the template has no errors.
std::vector<std::string> placeholders_of(Template const& t);

/// Maximum number of variables in one request, including variables that the template does not use.
inline constexpr std::size_t max_variables = 1'000;

/// The values of the variables, by name. Names and values are valid UTF-8 without U+0000.
using Variables = std::map<std::string, std::string, std::less<>>;

/// Limits of the rendered texts. The limits of the subject and of a text message are in code points; the
/// limit of other bodies is in bytes. Twilio refuses a text message of more than 1600 characters.
inline constexpr std::size_t max_rendered_subject = 1'000;
inline constexpr std::size_t max_rendered_sms = 1'600;
inline constexpr std::size_t max_rendered_body = 1'048'576;

/// The result of rendering: the content, or the errors in the variables. If the template itself has an error,
/// that is the only error, with the pointer `/body`, as `faults_of` gives it.
struct Rendering {
    Content content;                      ///< without `data` and `push`; valid only if `faults` is empty
    std::vector<core::FieldError> faults; ///< with the pointer `/variables/<name>`, `/variables` or `/body`
};

/// Replaces each placeholder with its value. A placeholder inside a value is not replaced. Values are escaped
/// only in HTML bodies: between tags and in quoted attributes for HTML, within a URL also percent-encoded.
/// Errors: a placeholder without a value, a line break in a value of the subject, a URL attribute that is not
/// permitted (see `UrlScheme`), a rendered text above its limit, and a placeholder in an HTML body where no
/// value can be escaped. An older version may have stored such a template. Precondition: the template has no
/// other errors.
Rendering render(Template const& t, Variables const& variables);

} // namespace notify
