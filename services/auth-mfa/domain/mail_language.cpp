#include "domain/mail_language.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace auth_mfa {

namespace {

/// The keys of all texts, and the placeholders that each may have.
std::map<std::string, std::vector<std::string_view>, std::less<>> keys_of_texts()
{
    std::map<std::string, std::vector<std::string_view>, std::less<>> keys{
        {"labelled", {"label", "value"}},
        {"link_hint", {}},
        {"token_hint", {}},
        {"lifetime", {"span"}},
        {"footer", {"brand"}},
        {"date", {"day", "month", "year", "clock"}},
        {"first_day", {}},
    };
    for (auto const kind : core::names_of<MailKind>)
        for (auto const* part : {".subject", ".heading", ".text", ".button", ".advice"})
            keys[std::string(kind) + part] = {"brand", "email"};
    for (auto const factor : core::names_of<MailFactor>)
        keys["factor." + std::string(factor)] = {};
    for (auto const* label : {"factor", "time", "browser", "ip"})
        keys[std::string("label.") + label] = {};
    for (std::string const unit : {"minutes", "hours", "days"}) {
        keys[unit + ".one"] = {};
        keys[unit + ".other"] = {"number"};
    }
    for (int month = 0; month < 12; ++month)
        keys["month." + std::to_string(month)] = {};
    return keys;
}

/// Adds the strings in `value` to `out`. Their keys are the names of members and the indexes of elements,
/// joined with dots. Any other scalar becomes a text that is not expected and so is a fault.
void flatten(boost::json::value const& value, std::string const& key, std::map<std::string, std::string>& out)
{
    auto const below = [&](std::string_view name) {
        return key.empty() ? std::string(name) : key + '.' + std::string(name);
    };
    if (auto const* object = value.if_object()) {
        for (auto const& [name, member] : *object)
            flatten(member, below(name), out);
    } else if (auto const* array = value.if_array()) {
        for (std::size_t i = 0; i < array->size(); ++i)
            flatten((*array)[i], below(std::to_string(i)), out);
    } else if (auto const* text = value.if_string()) {
        out.emplace(key, std::string_view(*text));
    } else {
        out.emplace(key + " (not a string)", "");
    }
}

std::map<std::string, std::string> strings_in(std::string_view json)
{
    boost::system::error_code failed;
    auto const value = boost::json::parse(json, failed);
    if (failed) throw std::invalid_argument("not valid JSON: " + failed.message());
    std::map<std::string, std::string> strings;
    flatten(value, "", strings);
    return strings;
}

std::string two_digits(std::int64_t number)
{
    return std::to_string(100 + number).substr(1);
}

} // namespace

MailLanguage::MailLanguage(std::string_view json)
{
    auto strings = strings_in(json);
    std::string faults;
    for (auto const& [key, placeholders] : keys_of_texts()) {
        auto const found = strings.extract(key);
        if (found.empty()) {
            faults += "\nmissing text: " + key;
            continue;
        }
        try {
            texts_.emplace(key, TextTemplate(found.mapped(), placeholders));
        } catch (std::invalid_argument const& fault) {
            faults += '\n' + key + ": " + fault.what();
        }
    }
    for (auto const& [key, text] : strings)
        faults += "\nunknown text: " + key;
    if (!faults.empty()) throw std::invalid_argument(faults.substr(1));
}

std::string MailLanguage::text(std::string_view key, TemplateValues const& values) const
{
    auto const found = texts_.find(key);
    if (found == texts_.end()) throw std::out_of_range("no text of mails is called " + std::string(key));
    return found->second.render(values);
}

std::string MailLanguage::date(core::Time time) const
{
    using namespace std::chrono;
    auto const day = floor<days>(time);
    year_month_day const date(day);
    auto const minute = floor<minutes>(time - day).count();
    auto const number = static_cast<unsigned>(date.day());
    return text(
        "date", {
                    {"day", number == 1 ? text("first_day") : std::to_string(number)},
                    {"month", text("month." + std::to_string(static_cast<unsigned>(date.month()) - 1))},
                    {"year", std::to_string(static_cast<int>(date.year()))},
                    {"clock", two_digits(minute / 60) + ':' + two_digits(minute % 60)},
                });
}

std::string MailLanguage::span(std::chrono::seconds span) const
{
    constexpr std::int64_t hour = 60, day = 24 * hour; // in minutes
    std::string unit = "minutes";
    auto number = std::max<std::int64_t>(1, span / std::chrono::minutes(1));
    if (number % day == 0) {
        unit = "days";
        number /= day;
    } else if (number % hour == 0) {
        unit = "hours";
        number /= hour;
    }
    if (number == 1) return text(unit + ".one");
    return text(unit + ".other", {{"number", std::to_string(number)}});
}

} // namespace auth_mfa
