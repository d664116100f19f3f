#pragma once

#include "world.hpp"

// Requests that make the service send emails with tokens, and requests that use these tokens.

inline constexpr char const* new_password = "violet harbour lantern";
inline constexpr char const* token_expired = "410 TOKEN_EXPIRED";

// Parts of the subjects.
inline constexpr char const* verification = "Confirm your email address";
inline constexpr char const* password_reset = "Reset your";
inline constexpr char const* confirmation = "Confirm your new email address";
inline constexpr char const* change_notice = "The email address of your";
inline constexpr char const* invitation = "You are invited";

testing::HttpResponse post(World const& world, std::string const& path, boost::json::object const& document,
    std::string const& tenant = "demo-sandbox");

/// Waits until the service has sent or dropped all emails.
void settle(World const& world);

/// The emails to `address` with this subject, when all emails are sent.
std::vector<SentMail> mails_about(
    World const& world, std::string const& address, std::string const& subject = "");

/// The token of the latest email to `address` with this subject.
std::string token_of(World const& world, std::string const& address, std::string const& subject);

Account register_with(
    World const& world, std::string const& email, std::string const& tenant = "demo-sandbox");

testing::HttpResponse log_in(World const& world, std::string const& email, std::string const& password);
testing::HttpResponse refresh(World const& world, Account const& account);

testing::HttpResponse forgot(World const& world, std::string const& email);
std::string reset_token(World const& world, std::string const& email);
testing::HttpResponse reset(World const& world, std::string const& token);

testing::HttpResponse ask_to_change(World const& world, Account const& account, std::string const& email);

/// The token that confirms a change of the account's email to `email`.
std::string confirmation_token(World const& world, Account const& account, std::string const& email);

/// Changes the account's email. Returns the token in the notice to the previous address.
std::string change_email(World const& world, Account& account, std::string const& email);

/// The token in the invitation of a new member.
std::string invite(World const& world, std::string const& email, std::string const& role = "user");
testing::HttpResponse accept(World const& world, std::string const& token);

/// The user, as the API shows it to the user.
boost::json::value me(World const& world, Account const& account);

/// Makes the outbox unavailable. Until the destructor runs, all emails wait.
class HeldOutbox {
public:
    explicit HeldOutbox(World const& world);
    ~HeldOutbox();
    HeldOutbox(HeldOutbox const&) = delete;
    HeldOutbox& operator=(HeldOutbox const&) = delete;

    /// Waits until the service has tried to send this number of emails.
    void await_attempts(int mails) const;

private:
    std::string open() const;
    std::string held() const;

    World const& world_;
};
