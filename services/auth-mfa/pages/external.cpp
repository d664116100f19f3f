#include "pages/external.hpp"

#include "api/external_sign_in.hpp"
#include "api/identities.hpp"
#include "api/reauthentication.hpp"
#include "crypto/compare.hpp"
#include "domain/errors.hpp"
#include "domain/parameters.hpp"
#include "flows/external_codes.hpp"
#include "http/form.hpp"
#include "http/query.hpp"
#include "pages/account_confirm.hpp"
#include "pages/headers.hpp"
#include "pages/next.hpp"
#include "pages/signed_in_page.hpp"
#include "tenancy/directory.hpp"
#include "tokens/external_sign_ins.hpp"

#include <algorithm>
#include <array>

namespace auth_mfa::pages {

extern std::string_view const external_failed_html; // a file of pages/templates/

namespace {

constexpr std::string_view callback_path = "/oauth/external/callback";
constexpr std::size_t max_parameter = 4'096; // codes of some providers have more than 2,000 characters

/// A parameter of the authorization response; empty if it is absent, repeated or too long.
std::string parameter(Page const& page, std::string_view name)
{
    return http::Query(page.request()).text(name, 0, max_parameter).value_or("");
}

/// The page from which the sign-in began. `query` may be empty.
std::string origin_of(ExternalSignIn const& sign_in, std::string_view query = "")
{
    static constexpr std::array<std::string_view, core::names_of<ExternalPurpose>.size()> pages{
        "/login", "/account", "/account/confirm"};
    std::string path(pages[static_cast<std::size_t>(sign_in.purpose)]);
    return with_next(path.append(query), sign_in.next);
}

/// The page that says why the sign-in did not work, with a link to `back`.
http::Response show_failure(
    Page& page, Failure const& failure, std::string const& back, std::string_view view = "external")
{
    Data data;
    data.set("alert", page.message(failure, view));
    data.set("back", back);
    auto response =
        page.show(view_of<external_failed_html>(), "external.title", std::move(data), failure.code().status);
    for (auto const& [name, value] : failure.headers())
        if (name == "Retry-After") response.headers.emplace_back(name, value);
    return response;
}

Failure refused_by_provider()
{
    return {codes::invalid_credentials, "The identity provider has refused the sign-in. Start again."};
}

asio::awaitable<http::Response> leave_for_provider(
    Page& page, IdentityProvider const& provider, ExternalSignIn const& sign_in)
{
    auto const& request = page.request();
    auto const url = co_await attempt(url_at_provider(request, page.deps(), provider, sign_in));
    if (auto const* const failure = std::get_if<Failure>(&url))
        co_return show_failure(page, *failure, origin_of(sign_in));
    page.set_external_sign_in(external_sign_ins::seal(page.deps().keyring, request.scope(), sign_in));
    co_return page.redirect(std::get<std::string>(url));
}

/// Throws unless a page of the session made the link. Another site must not begin the linking of an account,
/// since it could sign the browser in at the provider as another person. Nor may it make the authentication
/// of a session fresh.
void require_own_link(Page const& page, ExternalPurpose purpose)
{
    if (!page.is_external_token(purpose, page.query(to_string(purpose))))
        throw core::Error(core::codes::forbidden,
            "The link is too old, or another site made it. Open the page of your account again.");
}

asio::awaitable<http::Response> begin_in_session(Page& page, ExternalPurpose purpose)
{
    auto const& request = page.request();
    auto const provider = co_await provider_named(request, page.deps(), request.param("name"));
    auto sign_in = ExternalSignIn::begin(provider, page.deps().clock.now());
    sign_in.purpose = purpose;
    sign_in.session = page.session()->session_id.to_string();
    if (purpose == ExternalPurpose::confirm) {
        sign_in.next = page.next();
        sign_in.fresh = true;
    }
    co_return co_await leave_for_provider(page, provider, sign_in);
}

asio::awaitable<http::Response> begin_linking(Page& page)
{
    require_own_link(page, ExternalPurpose::link);
    co_await require_recent(page);
    co_return co_await begin_in_session(page, ExternalPurpose::link);
}

asio::awaitable<http::Response> begin_confirmation(Page& page)
{
    require_own_link(page, ExternalPurpose::confirm);
    co_return co_await begin_in_session(page, ExternalPurpose::confirm);
}

/// Whether the sign-in leads to an authorization request that demands a new authentication.
bool must_be_fresh(Page const& page)
{
    auto const* const pending = page.authorization();
    return pending != nullptr && (pending->request.signs_in || pending->request.max_age);
}

asio::awaitable<LinkedIdentity> link_recently(Page const& page, ExternalIdentity const& identity)
{
    co_await require_recent(page);
    auto const request = co_await page.api_request({});
    co_return co_await link_proved_identity(request, page.deps(), identity);
}

asio::awaitable<http::Response> finish_linking(Page& page, ExternalIdentity const& identity)
{
    auto const linked = co_await attempt(link_recently(page, identity));
    auto const* const failure = std::get_if<Failure>(&linked);
    if (failure == nullptr) co_return page.redirect("/account?notice=identity_linked");
    if (auto confirmation = page.confirm_identity(*failure, "/account")) co_return *std::move(confirmation);
    bool const conflict = is(*failure, core::codes::conflict);
    co_return show_failure(page, *failure, "/account", conflict ? "external_link" : "external");
}

asio::awaitable<http::Response> finish_confirmation(
    Page& page, ExternalSignIn const& sign_in, ExternalIdentity const& identity)
{
    auto const request = co_await page.api_request({});
    auto const result = co_await attempt(reauthenticate_with_identity(request, page.deps(), identity));
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return show_failure(page, *failure, origin_of(sign_in), "account_confirm");
    co_return after_confirmation(page, std::get<sessions::TokenContents>(result), sign_in.next);
}

asio::awaitable<http::Response> finish_signing_in(
    Page& page, ExternalSignIn const& sign_in, ExternalIdentity const& identity)
{
    auto const request = page.anonymous_request({});
    auto const result = co_await attempt(sign_in_with_identity(request, page.deps(), identity));
    if (auto const* const signed_in = std::get_if<SignedIn>(&result))
        co_return co_await page.enter(*signed_in, sign_in.next);
    auto const& failure = std::get<Failure>(result);
    if (auto next_step = page.continue_sign_in(failure, identity.email.value_or(""), sign_in.next))
        co_return *std::move(next_step);
    co_return show_failure(page, failure, origin_of(sign_in));
}

asio::awaitable<http::Response> finish(
    Page& page, ExternalSignIn const& sign_in, ExternalIdentity const& identity)
{
    if (!is_fresh(sign_in, identity))
        co_return show_failure(page, refused_by_provider(), origin_of(sign_in), "external_stale");
    if (sign_in.purpose == ExternalPurpose::sign_in)
        co_return co_await finish_signing_in(page, sign_in, identity);
    if (page.session() == nullptr || page.session()->session_id.to_string() != sign_in.session)
        co_return show_failure(page, token_expired(), "/account");
    if (sign_in.purpose == ExternalPurpose::link) co_return co_await finish_linking(page, identity);
    co_return co_await finish_confirmation(page, sign_in, identity);
}

/// The answer to an authorization response with `error` (RFC 6749, 4.1.2.1). Apple has a name of its own for
/// a user who does not continue.
http::Response after_error(Page& page, ExternalSignIn const& sign_in, std::string_view error)
{
    bool const cancelled = error == "access_denied" || error == "user_cancelled_authorize";
    if (!cancelled) return show_failure(page, refused_by_provider(), origin_of(sign_in));
    return page.redirect(origin_of(sign_in, "?notice=external_cancelled"));
}

asio::awaitable<std::vector<IdentityProvider>> providers_of(Page const& page)
{
    auto const& scope = page.request().scope();
    auto const tenant = co_await page.deps().directory.get(scope.slug);
    co_return providers_with_client(*tenant, scope.environment());
}

void add(Data& data, std::vector<IdentityProvider> const& providers)
{
    Data list(Data::type::list);
    for (auto const& provider : providers) {
        Data item;
        item.set("provider", provider.client->name);
        item.set("provider_name", provider.client->display_name);
        list << item;
    }
    if (list.is_empty_list()) return;
    data.set("has_providers", "true");
    data.set("providers", list);
}

} // namespace

asio::awaitable<void> add_providers(Page const& page, Data& data)
{
    add(data, co_await providers_of(page));
}

asio::awaitable<void> add_providers_of(
    Page const& page, Data& data, std::vector<LinkedIdentity> const& identities)
{
    auto providers = co_await providers_of(page);
    std::erase_if(providers, [&](IdentityProvider const& provider) {
        return std::ranges::find(identities, provider.issuer, &LinkedIdentity::issuer) == identities.end();
    });
    add(data, providers);
}

asio::awaitable<http::Response> get_external(Page& page)
{
    if (!page.query("link").empty())
        co_return co_await run_for_user(page, page.session() != nullptr, begin_linking, "/account");
    if (!page.query("confirm").empty())
        co_return co_await run_for_user(page, page.session() != nullptr, begin_confirmation,
            page.next().empty() ? "/account" : page.next());
    auto const& request = page.request();
    auto const provider = co_await provider_named(request, page.deps(), request.param("name"));
    if (page.session() != nullptr) co_return page.redirect(page.next().empty() ? "/account" : page.next());
    auto sign_in = ExternalSignIn::begin(provider, page.deps().clock.now());
    sign_in.next = page.next();
    sign_in.fresh = must_be_fresh(page);
    co_return co_await leave_for_provider(page, provider, sign_in);
}

asio::awaitable<http::Response> get_external_callback(Page& page)
{
    auto const& request = page.request();
    auto& deps = page.deps();
    auto const sign_in =
        external_sign_ins::open(deps.keyring, request.scope(), page.external_sign_in(), deps.clock.now());
    // A response to another browser, or one that an attacker made, ends here. It leaves the cookie alone.
    if (!sign_in || !crypto::equal_constant_time(sign_in->state, parameter(page, "state")))
        co_return show_failure(page, token_expired(), "/login");
    page.set_external_sign_in("");
    if (auto const error = parameter(page, "error"); !error.empty())
        co_return after_error(page, *sign_in, error);
    auto const identity = co_await attempt(
        identity_from_provider(request, deps, *sign_in, {parameter(page, "code"), parameter(page, "iss")}));
    if (auto const* const failure = std::get_if<Failure>(&identity))
        co_return show_failure(page, *failure, origin_of(*sign_in));
    co_return co_await finish(page, *sign_in, std::get<ExternalIdentity>(identity));
}

asio::awaitable<http::Response> post_external_callback(http::Request const& req, Deps&)
{
    static constexpr std::array<std::string_view, 4> names{"state", "code", "iss", "error"};
    auto const form = http::parse_form(req.body);
    if (!form) throw core::Error(core::codes::bad_request, "The form is malformed.");
    std::string path(callback_path);
    for (auto const name : names) {
        auto const value = http::find(*form, name);
        if (value.size() > max_parameter) continue;
        path = with_parameters(std::move(path), {{name, value}});
    }
    co_return redirect_to(path);
}

} // namespace auth_mfa::pages
