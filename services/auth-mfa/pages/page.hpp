#pragma once

#include "core/caller.hpp"
#include "deps.hpp"
#include "domain/external_request.hpp"
#include "flows/open_session.hpp"
#include "http/form.hpp"
#include "http/message.hpp"
#include "pages/language.hpp"
#include "pages/next.hpp"
#include "pages/view.hpp"
#include "state/authorization_requests.hpp"
#include "storage/sessions.hpp"
#include "tenancy/tenant.hpp"
#include "tokens/page_tokens.hpp"

#include <boost/json/object.hpp>

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The hosted pages. A page is a client of the API within the process: it makes a request of the API from a
/// form (`Page::api_request`), calls the function that the API's route calls, and shows the result or the
/// error.
namespace auth_mfa::pages {

/// The error that ended an API call; see `attempt`.
using Failure = core::Error;

/// Whether the API call failed with this code.
inline bool is(Failure const& failure, core::ErrorCode const& code) noexcept
{
    return failure.code().name == code.name;
}

/// Awaits `call`. Returns its result, or the core::Error that it threw.
template <class T> asio::awaitable<std::variant<T, Failure>> attempt(asio::awaitable<T> call)
{
    try {
        co_return co_await std::move(call);
    } catch (core::Error const& error) {
        co_return error;
    }
}

/// One request of a page.
class Page {
public:
    /// Both arguments must outlive the page.
    Page(http::Request const& req, Deps& deps);

    /// Reads the cookies, the tenant's branding and, for a POST, the form. Throws FORBIDDEN if the form was
    /// not sent by a page of this host, or its token is wrong.
    asio::awaitable<void> load();

    http::Request const& request() const noexcept { return req_; }

    Deps& deps() const noexcept { return deps_; }

    Language const& language() const noexcept { return *language_; }

    std::string const& brand() const noexcept { return brand_; }

    /// The signed-in user's session; null if no user is signed in.
    sessions::TokenContents const* session() const noexcept { return session_ ? &*session_ : nullptr; }

    /// The sign-in in progress; null if there is none.
    SignInState const* sign_in() const noexcept { return sign_in_ ? &*sign_in_ : nullptr; }

    /// The value of a form field; empty if it is absent. Text that is not UTF-8 counts as absent.
    std::string field(std::string_view name) const;

    /// The value of a query parameter; empty if it is absent.
    std::string query(std::string_view name) const;

    /// The page to show after signing in: the form field or query parameter `next` if `may_return_to` accepts
    /// it, else empty. Never another site.
    std::string next() const;

    /// `next`, or the page to show after the sign-in in progress.
    std::string pending_next() const;

    // --- authorization requests ------------------------------------------------------------------------

    /// The authorization request to which `pending_next` leads, if this browser has brought it; else null.
    /// The page names its client, and its forms may lead to the client.
    PendingAuthorization const* authorization() const noexcept
    {
        return authorization_ ? &*authorization_ : nullptr;
    }

    /// Makes this the page of an authorization request, as if `next` led to it.
    void set_authorization(PendingAuthorization pending) { authorization_ = std::move(pending); }

    /// The secret that binds authorization requests to this browser. Sets its cookie if the browser has none.
    std::string authorization_secret();

    /// The authorization request with this id, if this browser has brought it; else nullopt.
    asio::awaitable<std::optional<PendingAuthorization>> find_authorization(std::string_view id) const;

    // --- sign-in with other providers ------------------------------------------------------------------

    /// The sealed sign-in with another provider that this browser has begun; empty if there is none.
    std::string_view external_sign_in() const;

    /// Keeps the sealed sign-in in the browser. An empty text removes it.
    void set_external_sign_in(std::string const& sealed);

    /// The token of links that send the signed-in user to another provider for this purpose. It is bound to
    /// the session.
    std::string external_token(ExternalPurpose purpose) const;
    bool is_external_token(ExternalPurpose purpose, std::string_view token) const;

    /// A request of the API with this JSON body. The caller is the signed-in user, or the user of the
    /// enrolment in progress, else anonymous. Awaits the check of the enrolment token.
    asio::awaitable<http::Request> api_request(boost::json::object const& body) const;

    /// As `api_request`, of an anonymous caller. For calls that do not act for the signed-in user.
    http::Request anonymous_request(boost::json::object const& body) const;

    /// Reads the session again, after a call that may have changed its user or ended it.
    asio::awaitable<void> reload_session();

    // --- responses -----------------------------------------------------------------------------------

    /// The page `view`. `title` is the key of its title, `VIEW.title`. The query parameter `notice` shows the
    /// text `notice.KEY`.
    http::Response show(View const& view, std::string_view title, Data data, unsigned status = 200);

    /// As `show`, with the error beside its fields, or above the form. Errors that name no field of a form
    /// and have a code in `fields` belong to the field given there.
    http::Response show_failure(View const& view, std::string_view title, Data data, Failure const& failure,
        std::initializer_list<std::pair<std::string_view, std::string_view>> fields = {});

    /// 303 to a page of this host, to the registered redirect URI of a client, or to an identity provider.
    /// `path` may have a query.
    http::Response redirect(std::string_view path);

    /// 303 to `next` or the account's page, signed in with the session. Ends the browser's session before it.
    asio::awaitable<http::Response> enter(SignedIn const& signed_in, std::string next);

    /// Signs the browser in with the session. For a response that is not a redirect.
    void set_session(SignedIn const& signed_in);

    /// Replaces the session's cookie after the user authenticated again.
    void renew_session(sessions::TokenContents const& contents);

    /// Signs the browser out. The caller ends the session.
    void clear_session();

    /// Ends the browser's session, if there is one. Keeps its cookie. Returns the failure if the session has
    /// not ended.
    asio::awaitable<std::optional<Failure>> end_session();

    /// Ends the browser's session and the sign-in in progress, and removes their cookies. Returns the failure
    /// if the session has not ended.
    asio::awaitable<std::optional<Failure>> sign_out();

    /// If the failure says that the sign-in needs a second factor, or the enrolment of one: 303 to that step.
    /// Else nullopt. `email` as the user entered it.
    std::optional<http::Response> continue_sign_in(
        Failure const& failure, std::string email, std::string next);

    void clear_sign_in();

    /// If the failure says that a recent authentication is needed: 303 to the page that asks for it, which
    /// then returns to `next`. Else nullopt.
    std::optional<http::Response> confirm_identity(Failure const& failure, std::string_view next);

    /// The message for the failure, in the user's language: the text `VIEW.CODE` if there is one, else the
    /// text `error.CODE`.
    std::string message(Failure const& failure, std::string_view view) const;

private:
    void require_own_form() const;
    /// Counts the request like one that the signed-in user sends to the API.
    asio::awaitable<void> count_request(tenancy::Tenant const& tenant);
    void set_cookie(std::string_view name, std::string_view value, std::chrono::seconds lifetime);
    void use_session(core::Uuid session_id, UserId user_id, core::Time authenticated_at);
    void add_frame(Data& data, std::string_view title) const;
    http::Response finish(http::Response response);

    http::Request const& req_;
    Deps& deps_;
    Language const* language_;
    std::string brand_;
    std::string accent_; ///< the accent colour; may be empty
    std::string style_;  ///< the query of the style sheet
    std::string logo_;   ///< names the version of the logo; empty: there is none
    std::optional<sessions::TokenContents> session_;
    std::optional<SignInState> sign_in_;
    std::optional<PendingAuthorization> authorization_;
    http::Form form_;
    std::string form_cookie_;
    std::string session_cookie_;
    std::vector<std::pair<std::string, std::string>> headers_; ///< of the response
};

/// The handler of a page.
using Handler = asio::awaitable<http::Response> (*)(Page&);

/// Loads the page and calls its handler.
asio::awaitable<http::Response> run(http::Request const& req, Deps& deps, Handler handler);

/// The handler of a page as the handler of a route.
template <Handler handler> asio::awaitable<http::Response> page(http::Request const& req, Deps& deps)
{
    return run(req, deps, handler);
}

/// The page that shows an error of the gateway or a failure that no handler expects.
http::Response error_page(http::Request const& req, core::Error const& error);

} // namespace auth_mfa::pages
