#include "pages/methods.hpp"

#include "pages/phone_field.hpp"

#include <algorithm>
#include <array>

namespace auth_mfa::pages {

namespace {

/// All methods that a page can ask for, the most convenient first. Passkeys come later, because they need
/// JavaScript.
constexpr auto order =
    std::to_array<std::string_view>({"totp", "sms", "passkey", "password", "recovery_code"});

bool has(std::vector<std::string> const& methods, std::string_view method)
{
    return std::ranges::find(methods, method) != methods.end();
}

} // namespace

std::string choose_method(std::vector<std::string> const& methods, std::string const& chosen)
{
    if (has(methods, chosen)) return chosen;
    auto const* const first =
        std::ranges::find_if(order, [&](std::string_view method) { return has(methods, method); });
    return first == order.end() ? std::string() : std::string(*first);
}

bool was_code_sent(Page const& page)
{
    return page.query("sent") == "1" || page.field("sent") == "1" || page.field("method") == "sms";
}

void add_methods(Data& data, Language const& language, std::vector<std::string> const& methods,
    std::string const& method, bool sent)
{
    bool const is_sms = method == "sms";
    data.set("method", method);
    if (!method.empty()) data.set(method, "true");
    if (is_sms) data.set(sent ? "sent" : "sendable", "true");
    if (method == "totp" || method == "recovery_code" || (is_sms && sent)) data.set("enters_code", "true");
    if (method != "recovery_code") data.set("digits", "true");
    Data others(Data::type::list);
    for (auto const name : order) {
        std::string const other(name);
        if (other == method || !has(methods, other)) continue;
        Data link;
        link.set("name", other);
        link.set("label", language.text("method." + other));
        others << link;
    }
    if (others.is_empty_list()) return;
    data.set("other_methods", "true");
    data.set("others", others);
}

std::string code_field(Page const& page)
{
    return plain_digits(page.field("code"));
}

} // namespace auth_mfa::pages
