#include "mail/address.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace mail {

namespace {

constexpr std::size_t max_label = 63;
constexpr std::size_t max_local_part = 64;

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

bool is_label(std::string_view label) noexcept
{
    auto const is_plain = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; };
    return !label.empty() && label.size() <= max_label && std::ranges::all_of(label, is_plain) &&
           label.front() != '-' && label.back() != '-';
}

bool is_dot_string(std::string_view local) noexcept
{
    return !local.starts_with('.') && !local.ends_with('.') && local.find("..") == std::string_view::npos;
}

} // namespace

std::optional<DomainName> DomainName::parse(std::string_view text)
{
    if (text.size() > max_size) return std::nullopt;
    std::string name = core::lower(text);
    std::string_view rest = name, last;
    std::size_t labels = 0;
    for (bool more = true; more; ++labels) {
        auto const dot = rest.find('.');
        last = rest.substr(0, dot);
        if (!is_label(last)) return std::nullopt;
        more = dot != std::string_view::npos;
        if (more) rest.remove_prefix(dot + 1);
    }
    if (labels < 2 || std::ranges::all_of(last, is_digit)) return std::nullopt;
    return DomainName(std::move(name));
}

bool DomainName::holds(std::string_view host) const noexcept
{
    if (!host.ends_with(text_)) return false;
    host.remove_suffix(text_.size());
    return host.empty() || host.ends_with('.');
}

std::optional<Address> Address::parse(std::string_view text)
{
    if (!core::is_email(text)) return std::nullopt;
    auto const at = text.rfind('@');
    if (at > max_local_part || !is_dot_string(text.substr(0, at))) return std::nullopt;
    return Address(std::string(text.substr(0, at + 1)) + core::lower(text.substr(at + 1)), at);
}

} // namespace mail
