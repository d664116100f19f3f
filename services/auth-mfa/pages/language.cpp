#include "pages/language.hpp"

#include "core/text.hpp"
#include "domain/locale.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace auth_mfa::pages {

// The files of pages/messages/.
extern std::string_view const en_json, de_json, fr_json, es_json, pt_json, ja_json, ar_json;

namespace {

/// The names of the placeholders in a text, sorted, each once.
std::vector<std::string_view> placeholders_in(std::string_view text)
{
    std::vector<std::string_view> names;
    while (true) {
        auto const begin = text.find("{{");
        auto const end = text.find("}}", begin);
        if (end == std::string_view::npos) break;
        names.push_back(text.substr(begin + 2, end - begin - 2));
        text.remove_prefix(end + 2);
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

/// Whether the key names a form that English does not have: `minutes.two`, `minutes.few`.
bool is_plural_form(std::string_view key)
{
    return key.ends_with(".two") || key.ends_with(".few");
}

/// The key of the form that English has instead.
std::string plural_other(std::string_view key)
{
    return std::string(key.substr(0, key.rfind('.'))) + ".other";
}

/// The form of a word after this number (CLDR). Languages without a form of their own use `.other`.
std::string_view plural_form(std::int64_t count)
{
    if (count == 1) return ".one";
    if (count == 2) return ".two";
    return count % 100 >= 3 && count % 100 <= 10 ? ".few" : ".other";
}

std::string digits(std::int64_t number, std::size_t width)
{
    auto const text = std::to_string(number);
    return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

std::vector<Language> parse_all()
{
    std::array const files{en_json, de_json, fr_json, es_json, pt_json, ja_json, ar_json};
    std::vector<Language> all;
    all.reserve(page_locales.size()); // the languages refer to the first one while they are parsed
    for (std::size_t i = 0; i < page_locales.size(); ++i)
        all.emplace_back(page_locales[i], files[i], all.empty() ? nullptr : &all.front());
    return all;
}

} // namespace

Language::Language(std::string_view code, std::string_view json, Language const* english) : code_(code)
{
    boost::system::error_code failed;
    auto const parsed = boost::json::parse(json, failed);
    std::string faults;
    if (failed || !parsed.is_object()) faults += "\nnot a JSON object";
    auto const& file = parsed.is_object() ? parsed.get_object() : boost::json::object();
    for (auto const& [name, value] : file) {
        std::string const key(name);
        if (!value.is_string()) {
            faults += "\nnot a string: " + key;
            continue;
        }
        std::string const text(value.get_string());
        auto const names = placeholders_in(text);
        auto const source = is_plural_form(key) ? plural_other(key) : key;
        if (english != nullptr && !english->contains(source))
            faults += "\nunknown text: " + key;
        else if (english != nullptr && source == key && placeholders_in(english->raw(key)) != names)
            faults += "\nother placeholders than the English text: " + key;
        else
            texts_.emplace(key, Text{text, TextTemplate(text, names)});
    }
    if (english != nullptr)
        for (auto const& [key, text] : english->texts_)
            if (!file.contains(key)) faults += "\nmissing text: " + key;
    if (!faults.empty())
        throw std::invalid_argument("pages/messages/" + std::string(code) + ".json:" + faults);
}

std::string const& Language::raw(std::string_view key) const
{
    auto const found = texts_.find(key);
    if (found == texts_.end()) throw std::out_of_range("no text of the pages is called " + std::string(key));
    return found->second.raw;
}

std::string Language::text(std::string_view key, TemplateValues const& values) const
{
    static_cast<void>(raw(key));
    return texts_.find(key)->second.parsed.render(values);
}

std::string Language::date(core::Time time)
{
    auto const day = std::chrono::floor<std::chrono::days>(time);
    std::chrono::year_month_day const date(day);
    auto const minute = std::chrono::floor<std::chrono::minutes>(time - day).count();
    return digits(static_cast<int>(date.year()), 4) + '-' + digits(static_cast<unsigned>(date.month()), 2) +
           '-' + digits(static_cast<unsigned>(date.day()), 2) + ' ' + digits(minute / 60, 2) + ':' +
           digits(minute % 60, 2) + " UTC";
}

std::string Language::span(std::chrono::seconds span) const
{
    using namespace std::chrono;
    auto const shown = [&](std::string const& unit, std::int64_t count) {
        auto const key = unit + std::string(plural_form(count));
        return text(contains(key) ? key : unit + ".other", {{"number", std::to_string(count)}});
    };
    if (span <= 90s) return shown("seconds", std::max<std::int64_t>(1, span.count()));
    if (span <= 90min) return shown("minutes", ceil<minutes>(span).count());
    return shown("hours", ceil<hours>(span).count());
}

std::span<Language const> languages()
{
    static std::vector<Language> const all = parse_all();
    return all;
}

Language const& choose_language(std::string_view ui_locales, std::string_view accept_language)
{
    std::optional<std::string_view> chosen;
    while (!ui_locales.empty() && !chosen) {
        auto const tag = ui_locales.substr(0, ui_locales.find(' '));
        ui_locales.remove_prefix(std::min(tag.size() + 1, ui_locales.size()));
        chosen = find_locale(page_locales, tag);
    }
    auto const code = chosen ? *chosen : choose_locale(page_locales, accept_language);
    return *std::ranges::find(languages(), code, &Language::code);
}

} // namespace auth_mfa::pages
