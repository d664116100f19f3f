#pragma once

#include "core/error.hpp"
#include "domain/notification.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// How the body of an email is written; other channels know text alone.
enum class Format : std::uint8_t { html, text };

inline constexpr std::array<std::string_view, 2> formats{"html", "text"};

constexpr std::string_view to_string(Format f) noexcept
{
    return formats[static_cast<std::size_t>(f)];
}

/// The value of that name. Throws std::invalid_argument: names come from the database or were validated.
Format parse_format(std::string_view name);

/// What a template is written in when nobody says: an email in HTML.
constexpr Format default_format(Channel channel) noexcept
{
    return channel == Channel::email ? Format::html : Format::text;
}

/// A text with placeholders, shared by a tenant's two environments.
struct Template {
    core::Uuid id;
    std::string name; ///< unique for the tenant
    Channel channel{};
    std::string subject; ///< of an email; the title of a push; a text message has none, whatever stands here
    std::string body;
    Format format = Format::text;
    std::int64_t version = 1; ///< counts the changes
    core::Time created_at, updated_at;
};

/// In code points.
inline constexpr std::size_t max_template_name = 100;
inline constexpr std::size_t max_template_subject = 200;
inline constexpr std::size_t max_template_body = 20'000;

/// What is wrong with the texts of a template, each with the pointer of the field (`/subject`, `/body`,
/// `/format`) and the place in its detail (`line 3, column 7`, in code points from 1). A placeholder is
/// `{{name}}` with a name of `[A-Za-z0-9_.]`: everything else behind `{{`, and a `}}` that closes none, is a
/// fault, but for the `}}` of CSS within a `<style>` element of an HTML body. An email has a subject, and no
/// subject has more than one line.
std::vector<core::FieldError> faults_of(Template const& t);

/// The names that a notification made of the template needs values for, each once, in alphabetical order.
/// Precondition: the template has no faults.
std::vector<std::string> placeholders_of(Template const& t);

/// How many values may be given, needed or not.
inline constexpr std::size_t max_variables = 1'000;

/// Values by the names of placeholders. Valid UTF-8 without U+0000.
using Variables = std::map<std::string, std::string, std::less<>>;

/// What a rendered text may come to: the subject and a text message (which carriers join from segments, and
/// Twilio refuses past 1600) in code points, every other body in bytes.
inline constexpr std::size_t max_rendered_subject = 1'000;
inline constexpr std::size_t max_rendered_sms = 1'600;
inline constexpr std::size_t max_rendered_body = 1'048'576;

/// What came of a template and its variables: a content, or what is wrong with the variables.
struct Rendering {
    Content content;                      ///< without `data`; of use when there are no faults
    std::vector<core::FieldError> faults; ///< `/variables/<name>`, or `/variables`
};

/// Puts the values in the places of their names, escaped for HTML in a body that is HTML and nowhere else.
/// Not more than once: a value that looks like a placeholder stays as it is. Faults are names without a
/// value, a line break in what becomes a subject, and what grows past the limits above, of which no more is
/// made than they allow. Precondition: the template has no faults.
Rendering render(Template const& t, Variables const& variables);

} // namespace notify
