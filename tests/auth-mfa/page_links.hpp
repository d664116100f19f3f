#pragma once

#include "emails.hpp"
#include "page_client.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

// The links in emails, and the pages to which they lead.

inline constexpr char const* unknown_token = "vY3kq0Zt6mXn2aJ8bS4wE1cR7uH5dL9pG0fT3iK6oQ8";

inline std::string link(std::string_view path, std::string_view token)
{
    return std::string(path) + "?token=" + std::string(token);
}

inline std::size_t count(std::string const& text, std::string const& part)
{
    std::size_t n = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
        ++n;
    return n;
}

/// The token is in the hidden field of the form and nowhere else: in no link, and in no header.
inline void check_form_of_link(HostedPage const& page, std::string const& token)
{
    INFO(page.body);
    CHECK(page.status == 200);
    CHECK(count(page.body, token) == 1);
    CHECK(count(page.body, R"(<input type="hidden" name="token" value=")" + token + '"') == 1);
    for (auto const& [name, value] : page.response.headers) {
        INFO(name);
        CHECK(value.find(token) == std::string::npos);
    }
    CHECK_FALSE(
        page.body.find("ui_locales") != std::string::npos); // a change of the language drops the token
}

inline bool is_signed_in(PageClient& client)
{
    return client.get_raw("/login").location == "/account";
}

/// A link with a token in an email, and the page that uses it.
struct Link {
    std::string path, token;
    std::string email;           ///< that the page names when it has used the token; may be empty
    PageClient::Fields fields{}; ///< that the user fills in
};

/// One valid link of each kind.
inline std::vector<Link> links(World const& world)
{
    auto const verifies = world.new_account(), resets = world.new_account();
    auto confirms = world.new_account(), reverts = world.new_account();
    auto const invited = World::new_email(), new_email = World::new_email(), old_email = reverts.email;
    PageClient::Fields const password{{"password", new_password}};
    return {{"/verify-email", token_of(world, verifies.email, verification), ""},
        {"/reset", reset_token(world, resets.email), "", password},
        {"/invite", invite(world, invited), "", password},
        {"/confirm-email", confirmation_token(world, confirms, new_email), new_email},
        {"/revert-email", change_email(world, reverts, World::new_email()), old_email}};
}
