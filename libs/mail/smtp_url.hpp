#pragma once

#include "core/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace mail {

/// A mechanism of SMTP AUTH (RFC 4954). A login is sent through TLS only, so mechanisms with plain passwords
/// are safe.
enum class AuthMechanism : std::uint8_t {
    any,   ///< PLAIN if the server offers it, else LOGIN
    plain, ///< RFC 4616
    login, ///< draft-murchison-sasl-login
};

/// The parts of an SMTP URL.
struct SmtpUrl {
    bool tls = false;       ///< `smtps`: TLS from the start
    std::string host;       ///< a name or an address, without brackets
    std::uint16_t port = 0; ///< by default 25, or 465 for `smtps`
    /// Whether the URL has a user, a password or an option. Then the session must be encrypted.
    bool has_login = false;
    core::Secret user, password;
    AuthMechanism mechanism = AuthMechanism::any;
    std::string client_name; ///< the argument of EHLO; empty if the URL has none
};

/// Parses `smtp[s]://[user[:password][;AUTH=mechanism]@]host[:port][/client_name]`. User, password and client
/// name may be percent-encoded. The password may contain `@`. Returns nullopt if the URL has another form,
/// another mechanism than PLAIN, LOGIN or `*`, a login with NUL, or a client name that EHLO cannot carry.
std::optional<SmtpUrl> parse_smtp_url(std::string const& url);

} // namespace mail
