#include "api/products.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "http/etag.hpp"
#include "idempotency/once.hpp"
#include "paging/cursor.hpp"
#include "storage/products.hpp"

#include <array>

namespace billing {

namespace {

namespace json = boost::json;
using products::Grant, products::Product;

constexpr std::size_t max_provider_product_id = 255;
constexpr std::size_t max_name = 100;
constexpr std::size_t max_features = 100;
constexpr std::size_t max_grants = 100;
/// 2^53 - 1. JSON parsers may round greater integers.
constexpr std::int64_t max_quantity = 9'007'199'254'740'991;

/// Locks the product for a change and checks If-Match.
Product lock_named(pg::Tx& tx, http::Request const& req)
{
    auto p = core::require_found(products::lock(tx, req.scope(), req.uuid_param("productId")), "product");
    http::check_if_match(req, p.version);
    return p;
}

// --- reading

/// Parses `grants`. If `grants` is absent or null, the product grants nothing.
std::vector<Grant> parse_grants(core::Fields& f)
{
    std::vector<Grant> grants;
    auto const* items = f.optional_array("grants", max_grants);
    if (items == nullptr) return grants;
    for (std::size_t i = 0; i < items->size(); ++i) {
        core::Fields nested((*items)[i], "/grants/" + std::to_string(i));
        Grant grant;
        grant.name = nested.text("name", 1, max_name);
        grant.quantity = nested.integer("quantity", 1, max_quantity);
        f.absorb(nested);
        grants.push_back(std::move(grant));
    }
    return grants;
}

Product parse_product(http::Request const& req)
{
    core::Fields f(req.json());
    Product p;
    p.id = core::Uuid::v7();
    p.provider_product_id = f.text("providerProductId", 1, max_provider_product_id);
    p.name = f.text("name", 1, max_name);
    p.kind = f.one_of<products::Kind>("kind");
    p.features = f.optional_list("features", max_features, max_name);
    p.grants = parse_grants(f);
    f.check();
    return p;
}

/// The fields that a PATCH may contain.
struct Changes {
    core::Change<std::string> provider_product_id, name;
    core::Change<products::Kind> kind;
    core::Change<std::vector<std::string>> features;
    core::Change<std::vector<Grant>> grants;

    static Changes parse(http::Request const& req)
    {
        static constexpr std::array<std::string_view, 5> names{
            "providerProductId", "name", "kind", "features", "grants"};
        core::Fields f(req.json());
        Changes c;
        for (auto const* required : {"providerProductId", "name"})
            if (f.is_null(required)) f.fault(required, "required", "must not be null");
        c.provider_product_id = f.change_text("providerProductId", 1, max_provider_product_id);
        c.name = f.change_text("name", 1, max_name);
        c.kind = f.change_one_of<products::Kind>("kind", false);
        c.features = f.change_list("features", max_features, max_name);
        c.grants = {f.has("grants"), parse_grants(f)};
        f.check_any_of(names);
        return c;
    }

    void apply(Product& p) const
    {
        if (provider_product_id) p.provider_product_id = *provider_product_id.value;
        if (name) p.name = *name.value;
        if (kind) p.kind = *kind.value;
        if (features) p.features = features.value.value_or(std::vector<std::string>());
        if (grants) p.grants = *grants.value;
    }
};

// --- writing

void write_product(core::JsonWriter& w, Product const& p)
{
    w.begin_object()
        .member("productId", p.id)
        .member("providerProductId", p.provider_product_id)
        .member("name", p.name)
        .member("kind", products::to_string(p.kind))
        .member("features", p.features)
        .key("grants")
        .raw(products::to_json(p.grants))
        .member("version", p.version)
        .member("createdAt", p.created_at)
        .member("updatedAt", p.updated_at)
        .end_object();
}

http::Response answer(unsigned status, Product const& p)
{
    core::JsonWriter w(512);
    write_product(w, p);
    return http::Response{.status = status, .body = std::move(w).str()}.header("ETag", http::etag(p.version));
}

json::value to_value(Product const& p)
{
    return {{"providerProductId", p.provider_product_id}, {"name", p.name},
        {"kind", products::to_string(p.kind)}, {"features", json::value_from(p.features)},
        {"grants", json::parse(products::to_json(p.grants))}};
}

} // namespace

asio::awaitable<http::Response> create_product(http::Request const& req, Deps& deps)
{
    Product const draft = parse_product(req);
    co_return co_await idempotency::once(deps.db, req, [&](pg::Tx& tx) {
        Product p = draft;
        products::insert(tx, req.scope(), p);
        audit::record(tx, req.context, audit::created("product", p.id, to_value(p)));
        return answer(201, p).header("Location", "/v1/products/" + p.id.to_string());
    });
}

asio::awaitable<http::Response> list_products(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(req, paging::FilterHash().add("list", "products").value());
    auto rows = co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return products::list(tx, req.scope(), asked.after, asked.rows()); });
    co_return http::Response::ok(paging::to_json(asked.page(std::move(rows)), write_product));
}

asio::awaitable<http::Response> get_product(http::Request const& req, Deps& deps)
{
    auto const id = req.uuid_param("productId");
    co_return co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        return answer(200, core::require_found(products::get(tx, req.scope(), id), "product"));
    });
}

asio::awaitable<http::Response> update_product(http::Request const& req, Deps& deps)
{
    Changes const changes = Changes::parse(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Product p = lock_named(tx, req);
        auto before = to_value(p);
        changes.apply(p);
        products::update(tx, req.scope(), p);
        audit::record(tx, req.context, audit::updated("product", p.id, std::move(before), to_value(p)));
        return answer(200, p);
    });
}

asio::awaitable<http::Response> delete_product(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Product const p = lock_named(tx, req);
        products::remove(tx, req.scope(), p.id);
        audit::record(tx, req.context, audit::deleted("product", p.id, to_value(p)));
        return http::Response::deleted();
    });
}

} // namespace billing
