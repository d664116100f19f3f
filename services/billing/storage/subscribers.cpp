#include "storage/subscribers.hpp"

#include "core/fields.hpp"
#include "core/id.hpp"
#include "crypto/encoding.hpp"
#include "paging/cursor.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/entitlement_rows.hpp"
#include "storage/entitlements.hpp"

#include <map>
#include <utility>

namespace billing::subscribers {

namespace {

using entitlements::access_end;

/// A page reads at most this number of parts of the list.
constexpr int max_parts = 100;
/// The number of entitlements in a part, and its text in the statements. It is a constant there, so that the
/// planner knows how few rows are needed.
constexpr std::int64_t part_size = 500;
constexpr auto part_limit = pg::sql("500");
/// With more products than this, a list does not read each product apart.
constexpr std::size_t max_products = 50;

// --- cursors

constexpr char version = 2; // paging/cursor.hpp has version 1

void put(std::string& out, std::uint64_t number, int bytes)
{
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        out += static_cast<char>(number >> shift);
}

/// Takes a number of `bytes` bytes from the beginning of `text`, which is long enough.
std::uint64_t take(std::string_view& text, std::size_t bytes)
{
    std::uint64_t number = 0;
    for (char const c : text.substr(0, bytes))
        number = number << 8 | static_cast<unsigned char>(c);
    text.remove_prefix(bytes);
    return number;
}

bool is_storable(std::string_view text)
{
    return core::is_utf8(text) && text.find('\0') == std::string_view::npos;
}

// --- products

/// The provider's ids of the products that `product` names: the id itself, and those whose catalog product
/// has this id. They are found among the products of the scope's entitlements, with one look-up for each
/// product.
std::vector<std::string> products_named(pg::Tx& tx, core::Scope const& scope, std::string const& product)
{
    auto const catalog_id = core::Uuid::parse(product);
    if (!catalog_id) return {product};
    auto const result = tx.run(R"(
        WITH RECURSIVE found AS (
            (
                SELECT e.provider_product_id, e.alternative_product_id
                FROM entitlements e
                WHERE e.scope_id = $1 AND e.user_id IS NOT NULL
                ORDER BY e.provider_product_id
                LIMIT 1
            )
            UNION ALL
            SELECT next.*
            FROM found
            CROSS JOIN LATERAL (
                SELECT e.provider_product_id, e.alternative_product_id
                FROM entitlements e
                WHERE e.scope_id = $1 AND e.user_id IS NOT NULL
                    AND e.provider_product_id > found.provider_product_id
                ORDER BY e.provider_product_id
                LIMIT 1
            ) AS next
        )
        SELECT found.provider_product_id
        FROM found
        CROSS JOIN (
            SELECT p.provider_product_id
            FROM products p
            WHERE p.tenant_id = $2 AND p.product_id = $3
        ) AS named
        WHERE found.provider_product_id = named.provider_product_id
            OR (found.alternative_product_id = named.provider_product_id AND NOT EXISTS (
                SELECT
                FROM products p
                WHERE p.tenant_id = $2 AND p.provider_product_id = found.provider_product_id
            ))
        UNION
        SELECT $4)",
        {scope.id, scope.tenant_id(), *catalog_id, product});
    return pg::read_rows(result, &pg::RowReader::text);
}

// --- reading a part of the list

/// Makes the planner read the indexes in the order of users. It expects a scope of the average size, which
/// may be less than a part. Then it would read the whole scope with a bitmap and sort it.
void disable_bitmaps(pg::Tx& tx)
{
    tx.run("SELECT set_config('enable_bitmapscan', 'off', true)");
}

/// The columns of `r`, below.
constexpr auto row = pg::sql<access_end>(R"(
    e.entitlement_id, e.user_id, e.provider_product_id, e.created_at,
    CASE WHEN e.is_past_due AND k.past_due_is_active THEN 'active' ELSE e.status END AS status,
    {access_end} AS ends)");

// The sources of a part. Each has rows `e`, and `walk`, the number of the index range from which a row comes.
// A range begins at user `k.user_id`, or after this user if `k.product` is NULL.

constexpr auto by_user = pg::sql<row, part_limit>(R"(
    SELECT 1 AS walk, {row}
    FROM k
    CROSS JOIN LATERAL (
        SELECT *
        FROM entitlements x
        WHERE x.scope_id = k.scope_id AND x.user_id >= k.user_id
            AND (x.user_id > k.user_id OR k.product IS NOT NULL)
        ORDER BY x.user_id
        LIMIT {part_limit}
    ) AS e)");

constexpr auto by_product = pg::sql<row, part_limit>(R"(
    SELECT w.walk, {row}
    FROM k
    CROSS JOIN unnest($6::text[]) WITH ORDINALITY AS w(product, walk)
    CROSS JOIN LATERAL (
        SELECT *
        FROM entitlements x
        WHERE x.scope_id = k.scope_id AND x.provider_product_id = w.product AND x.user_id >= k.user_id
            AND (x.user_id > k.user_id OR k.product IS NOT NULL)
        ORDER BY x.user_id
        LIMIT {part_limit}
    ) AS e)");

/// All entitlements of one user.
constexpr auto of_one_user = pg::sql<row>(R"(
    SELECT 1 AS walk, {row}
    FROM k
    CROSS JOIN LATERAL (
        SELECT *
        FROM entitlements x
        WHERE x.scope_id = k.scope_id AND x.user_id = k.user_id
    ) AS e)");

/// Selects the items after the position ($2, $3), and `until`: the user at whom the part ends. Only the items
/// of earlier users are complete. NULL: the list ends with this part. $11: `part_size`; 0: the part has no
/// limit.
template <auto const& source>
constexpr auto select_part = pg::sql<source>(R"(
    WITH k AS MATERIALIZED (
        SELECT $1::bigint AS scope_id, $2::text AS user_id, $3::text AS product, $4::bigint AS leeway,
            $5::boolean AS past_due_is_active
    ),
    r AS MATERIALIZED ({source}),
    b AS MATERIALIZED (
        SELECT min(full_walk.last) AS until
        FROM (
            SELECT max(r.user_id) AS last
            FROM r
            GROUP BY r.walk
            HAVING count(*) = $11::bigint
        ) AS full_walk
    )
    SELECT b.until, item.entitlement_id, item.user_id, item.provider_product_id
    FROM b
    LEFT JOIN LATERAL (
        SELECT best.*
        FROM (
            SELECT DISTINCT ON (r.user_id, r.provider_product_id) r.*
            FROM r
            CROSS JOIN k
            WHERE (b.until IS NULL OR r.user_id < b.until)
                AND (r.user_id > k.user_id OR r.provider_product_id > k.product)
                AND ($6::text[] IS NULL OR r.provider_product_id = ANY ($6::text[]))
            ORDER BY r.user_id, r.provider_product_id, r.ends DESC, r.created_at DESC, r.entitlement_id DESC
        ) AS best
        WHERE ($7::text IS NULL OR best.status = $7::text)
            AND ($8::boolean IS NULL OR (best.ends > $9::timestamptz) = $8::boolean)
        ORDER BY best.user_id, best.provider_product_id
        LIMIT $10::bigint
    ) AS item
        ON true
    ORDER BY item.user_id, item.provider_product_id)");

struct Item {
    core::Uuid entitlement_id;
    Position position;
};

/// Reads the list part by part, until it has as many items as are wanted.
class Walk {
public:
    Walk(pg::Tx& tx, core::ScopeId scope_id, Request const& request,
        std::optional<std::vector<std::string>> products)
        : tx_(tx), scope_id_(scope_id), request_(request), products_(std::move(products)),
          position_(request.after.value_or(Position{{}, ""})), wanted_(request.limit + 1)
    {
    }

    /// The items. If `next()` is set, the list continues after this position.
    std::vector<Item> const& items() const { return items_; }

    std::optional<Position> const& next() const { return next_; }

    void run()
    {
        for (int parts = 0; parts < max_parts; ++parts) {
            auto const until = read_next();
            if (items_.size() == wanted_) {
                items_.pop_back();
                next_ = items_.back().position;
                return;
            }
            if (!until) return;
            position_ = *until;
        }
        next_ = position_;
    }

private:
    /// Reads a part. Returns where it ends; nullopt: at the end of the list.
    std::optional<Position> read_next()
    {
        bool const each_product = products_ && products_->size() <= max_products;
        auto const until =
            each_product ? read(select_part<by_product>, part_size) : read(select_part<by_user>, part_size);
        if (!until) return std::nullopt;
        if (*until != position_.user_id) return Position{*until, ""};
        // The part has no room for all entitlements of this user.
        read(select_part<of_one_user>, 0);
        return Position{*until, std::nullopt};
    }

    /// Adds the items of a part, but not more than are wanted. Returns the column `until`.
    std::optional<core::UserId> read(std::string_view sql, std::int64_t size)
    {
        auto const& [filter, settings, now, after, limit] = request_;
        auto const result =
            tx_.run(sql, {scope_id_, position_.user_id, position_.product, settings.renewal_leeway.count(),
                             settings.past_due_is_active, products_,
                             filter.status ? std::optional(to_string(*filter.status)) : std::nullopt,
                             filter.active, now, wanted_ - items_.size(), size});
        std::optional<core::UserId> until;
        for (auto const& each : result) {
            pg::RowReader r(each);
            until = r.optional_user_id();
            if (auto const id = r.optional_uuid()) {
                auto user_id = r.user_id();
                items_.push_back({*id, {std::move(user_id), r.text()}});
            }
        }
        return until;
    }

    pg::Tx& tx_;
    core::ScopeId scope_id_;
    Request const& request_;
    std::optional<std::vector<std::string>> const products_;
    Position position_;
    std::size_t const wanted_;
    std::vector<Item> items_;
    std::optional<Position> next_;
};

/// The entitlements of the items, in the same order.
std::vector<EntitlementView> views_of(pg::Tx& tx, core::Scope const& scope, std::vector<Item> const& items)
{
    std::vector<core::Uuid> ids;
    ids.reserve(items.size());
    for (auto const& item : items)
        ids.push_back(item.entitlement_id);
    std::map<core::Uuid, Entitlement> found;
    for (auto& entitlement : entitlements::by_ids(tx, scope.id, ids)) {
        auto const id = entitlement.id;
        found.emplace(id, std::move(entitlement));
    }
    std::vector<Entitlement> ordered;
    ordered.reserve(ids.size());
    for (auto const& id : ids)
        ordered.push_back(std::move(found.at(id)));
    return entitlements::join_catalog(tx, scope, std::move(ordered));
}

} // namespace

std::uint64_t Filter::hash() const
{
    auto const flag = active ? std::optional<std::string_view>(*active ? "true" : "false") : std::nullopt;
    return paging::FilterHash()
        .add("list", "subscribers")
        .add("product", product)
        .add("status", status)
        .add("active", flag)
        .value();
}

std::string encode(Position const& position, std::uint64_t filter_hash)
{
    std::string bytes{version, position.product ? '\1' : '\0'};
    put(bytes, filter_hash, 8);
    put(bytes, position.user_id.text().size(), 2);
    bytes += position.user_id.text();
    bytes += position.product.value_or("");
    return crypto::base64url::encode(bytes);
}

std::optional<Position> decode(std::string_view cursor, std::uint64_t filter_hash)
{
    constexpr std::size_t head = 1 + 1 + 8 + 2;
    auto const decoded = crypto::base64url::decode(cursor);
    if (!decoded || decoded->size() < head) return std::nullopt;
    std::string_view rest = *decoded;
    if (take(rest, 1) != version) return std::nullopt;
    auto const has_product = take(rest, 1);
    if (take(rest, 8) != filter_hash) return std::nullopt;
    auto const size = take(rest, 2);
    if (has_product > 1 || size > rest.size()) return std::nullopt;
    auto const user_id = rest.substr(0, size), product = rest.substr(size);
    if (!is_storable(user_id) || !is_storable(product)) return std::nullopt;
    Position position{core::UserId(std::string(user_id)), std::nullopt};
    if (has_product == 1)
        position.product = std::string(product);
    else if (!product.empty())
        return std::nullopt;
    return position;
}

Page list(pg::Tx& tx, core::Scope const& scope, Request const& request)
{
    std::optional<std::vector<std::string>> products;
    if (request.filter.product) products = products_named(tx, scope, *request.filter.product);
    disable_bitmaps(tx);
    Walk walk(tx, scope.id, request, std::move(products));
    walk.run();
    return {views_of(tx, scope, walk.items()), walk.next()};
}

} // namespace billing::subscribers
