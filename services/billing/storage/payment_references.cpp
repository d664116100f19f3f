#include "storage/payment_references.hpp"

#include "domain/purchase_json.hpp"
#include "domain/stored_json.hpp"
#include "pg/row.hpp"

#include <boost/json/parse.hpp>

#include <string_view>

namespace billing::payment_references {

namespace {

PaymentNode read(pg::RowReader& r)
{
    PaymentNode node{.archive_id = r.uuid(), .received_at = r.time(), .ids = {}};
    auto const column = r.view();
    auto const v = boost::json::parse(boost::json::string_view(column.data(), column.size()));
    for (auto const& id : v.at("ids").as_array())
        node.ids.push_back(stored_json::text(id));
    if (auto const* id = stored_json::find(v, "subscriptionId"))
        node.subscription_id = stored_json::text(*id);
    node.covers_from = stored_json::optional_time(v, "coversFrom");
    node.covers_until = stored_json::optional_time(v, "coversUntil");
    if (auto const* id = stored_json::find(v, "entitlementId"))
        node.entitlement_id = core::Uuid::parse(stored_json::text(*id));
    if (auto const* fact = stored_json::find(v, "reversal")) node.reversal = purchase_json::read_fact(*fact);
    return node;
}

} // namespace

std::string to_json(PaymentNode const& node)
{
    core::JsonWriter w(256);
    w.begin_object().member("ids", node.ids);
    if (node.subscription_id) w.member("subscriptionId", *node.subscription_id);
    stored_json::write(w, "coversFrom", node.covers_from);
    stored_json::write(w, "coversUntil", node.covers_until);
    if (node.entitlement_id) w.member("entitlementId", *node.entitlement_id);
    if (node.reversal) {
        w.key("reversal");
        purchase_json::write(w, *node.reversal);
    }
    w.end_object();
    return std::move(w).str();
}

void insert(pg::Tx& tx, core::ScopeId scope_id, PaymentNode const& node)
{
    if (node.ids.empty()) return;
    tx.run(R"(
        INSERT INTO payment_references (scope_id, reference, archive_id, received_at, node)
        SELECT $1, u.reference, $3, $4, $5::json
        FROM unnest($2::text[]) AS u(reference)
        ON CONFLICT (scope_id, reference, archive_id) DO UPDATE SET node = excluded.node)",
        {scope_id, pg::column(node.ids, [](std::string const& id) { return std::string_view(id); }),
            node.archive_id, node.received_at, to_json(node)});
}

std::vector<PaymentNode> find(pg::Tx& tx, core::ScopeId scope_id, std::span<std::string const> ids)
{
    auto const result = tx.run(R"(
        SELECT DISTINCT ON (f.archive_id) f.archive_id, f.received_at, f.node
        FROM unnest($2::text[]) AS u(reference)
        CROSS JOIN LATERAL (
            SELECT *
            FROM payment_references x
            WHERE x.scope_id = $1 AND x.reference = u.reference
            LIMIT $3::bigint
        ) AS f
        ORDER BY f.archive_id
        LIMIT $3::bigint)",
        {scope_id, pg::column(ids, [](std::string const& id) { return std::string_view(id); }), max_nodes});
    return pg::read_rows(result, read);
}

} // namespace billing::payment_references
