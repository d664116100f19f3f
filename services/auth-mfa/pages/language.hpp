#pragma once

#include "core/clock.hpp"
#include "domain/text_template.hpp"

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace auth_mfa::pages {

/// The texts of the hosted pages in one language: a file of `pages/messages/`, whose keys are flat
/// (`login.title`). All languages have the same keys and placeholders as English. Languages with more plural
/// forms than English also have `.two` and `.few` beside `.one` and `.other`.
class Language {
public:
    /// Throws std::invalid_argument that lists all faults of the file: invalid JSON, keys that `english` does
    /// not have, missing keys, and other placeholders than the English text. `english` is null for English.
    Language(std::string_view code, std::string_view json, Language const* english);

    /// The language code: `pt`.
    std::string_view code() const noexcept { return code_; }

    /// `ltr` or `rtl`.
    std::string_view direction() const noexcept { return code_ == "ar" ? "rtl" : "ltr"; }

    /// The text as the file has it, with its placeholders. Throws std::out_of_range if there is no such text.
    std::string const& raw(std::string_view key) const;

    bool contains(std::string_view key) const noexcept { return texts_.contains(key); }

    /// The text with its placeholders replaced, not escaped for HTML. Throws std::out_of_range if there is no
    /// such text, or if a placeholder has no value.
    std::string text(std::string_view key, TemplateValues const& values = {}) const;

    /// A date and time in UTC: `2026-01-31 14:05 UTC`.
    static std::string date(core::Time time);

    /// A time span in its largest unit, rounded up: `40 seconds`, `5 minutes`, `3 hours`.
    std::string span(std::chrono::seconds span) const;

private:
    struct Text {
        std::string raw;
        TextTemplate parsed;
    };

    std::string_view code_;
    std::map<std::string, Text, std::less<>> texts_;
};

/// All languages, English first. Parsed at the first call; throws std::invalid_argument as the constructor of
/// Language does.
std::span<Language const> languages();

/// The language that the user asked for: the first supported one of `ui_locales` (language tags separated by
/// spaces, as in OpenID Connect), then of the header `Accept-Language` by quality, else English.
Language const& choose_language(std::string_view ui_locales, std::string_view accept_language);

} // namespace auth_mfa::pages
