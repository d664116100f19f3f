#include "pages/page.hpp"

#include "api/sessions.hpp"
#include "auth/user_tokens.hpp"
#include "core/fields.hpp"
#include "core/text.hpp"
#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "flows/activity.hpp"
#include "gateway/request_limit.hpp"
#include "gateway/rules.hpp"
#include "http/query.hpp"
#include "pages/assets.hpp"
#include "pages/frame.hpp"
#include "pages/headers.hpp"
#include "pages/next.hpp"
#include "pg/database.hpp"
#include "tenancy/directory.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>

namespace auth_mfa::pages {

namespace {

constexpr std::string_view session_cookie = "__Host-session", sign_in_cookie = "__Host-sign-in",
                           form_cookie = "__Host-form";
constexpr std::chrono::days language_lifetime{365};
constexpr std::size_t logo_version = 16; ///< digits of the hash

std::chrono::seconds retry_after(Failure const& failure)
{
    std::int64_t seconds = 0;
    for (auto const& [name, value] : failure.headers())
        if (name == "Retry-After") std::from_chars(value.data(), value.data() + value.size(), seconds);
    return std::chrono::seconds(seconds);
}

std::vector<std::string> methods_of(Failure const& failure)
{
    std::vector<std::string> methods;
    if (auto const* const listed = failure.members().if_contains("available_methods"))
        for (auto const& method : listed->as_array())
            methods.emplace_back(method.as_string());
    return methods;
}

std::string member(Failure const& failure, std::string_view name)
{
    return std::string(failure.members().at(name).as_string());
}

/// The user of the session, as a caller of the API.
core::Caller caller_of(sessions::TokenContents const& session)
{
    core::Caller caller;
    caller.kind = access_of(session.role);
    caller.id = session.user_id.to_string();
    caller.email = session.email;
    caller.email_verified = session.email_verified;
    caller.session_id = session.session_id.to_string();
    caller.role = to_string(session.role);
    caller.authenticated_at = session.assurance.authenticated_at;
    caller.aal2 = session.assurance.aal2;
    return caller;
}

} // namespace

Page::Page(http::Request const& req, Deps& deps) : req_(req), deps_(deps), language_(&language_of(req)) {}

asio::awaitable<void> Page::load()
{
    auto const tenant = co_await deps_.directory.get(req_.scope().slug);
    auto const environment = req_.scope().environment();
    brand_ = brand_of(*tenant, environment);
    accent_ = accent_color_of(*tenant, environment).value_or("");
    style_ = style_query(accent_);
    if (auto const logo = logo_of(*tenant, environment)) logo_ = logo->sha256.substr(0, logo_version);
    session_cookie_ = cookie_of(req_, session_cookie);
    form_cookie_ = cookie_of(req_, form_cookie);
    if (!is_random_cookie(form_cookie_)) form_cookie_.clear();
    if (req_.method == http::Method::post) {
        if (!http::is_form(req_))
            throw core::Error(core::codes::unsupported_media_type,
                "The body must be a form of the type application/x-www-form-urlencoded.");
        auto form = http::parse_form(req_.body);
        if (!form) throw core::Error(core::codes::bad_request, "The form is malformed.");
        form_ = *std::move(form);
        require_own_form();
    }
    co_await reload_session();
    if (session_) co_await count_request(*tenant);
    sign_in_ = deps_.page_tokens.open(req_.scope(), cookie_of(req_, sign_in_cookie), deps_.clock.now());
    authorization_ = co_await find_authorization(authorization_of(pending_next()));
    if (!query("ui_locales").empty()) set_cookie(language_cookie, language_->code(), language_lifetime);
}

void Page::require_own_form() const
{
    bool const right = is_from_own_page(req_) && deps_.page_tokens.is_form(req_.scope(), form_cookie_,
                                                     session_cookie_, http::find(form_, "csrf"));
    if (!right)
        throw core::Error(core::codes::forbidden,
            "The form is too old, or another site sent it. Open the page again and repeat your entry.");
}

asio::awaitable<void> Page::count_request(tenancy::Tenant const& tenant)
{
    auto context = req_.context;
    context.caller = caller_of(*session_);
    auto const limit = deps_.requests.of(context.caller, tenant);
    if (!limit) co_return;
    if (auto const decision = co_await deps_.requests.count(gateway::rate_subject(context), *limit)) {
        gateway::RequestLimit::require_allowed(*decision);
        headers_ = redis::headers(*decision);
    }
}

asio::awaitable<void> Page::reload_session()
{
    session_.reset();
    auto const token = deps_.page_tokens.read_session(req_.scope(), session_cookie_);
    if (!token) co_return;
    auto contents = co_await deps_.db.read(req_.scope(), [&](pg::Tx& tx) {
        return sessions::find_live(tx, req_.scope(), token->session_id, deps_.clock.now());
    });
    if (!contents || contents->user_id != token->user_id ||
        contents->assurance.authenticated_at != token->authenticated_at)
        co_return;
    auto const tenant = co_await deps_.directory.get(req_.scope().slug);
    auto const environment = req_.scope().environment();
    if (!trusts(*tenant, environment, contents->identity_provider)) co_return;
    if (account_rules_of(*tenant, environment).verified_only && !contents->email_verified) co_return;
    session_ = std::move(contents);
}

std::string Page::field(std::string_view name) const
{
    auto const value = http::find(form_, name);
    return core::is_utf8(value) ? std::string(value) : std::string();
}

std::string Page::query(std::string_view name) const
{
    return http::Query(req_).text(name, 0, 2'000).value_or("");
}

std::string Page::next() const
{
    auto asked = req_.method == http::Method::post ? field("next") : query("next");
    return may_return_to(asked) ? asked : std::string();
}

std::string Page::pending_next() const
{
    auto asked = next();
    return asked.empty() && sign_in_ ? sign_in_->next : asked;
}

http::Request Page::anonymous_request(boost::json::object const& body) const
{
    http::Request request = req_;
    std::erase_if(request.headers,
        [](http::Header const& header) { return core::equal_ignoring_case(header.name, "Content-Type"); });
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = boost::json::serialize(body);
    request.context.caller = core::Caller();
    return request;
}

asio::awaitable<http::Request> Page::api_request(boost::json::object const& body) const
{
    http::Request request = anonymous_request(body);
    auto& caller = request.context.caller;
    if (session_) {
        caller = caller_of(*session_);
    } else if (sign_in_ && sign_in_->enrols) {
        if (auto const token = co_await deps_.user_tokens.verify(sign_in_->token)) {
            caller.kind = token->access;
            caller.id = token->subject;
            caller.session_id = token->session_id;
        }
    }
    co_return request;
}

void Page::add_frame(Data& data, std::string_view title) const
{
    pages::add_frame(data, *language_, language_->text(title, {{"brand", brand_}}));
    data.set("brand", brand_);
    if (req_.scope().environment() == core::Environment::sandbox) data.set("sandbox", "true");
    data.set("style", style_);
    set(data, "accent", accent_);
    set(data, "logo", logo_);
    data.set("csrf", deps_.page_tokens.form(req_.scope(), form_cookie_, session_cookie_));
    set(data, "next", next());
    if (authorization_) {
        data.set("client", authorization_->client_name);
        if (auto const id = std::string(authorization_of(pending_next())); !id.empty())
            data.set("cancel", std::string(continue_path) + id + "?cancel=1");
    }
    if (session_) data.set("account", session_->email);
    if (auto const notice = "notice." + query("notice"); language_->contains(notice))
        data.set("notice", language_->text(notice));
    if (req_.method == http::Method::get && query("token").empty()) {
        data.set("has_languages", "true");
        data.set("languages", language_links(*language_));
    }
}

http::Response Page::show(View const& view, std::string_view title, Data data, unsigned status)
{
    if (form_cookie_.empty()) {
        form_cookie_ = random_cookie();
        set_cookie(form_cookie, form_cookie_, std::chrono::seconds(0));
    }
    add_frame(data, title);
    auto const leads_to = authorization_ ? authorization_->request.redirect_uri : std::string();
    return finish(html_response(view.render(*language_, data), status, leads_to));
}

http::Response Page::show_failure(View const& view, std::string_view title, Data data, Failure const& failure,
    std::initializer_list<std::pair<std::string_view, std::string_view>> fields)
{
    for (auto const& fault : failure.faults()) {
        auto const name = fault.pointer.substr(fault.pointer.rfind('/') + 1);
        auto const key = "field." + fault.code;
        data.set(name + "_error", language_->text(language_->contains(key) ? key : "field.invalid"));
    }
    if (failure.faults().empty()) {
        auto const* const place = std::ranges::find(
            fields, failure.code().name, &std::pair<std::string_view, std::string_view>::first);
        auto const name =
            place == fields.end() ? std::string("alert") : std::string(place->second) + "_error";
        data.set(name, message(failure, title.substr(0, title.rfind('.'))));
    }
    auto response = show(view, title, std::move(data), failure.code().status);
    for (auto const& [name, value] : failure.headers())
        if (name == "Retry-After") response.headers.emplace_back(name, value);
    return response;
}

http::Response Page::redirect(std::string_view path)
{
    return finish(redirect_to(path));
}

asio::awaitable<http::Response> Page::enter(SignedIn const& signed_in, std::string next)
{
    co_await end_session();
    set_session(signed_in);
    co_return redirect(next.empty() ? "/account" : next);
}

void Page::set_session(SignedIn const& signed_in)
{
    use_session(signed_in.session_id, signed_in.user.id, signed_in.assurance.authenticated_at);
    headers_.insert(headers_.end(), signed_in.headers.begin(), signed_in.headers.end());
    clear_sign_in();
}

void Page::renew_session(sessions::TokenContents const& contents)
{
    use_session(contents.session_id, contents.user_id, contents.assurance.authenticated_at);
    session_ = contents;
}

void Page::use_session(core::Uuid session_id, UserId user_id, core::Time authenticated_at)
{
    session_cookie_ = deps_.page_tokens.session(req_.scope(), {session_id, user_id, authenticated_at});
    set_cookie(session_cookie, session_cookie_, session_lifetime);
    form_cookie_ = random_cookie();
    set_cookie(form_cookie, form_cookie_, std::chrono::seconds(0));
}

asio::awaitable<std::optional<Failure>> Page::end_session()
{
    if (!session_) co_return std::nullopt;
    auto request = co_await api_request({});
    request.params.assign({{"sessionId", session_->session_id.to_string()}});
    auto const ended = co_await attempt(auth_mfa::end_session(request, deps_));
    auto const* const failure = std::get_if<Failure>(&ended);
    if (failure == nullptr) co_return std::nullopt;
    bool const by_another = is(*failure, core::codes::not_found) || is(*failure, core::codes::unauthorized);
    co_return by_another ? std::nullopt : std::optional(*failure);
}

asio::awaitable<std::optional<Failure>> Page::sign_out()
{
    auto failure = co_await end_session();
    clear_session();
    clear_sign_in();
    co_return failure;
}

void Page::clear_session()
{
    session_.reset();
    session_cookie_.clear();
    set_cookie(session_cookie, "", std::chrono::seconds(0));
}

std::optional<http::Response> Page::continue_sign_in(
    Failure const& failure, std::string email, std::string next)
{
    bool const enrols = is(failure, codes::mfa_enrollment_required);
    if (!enrols && !is(failure, codes::mfa_required)) return std::nullopt;
    SignInState state{.token = member(failure, enrols ? "enrollment_token" : "mfa_token"),
        .enrols = enrols,
        .email = std::move(email),
        .methods = methods_of(failure),
        .next = std::move(next),
        .expires_at = deps_.clock.now() + sign_in_state_lifetime};
    set_cookie(sign_in_cookie, deps_.page_tokens.seal(req_.scope(), state), sign_in_state_lifetime);
    return redirect(enrols ? "/enroll" : "/login/verify");
}

void Page::clear_sign_in()
{
    if (cookie_of(req_, sign_in_cookie).empty()) return;
    sign_in_.reset();
    set_cookie(sign_in_cookie, "", std::chrono::seconds(0));
}

std::optional<http::Response> Page::confirm_identity(Failure const& failure, std::string_view next)
{
    if (!is(failure, codes::reauthentication_required)) return std::nullopt;
    return redirect(with_next("/account/confirm", next));
}

std::string Page::message(Failure const& failure, std::string_view view) const
{
    std::string const code(failure.code().name), own = std::string(view) + '.' + code, key = "error." + code;
    std::string text = language_->text(language_->contains(own)   ? own
                                       : language_->contains(key) ? key
                                                                  : "error.other");
    if (auto const wait = retry_after(failure); wait.count() > 1)
        text += ' ' + language_->text("error.retry", {{"span", language_->span(wait)}});
    return text;
}

http::Response Page::finish(http::Response response)
{
    response.headers.insert(response.headers.end(), headers_.begin(), headers_.end());
    return response;
}

asio::awaitable<http::Response> run(http::Request const& req, Deps& deps, Handler handler)
{
    Page page(req, deps);
    co_await page.load();
    co_return co_await handler(page);
}

} // namespace auth_mfa::pages
