#include "domain/mail_text.hpp"

#include "core/text.hpp"
#include "domain/user_agent.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace auth_mfa {

// The files of mails/.
extern std::string_view const layout_txt, layout_html;
extern std::string_view const en_json, de_json, fr_json, es_json, pt_json, ja_json;

namespace {

constexpr auto text_names = std::to_array<std::string_view>(
    {"heading", "text", "details", "link", "button", "token_hint", "token", "lifetime", "advice", "footer"});
constexpr auto html_names = std::to_array<std::string_view>({"lang", "subject", "brand", "heading", "text",
    "details", "factor_label", "factor", "time_label", "time", "browser_label", "browser", "ip_label", "ip",
    "link", "button", "link_hint", "code", "lifetime", "advice", "footer"});

/// All files of mails/, parsed.
struct Mails {
    TextTemplate text{layout_txt, text_names};
    TextTemplate html{layout_html, html_names};
    std::map<std::string_view, MailLanguage> languages;

    Mails()
    {
        auto const add = [&](std::string_view locale, std::string_view json) {
            try {
                languages.emplace(locale, MailLanguage(json));
            } catch (std::invalid_argument const& faults) {
                throw std::invalid_argument(
                    "mails/messages/" + std::string(locale) + ".json: " + faults.what());
            }
        };
        add("en", en_json);
        add("de", de_json);
        add("fr", fr_json);
        add("es", es_json);
        add("pt", pt_json);
        add("ja", ja_json);
    }
};

bool is_notice(MailKind kind)
{
    return kind >= MailKind::new_sign_in || kind == MailKind::email_changed;
}

bool names_factor(MailKind kind)
{
    return kind == MailKind::factor_added || kind == MailKind::factor_removed;
}

/// Adds what happened when and where, for both parts: the single values with their labels, and `details`, one
/// line for each.
void add_details(TemplateValues& out, MailKind kind, MailLanguage const& language, MailValues const& values)
{
    std::string lines;
    auto const add = [&](std::string_view name, std::string_view label, std::string value) {
        out[label] = language.text("label." + std::string(name));
        out[name] = std::move(value);
        if (out[name].empty()) return;
        if (!lines.empty()) lines += '\n';
        lines += language.text("labelled", {{"label", out[label]}, {"value", out[name]}});
    };
    auto const factor =
        names_factor(kind) ? language.text("factor." + std::string(to_string(values.factor))) : "";
    add("factor", "factor_label", factor);
    add("time", "time_label", language.date(values.at));
    add("browser", "browser_label", browser_name(core::one_line(values.user_agent)));
    add("ip", "ip_label", core::one_line(values.ip));
    out["details"] = is_notice(kind) ? lines : "";
}

} // namespace

MailText render_mail(MailKind kind, std::string_view locale, MailValues const& values)
{
    static Mails const mails;
    auto const known = mails.languages.contains(locale) ? locale : mail_locales.front();
    auto const& language = mails.languages.at(known);
    TemplateValues const names{
        {"brand", core::one_line(values.brand)}, {"email", core::one_line(values.email)}};
    auto const own = [&](char const* part) {
        return language.text(std::string(to_string(kind)) + part, names);
    };

    auto const link = core::one_line(values.link), token = core::one_line(values.token);
    bool const expires = values.lifetime > std::chrono::seconds(0);
    TemplateValues out{
        {"lang", std::string(known)},
        {"subject", own(".subject")},
        {"brand", names.at("brand")},
        {"heading", own(".heading")},
        {"text", own(".text")},
        {"link", link},
        {"button", own(".button")},
        {"link_hint", language.text("link_hint")},
        {"token", token},
        {"token_hint", language.text("token_hint")},
        {"code", link.empty() ? token : ""},
        {"lifetime", expires ? language.text("lifetime", {{"span", language.span(values.lifetime)}}) : ""},
        {"advice", own(".advice")},
        {"footer", language.text("footer", names)},
    };
    add_details(out, kind, language, values);
    return {out.at("subject"), mails.text.render(out), mails.html.render_html(out)};
}

} // namespace auth_mfa
