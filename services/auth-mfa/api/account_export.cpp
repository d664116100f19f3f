#include "api/account_export.hpp"

#include "domain/json.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "storage/activity.hpp"
#include "storage/email_tokens.hpp"
#include "storage/factors.hpp"
#include "storage/identities.hpp"
#include "storage/mails.hpp"
#include "storage/passkeys.hpp"
#include "storage/recovery_codes.hpp"
#include "storage/sessions.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"
#include "user_data/user_data.hpp"

namespace auth_mfa {

namespace {

using user_data::export_page;
using user_data::ExportPage;

template <class T> std::string json_of(T const& object)
{
    core::JsonWriter w(256);
    write(w, object);
    return std::move(w).str();
}

UserId id_of(core::UserId const& user_id)
{
    return UserId(core::Uuid::parse(user_id.text()).value());
}

/// The account, with its factors, its identities and its passkeys.
ExportPage account(pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const&)
{
    ExportPage page;
    UserId const id = id_of(user_id);
    auto const user = users::find(tx, scope, id);
    if (!user) return page;
    core::JsonWriter w(512);
    write(w, *user, recovery_codes::count(tx, scope, id));
    page.add("account", std::move(w).str());
    for (auto const& identity : identities::list(tx, scope, id))
        page.add("identity", json_of(identity));
    for (auto const& passkey : passkeys::list(tx, scope, id))
        page.add("passkey", json_of(passkey));
    return page;
}

/// All sessions that are stored, also those that have ended.
ExportPage sessions_page(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    auto const to_json = [](Session const& session) {
        core::JsonWriter w(512);
        write_with_end(w, session);
        return std::move(w).str();
    };
    return user_data::make_page("session",
        sessions::list(tx, scope, id_of(user_id), std::nullopt, paging::decode(position, 0), export_page),
        to_json, [](Session const& session) { return paging::Position{session.created_at, session.id}; });
}

ExportPage devices_page(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    return user_data::make_page("trusted_device",
        trusted_devices::list(
            tx, scope, id_of(user_id), std::nullopt, paging::decode(position, 0), export_page),
        json_of<TrustedDevice>,
        [](TrustedDevice const& device) { return paging::Position{device.created_at, device.id}; });
}

/// The links that were sent by email and not used, without their tokens.
ExportPage links_page(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    ExportPage page;
    auto const rows = email_tokens::list(tx, scope, id_of(user_id), position, export_page);
    for (auto const& [token, expires_at] : rows) {
        core::JsonWriter w(256);
        w.begin_object()
            .member("purpose", to_string(token.purpose))
            .member("email", token.email)
            .member("createdAt", token.created_at)
            .member("expiresAt", expires_at)
            .end_object();
        page.add("email_link", std::move(w).str());
    }
    if (rows.size() == export_page) page.next = rows.back().token.hash;
    return page;
}

/// The emails that wait to be sent.
ExportPage mails_page(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    ExportPage page;
    auto const user = users::find(tx, scope, id_of(user_id));
    if (!user) return page;
    auto const rows = mails::list(tx, scope, *user, core::Uuid::parse(position), export_page);
    for (auto const& mail : rows) {
        core::JsonWriter w(256);
        w.begin_object()
            .member("kind", to_string(mail.kind))
            .member("email", mail.email)
            .member("locale", mail.locale)
            .member("createdAt", mail.created_at)
            .end_object();
        page.add("email", std::move(w).str());
    }
    if (rows.size() == export_page) page.next = rows.back().id.to_string();
    return page;
}

ExportPage activity_page(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    auto const to_json = [](Activity const& entry) {
        core::JsonWriter w(256);
        write(w, entry, "activityType");
        return std::move(w).str();
    };
    return user_data::make_page("activity",
        activity::list(tx, scope, id_of(user_id), paging::decode(position, 0), export_page), to_json,
        [](Activity const& entry) { return paging::Position{entry.at, entry.id}; });
}

asio::awaitable<http::Response> respond(http::Request const& req, Deps& deps, UserId id)
{
    http::Response response{.content_type = "application/x-ndjson"};
    response.stream = deps.users.export_stream(req.scope(), core::UserId(id.to_string()));
    response.headers.emplace_back("Content-Disposition", "attachment; filename=\"account.ndjson\"");
    response.headers.emplace_back("Cache-Control", "no-store");
    co_return response;
}

} // namespace

void add_export_parts(user_data::UserData& users)
{
    for (auto const part : {account, sessions_page, devices_page, links_page, mails_page, activity_page})
        users.add_part(part);
}

asio::awaitable<http::Response> export_me(http::Request const& req, Deps& deps)
{
    User const user = co_await signed_in_user(req, deps);
    co_return co_await respond(req, deps, user.id);
}

asio::awaitable<http::Response> export_member(http::Request const& req, Deps& deps)
{
    UserId const id(req.uuid_param("userId"));
    co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, core::Access::staff);
        return core::require_found(users::find(tx, req.scope(), id), "member");
    });
    co_return co_await respond(req, deps, id);
}

} // namespace auth_mfa
