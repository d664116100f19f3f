#include "tenancy/tenant_handlers.hpp"

#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "http/query.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/eraser.hpp"
#include "tenancy/slug.hpp"
#include "tenancy/tenant_rows.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace tenancy {

namespace {

constexpr std::size_t max_limits = 50;
constexpr std::size_t max_limit_name = 50;
constexpr std::int64_t max_limit_value = 1'000'000'000;
constexpr unsigned retry_after = 5; ///< seconds

bool is_limit_name(std::string_view name)
{
    auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    auto const is_other = [](char c) { return (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-'; };
    return !name.empty() && name.size() <= max_limit_name && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_other(c); });
}

/// The value of a limit; nullopt for `null`.
std::optional<Limits::Value> parse_limit(core::Fields& limits, std::string_view name)
{
    if (Limits::is_switch(name)) return limits.optional_boolean(name);
    return limits.optional_integer(name, 0, max_limit_value);
}

std::optional<Limits> parse_limits(core::Fields& fields)
{
    auto const* value = fields.optional_object("limits");
    if (value == nullptr) return std::nullopt;
    core::Fields nested(*value, "/limits");
    Limits::Values limits;
    if (value->get_object().size() > max_limits) {
        fields.fault("limits", "too_many", "must have at most 50 limits");
        return std::nullopt;
    }
    for (auto const& member : value->get_object()) {
        std::string_view const name = member.key();
        if (!is_limit_name(name))
            nested.fault(name, "format",
                "must be a name of at most 50 letters, digits, '_', '.' and '-' that begins with a letter");
        else if (auto const limit = parse_limit(nested, name))
            limits.emplace(name, *limit);
    }
    fields.absorb(nested);
    return Limits(std::move(limits));
}

tenant_rows::Upsert parse_upsert(http::Request const& request)
{
    static constexpr std::array<std::string_view, 2> statuses{"active", "suspended"};
    tenant_rows::Upsert wanted;
    wanted.slug = request.param("slug");
    if (!is_slug(wanted.slug))
        throw core::Error::validation({{":slug", "format",
            "must have 1 to 55 characters: lower-case letters, digits and hyphens. It must not begin or end "
            "with a hyphen, or end with -sandbox. It must not be a reserved name: www, api, admin, auth, "
            "feedback, notify, billing, static or docs"}});
    core::Fields fields(request.json());
    wanted.display_name = fields.text("displayName", 1, 100);
    if (auto const status = fields.optional_one_of("status", statuses)) wanted.suspended = *status == 1;
    wanted.limits = parse_limits(fields);
    fields.check();
    return wanted;
}

void write_tenant(core::JsonWriter& json, TenantRecord const& tenant)
{
    json.begin_object()
        .member("slug", tenant.slug)
        .member("displayName", tenant.display_name)
        .member("status", tenant.suspended ? "suspended" : "active")
        .key("limits")
        .begin_object();
    for (auto const& [name, value] : tenant.limits.values())
        std::visit([&, &key = name](auto v) { json.member(key, v); }, value);
    json.end_object()
        .member("createdAt", tenant.created_at)
        .member("updatedAt", tenant.updated_at)
        .member("eraseAfter", tenant.erase_after)
        .end_object();
}

std::string to_json(TenantRecord const& tenant)
{
    core::JsonWriter json;
    write_tenant(json, tenant);
    return std::move(json).str();
}

} // namespace

asio::awaitable<http::Response> put_tenant(http::Request const& request, TenantAdmin& admin)
{
    tenant_rows::Upsert const wanted = parse_upsert(request);
    auto const done = co_await admin.database.transact(
        pg::Scopes(), [&](pg::Tx& tx) { return tenant_rows::upsert(tx, wanted, admin.clock.now()); });
    std::string json = to_json(done.tenant);
    co_return done.created ? http::Response::created(std::move(json)) : http::Response::ok(std::move(json));
}

asio::awaitable<http::Response> list_tenants(http::Request const& request, TenantAdmin& admin)
{
    auto const asked =
        paging::PageRequest::read(request, paging::FilterHash().add("list", "tenants").value());
    auto rows = co_await admin.database.read(pg::Scopes(), [&](pg::Tx& tx) {
        return tenant_rows::list(tx, core::TenantId{paging::number_of(asked.after)}, asked.rows());
    });
    auto const page = asked.page(std::move(rows), [](TenantRecord const& t) {
        return paging::Position{std::nullopt, paging::id_of_number(core::number(t.id))};
    });
    co_return http::Response::ok(paging::to_json(page, write_tenant));
}

asio::awaitable<http::Response> get_tenant(http::Request const& request, TenantAdmin& admin)
{
    std::string const& slug = request.param("slug");
    if (!is_slug(slug)) throw not_found();
    auto const tenant =
        co_await admin.database.read(pg::Scopes(), [&](pg::Tx& tx) { return tenant_rows::find(tx, slug); });
    if (!tenant) throw not_found();
    co_return http::Response::ok(to_json(*tenant));
}

asio::awaitable<http::Response> delete_tenant(http::Request const& request, TenantAdmin& admin)
{
    static constexpr std::array<std::string_view, 1> when{"now"};
    http::Query query(request);
    bool const at_once = query.one_of("purge", when).has_value();
    query.check();
    std::string const& slug = request.param("slug");
    if (!is_slug(slug)) throw not_found();

    core::Time const now = admin.clock.now();
    core::Time const erase_after = at_once ? now : now + admin.grace;
    auto const tenant = co_await admin.database.transact(
        pg::Scopes(), [&](pg::Tx& tx) { return tenant_rows::schedule_erasure(tx, slug, erase_after, now); });
    if (!tenant) throw not_found();
    if (at_once && !co_await admin.eraser.erase_now(tenant->id))
        throw core::Error::unavailable("The erasure of the tenant continues in the background. Repeat the "
                                       "request until it returns 200 or 404.",
            retry_after);
    co_return http::Response::deleted();
}

} // namespace tenancy
