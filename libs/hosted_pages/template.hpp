#pragma once

#include <cstdint>
#include <kainjow/mustache.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace hosted_pages {

/// The values of a page's template.
using Data = kainjow::mustache::data;

/// Adds the value if it is not empty, so that sections of the template (`{{#name}}`) are left out without it.
void set(Data& data, std::string const& name, std::string const& value);

/// A file that several templates share, by its mark in them, such as `[[>reveal]]`.
using Part = std::pair<std::string_view, std::string_view const*>;

/// `layout` with `page` at the mark `[[page]]`, and with the files of the parts at their marks, each without
/// the newline at its end.
std::string assemble(std::string_view layout, std::string_view page, std::span<Part const> parts);

/// The format of a template. In HTML, values are escaped for text and quoted attributes. In plain text, for
/// example of an email, they stay as they are.
enum class Format : std::uint8_t { html, text };

/// A Mustache template.
class Template {
public:
    /// Throws std::invalid_argument if the template is malformed or has an unescaped value.
    explicit Template(std::string const& text, Format format = Format::html);

    /// Several threads may call it at the same time.
    std::string render(Data const& data) const;

private:
    kainjow::mustache::mustache parsed_;
};

} // namespace hosted_pages
