#include "api/clients.hpp"

#include "api/client_body.hpp"
#include "audit/audit.hpp"
#include "core/fields.hpp"
#include "crypto/encoding.hpp"
#include "crypto/random.hpp"
#include "domain/json.hpp"
#include "flows/signed_in_user.hpp"
#include "http/etag.hpp"
#include "idempotency/once.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/clients.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace auth_mfa {

namespace {

namespace json = boost::json;

constexpr auto may_manage = core::Access::owner | core::Access::master;
constexpr std::size_t max_clients = 100; ///< per environment
constexpr std::int64_t max_grace_seconds = 604'800;

std::chrono::seconds parse_grace(http::Request const& req)
{
    if (req.body.find_first_not_of(" \t\r\n") == std::string::npos) return {};
    core::Fields f(req.json());
    auto const seconds = f.optional_integer("gracePeriodSeconds", 0, max_grace_seconds);
    f.check();
    return std::chrono::seconds(seconds.value_or(0));
}

/// The ETag of a client. Every change increases `updated_at`, under the lock on the client's row.
std::string etag(Client const& client)
{
    return http::etag(client.updated_at.time_since_epoch().count());
}

/// A response with a secret must not be cached.
http::Response with_secret(http::Response response, Client const& client)
{
    return std::move(response).header("ETag", etag(client)).header("Cache-Control", "no-store");
}

/// A new secret of 256 bits. Only its hash is stored.
std::string new_secret()
{
    return crypto::base64url::encode(crypto::random_bytes(32));
}

/// The response to POST /v1/clients. `secret` is empty if the client has none.
http::Response respond_created(Client const& client, std::string const& secret)
{
    core::JsonWriter w(1024);
    w.begin_object();
    write_members(w, client);
    if (!secret.empty()) w.member("secret", secret);
    w.end_object();
    return with_secret(http::Response::created(std::move(w).str()), client);
}

void record(pg::Tx& tx, http::Request const& req, std::string action, Client const& client,
    std::optional<json::value> before, std::optional<json::value> after)
{
    audit::record(tx, req.context,
        {.action = std::move(action),
            .subject_type = "client",
            .subject_id = client.id,
            .before = std::move(before),
            .after = std::move(after)});
}

json::value audited(Client const& client)
{
    return json::parse(to_json(client));
}

/// A client id that no client can have is not looked up.
template <class Find> Client found_client(http::Request const& req, Find const& find)
{
    std::string const& id = req.param("clientId");
    return core::require_found(is_client_id(id) ? find(id) : std::optional<Client>(), "client");
}

/// The client in the request's path, locked. Checks If-Match.
Client lock_named(pg::Tx& tx, http::Request const& req)
{
    Client client =
        found_client(req, [&](std::string const& id) { return clients::lock(tx, req.scope(), id); });
    http::check_if_match(req, etag(client));
    return client;
}

/// Stores the changed client with a later `updated_at`, which makes its ETag differ.
void store(pg::Tx& tx, http::Request const& req, Client& client, core::Time now)
{
    client.updated_at = std::max(now, client.updated_at + std::chrono::microseconds(1));
    clients::update(tx, req.scope(), client);
}

void require_secret(Client const& client)
{
    if (!client.is_confidential())
        throw core::Error(core::codes::conflict, "A public client has no secret. It uses PKCE instead.");
    if (client.jwks)
        throw core::Error(core::codes::conflict,
            "The client authenticates with `private_key_jwt` and has no secret. Set `jwks` to null first.");
}

} // namespace

asio::awaitable<http::Response> create_client(http::Request const& req, Deps& deps)
{
    Client client = read_new_client(req.json(), deps.outbound);
    bool const has_secret = client.is_confidential() && !client.jwks;
    std::string const secret = has_secret ? new_secret() : std::string();
    if (has_secret) client.secret_hash = crypto::sha256(secret);
    auto const work = [&](pg::Tx& tx) {
        // The scope's lock keeps concurrent requests from exceeding the limit together. It also keeps a new
        // client from appearing on a page that a cursor has already passed.
        pg::lock_scope(tx, req.scope().id);
        require_role(tx, req, deps, may_manage);
        if (clients::count(tx, req.scope()) >= max_clients)
            throw core::Error(core::codes::conflict,
                "The limit of " + std::to_string(max_clients) + " clients is reached. Delete one first.");
        client.created_at = client.updated_at = deps.clock.now();
        if (!clients::insert(tx, req.scope(), client))
            throw core::Error(core::codes::conflict,
                "A client with this `clientId` already exists. Choose another id, or leave it out.");
        record(tx, req, "client.created", client, {}, audited(client));
        return respond_created(client, secret);
    };
    co_return co_await idempotency::once(deps.db, req, work, &deps.keyring);
}

asio::awaitable<http::Response> list_clients(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(req, paging::FilterHash().add("list", "clients").value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, may_manage);
        return clients::list(tx, req.scope(), asked.after, asked.rows());
    });
    auto const page = asked.page(std::move(rows), clients::position_of);
    co_return http::Response::ok(
        paging::to_json(page, [](core::JsonWriter& w, Client const& client) { write(w, client); }, 1024));
}

asio::awaitable<http::Response> get_client(http::Request const& req, Deps& deps)
{
    Client const client = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, may_manage);
        return found_client(req, [&](std::string const& id) { return clients::find(tx, req.scope(), id); });
    });
    co_return http::Response::ok(to_json(client)).header("ETag", etag(client));
}

asio::awaitable<http::Response> update_client(http::Request const& req, Deps& deps)
{
    json::value const body = req.json();
    Client const client = co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, may_manage);
        Client changed = lock_named(tx, req);
        json::value before = audited(changed);
        change_client(body, deps.outbound, changed);
        store(tx, req, changed, deps.clock.now());
        record(tx, req, "client.updated", changed, std::move(before), audited(changed));
        return changed;
    });
    co_return http::Response::ok(to_json(client)).header("ETag", etag(client));
}

asio::awaitable<http::Response> delete_client(http::Request const& req, Deps& deps)
{
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        require_role(tx, req, deps, may_manage);
        Client const client = lock_named(tx, req);
        clients::remove(tx, req.scope(), client.id, deps.clock.now());
        record(tx, req, "client.deleted", client, audited(client), {});
    });
    co_return http::Response::deleted();
}

asio::awaitable<http::Response> rotate_client_secret(http::Request const& req, Deps& deps)
{
    std::chrono::seconds const grace = parse_grace(req);
    std::string const secret = new_secret();
    auto const work = [&](pg::Tx& tx) {
        require_role(tx, req, deps, may_manage);
        Client client = lock_named(tx, req);
        require_secret(client);
        core::Time const now = deps.clock.now();
        bool const keeps_old = grace.count() > 0 && client.secret_hash;
        client.old_secret_hash = keeps_old ? client.secret_hash : std::nullopt;
        client.old_secret_until = keeps_old ? std::optional(now + grace) : std::nullopt;
        client.secret_hash = crypto::sha256(secret);
        store(tx, req, client, now);
        record(tx, req, "client.secret_rotated", client, {},
            json::object{{"gracePeriodSeconds", grace.count()}});
        core::JsonWriter w(128);
        w.begin_object().member("clientId", client.id).member("secret", secret).end_object();
        return with_secret(http::Response::ok(std::move(w).str()), client);
    };
    co_return co_await idempotency::once(deps.db, req, work, &deps.keyring);
}

} // namespace auth_mfa
