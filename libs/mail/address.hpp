#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mail {

/// The name of a mail domain, in lower case: at least two labels of letters, digits and hyphens (RFC 1123,
/// 2.1). An internationalised name is in its ASCII form (`xn--...`, RFC 5890).
class DomainName {
public:
    /// Maximum length in characters. It is less than DNS permits (253), because the DNS records that the
    /// domain needs have a prefix before the domain name.
    static constexpr std::size_t max_size = 253 - 32;

    /// Returns nullopt if `text` (upper or lower case) is not a domain name, or its last label is a number,
    /// as in an IP address.
    static std::optional<DomainName> parse(std::string_view text);

    std::string const& text() const noexcept { return text_; }

    /// Whether `host` (in lower case) is this domain or a subdomain.
    bool holds(std::string_view host) const noexcept;

    friend bool operator==(DomainName const&, DomainName const&) = default;

private:
    explicit DomainName(std::string text) noexcept : text_(std::move(text)) {}

    std::string text_;
};

/// An email address that SMTP can carry without extensions. Web forms accept the address (`core::is_email`),
/// and its local part is a Dot-string (RFC 5321, 4.1.2) of at most 64 characters.
class Address {
public:
    /// Returns nullopt if `text` is not a valid address.
    static std::optional<Address> parse(std::string_view text);

    /// The address as given, with the domain in lower case.
    std::string const& text() const noexcept { return text_; }

    std::string_view domain() const noexcept { return std::string_view(text_).substr(at_ + 1); }

    friend bool operator==(Address const& a, Address const& b) noexcept { return a.text_ == b.text_; }

private:
    Address(std::string text, std::size_t at) noexcept : text_(std::move(text)), at_(at) {}

    std::string text_;
    std::size_t at_; ///< index of the `@`
};

} // namespace mail
