#include "user_data/user_handlers.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "http/query.hpp"
#include "pg/database.hpp"

#include <array>
#include <utility>

namespace user_data {

namespace {

bool read_mode(http::Request const& request, UserData const& users)
{
    static constexpr std::array<std::string_view, 2> modes{"delete", "anonymize"};
    http::Query query(request);
    auto const mode = query.one_of("mode", std::span(modes).first(users.can_anonymize() ? 2 : 1));
    query.check();
    return mode == 1;
}

/// The audit entry of an erasure. It names the user by the pseudonym.
void record(pg::Tx& tx, Erasure const& erasure, audit::Actor const& actor)
{
    audit::record(tx, erasure.scope, actor,
        {.action = "user.erased",
            .subject_type = "user",
            .subject_id = erasure.pseudonym.text(),
            .after = boost::json::object{{"mode", erasure.anonymizes ? "anonymize" : "delete"}}});
}

} // namespace

core::UserId user_id_param(http::Request const& request)
{
    auto const& id = request.param("userId");
    if (core::count_code_points(id) > max_user_id)
        throw core::Error::validation(
            {{":userId", "too_long", "must be at most " + std::to_string(max_user_id) + " characters"}});
    return core::UserId(id);
}

asio::awaitable<http::Response> erase_user(http::Request const& request, UserData& users)
{
    auto const& caller = request.caller();
    Erasure const erasure{.scope = request.scope(),
        .user_id = user_id_param(request),
        .pseudonym = new_pseudonym(),
        .anonymizes = read_mode(request, users)};
    co_await users.erase(erasure);
    bool const own = caller.id == erasure.user_id.text(); // staff who erase themselves
    audit::Actor const actor{own ? erasure.pseudonym.text() : caller.id, caller.role,
        own ? std::string() : request.context.request_id}; // clients choose the request id
    co_await users.database().transact(request.scope(), [&](pg::Tx& tx) { record(tx, erasure, actor); });
    co_return http::Response::deleted();
}

asio::awaitable<http::Response> receive_erasure(http::Request const& request, UserData& users)
{
    Erasure const erasure{
        .scope = request.scope(), .user_id = core::UserId(request.caller().id), .pseudonym = new_pseudonym()};
    audit::Actor const actor{.id = "system:erasures", .request_id = request.context.request_id};
    co_await users.erase_deleted(erasure, [&](pg::Tx& tx) { record(tx, erasure, actor); });
    co_return http::Response::deleted();
}

asio::awaitable<http::Response> export_user(http::Request const& request, UserData& users)
{
    auto user_id = user_id_param(request);
    if (!request.caller().is_staff() && request.caller().id != user_id.text())
        throw core::Error(core::codes::not_found, "You may export only your own data. Check the user's id.");
    http::Response response{.content_type = "application/x-ndjson"};
    response.stream = users.export_stream(request.scope(), std::move(user_id));
    response.headers.emplace_back("Content-Disposition", "attachment; filename=\"user.ndjson\"");
    response.headers.emplace_back("Cache-Control", "no-store");
    co_return response;
}

} // namespace user_data
