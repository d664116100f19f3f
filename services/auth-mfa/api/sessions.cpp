#include "api/sessions.hpp"

#include "audit/audit.hpp"
#include "core/fields.hpp"
#include "domain/json.hpp"
#include "flows/open_session.hpp"
#include "flows/refresh.hpp"
#include "flows/signed_in_user.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/sessions.hpp"

namespace auth_mfa {

namespace {

constexpr std::size_t max_refresh_token = 2048;

core::Error bad_refresh_token()
{
    return {
        core::codes::unauthorized, "The refresh token is invalid, expired or already used. Sign in again."};
}

RefreshToken read_refresh_token(http::Request const& req, Deps const& deps)
{
    core::Fields f(req.json());
    std::string const text = f.text("refreshToken", 1, max_refresh_token);
    f.check();
    auto const token = deps.tokens.read_refresh_token(req.scope(), text);
    if (!token) throw bad_refresh_token();
    return *token;
}

/// Call it last in the transaction (see audit::record).
void record_ended(pg::Tx& tx, http::Request const& req, std::string action, std::string type, std::string id)
{
    audit::record(tx, req.context,
        {.action = std::move(action),
            .subject_type = std::move(type),
            .subject_id = std::move(id),
            .before = {},
            .after = {}});
}

} // namespace

asio::awaitable<http::Response> refresh(http::Request const& req, Deps& deps)
{
    RefreshToken const token = read_refresh_token(req, deps);
    co_await deps.tokens.ready();
    auto const result = co_await refresh_session(req, deps, token, {});
    auto const* const contents = std::get_if<sessions::TokenContents>(&result);
    if (contents == nullptr)
        throw std::get<RefusedRefresh>(result) == RefusedRefresh::email_not_verified ? email_not_verified()
                                                                                     : bad_refresh_token();
    co_return respond_with_tokens(
        req, deps, TokenResponse{.claims = claims_of(*contents), .generation = contents->generation});
}

asio::awaitable<http::Response> logout(http::Request const& req, Deps& deps)
{
    RefreshToken const token = read_refresh_token(req, deps);
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const locked = sessions::lock(tx, req.scope(), token.session_id);
        if (locked && !locked->session.client_id.empty()) throw bad_refresh_token(); // only /oauth/revoke
        sessions::end(tx, req.scope(), token.session_id, deps.clock.now());
    });
    co_return http::Response::ok(R"({"loggedOut":true})");
}

asio::awaitable<http::Response> list_sessions(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", "sessions").add("userId", req.caller().id).value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        User const user = signed_in_user(tx, req, deps);
        return sessions::list(tx, req.scope(), user.id, deps.clock.now(), asked.after, asked.rows());
    });
    auto const write_one = [current = session_id_of(req)](
                               core::JsonWriter& w, Session const& session) { write(w, session, current); };
    co_return http::Response::ok(paging::to_json(asked.page(std::move(rows)), write_one, 512));
}

asio::awaitable<http::Response> end_other_sessions(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const user = lock_signed_in_user(tx, req, deps);
        sessions::end_others(tx, req.scope(), user.id, session_id_of(req), deps.clock.now());
        record_ended(tx, req, "sessions.ended", "user", user.id.to_string());
        return http::Response::deleted();
    });
}

asio::awaitable<http::Response> end_session(http::Request const& req, Deps& deps)
{
    core::Uuid const id = req.uuid_param("sessionId");
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const user = signed_in_user(tx, req, deps);
        if (!sessions::end_own(tx, req.scope(), user.id, id, deps.clock.now()))
            throw core::Error(core::codes::not_found, "You have no open session with this id. Get the ids of "
                                                      "your sessions from GET /v1/auth/sessions.");
        record_ended(tx, req, "session.ended", "session", id.to_string());
        return http::Response::deleted();
    });
}

} // namespace auth_mfa
