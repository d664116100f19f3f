#include "api/subscribers.hpp"

#include "core/id.hpp"
#include "domain/entitlement_view.hpp"
#include "http/query.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/settings.hpp"
#include "storage/subscribers.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace billing {

namespace {

constexpr std::size_t max_product = 255;
constexpr std::size_t max_status = 20;
constexpr std::size_t usual_item = 900; ///< typical size of an item in characters

subscribers::Filter parse_filter(http::Query& query)
{
    static constexpr std::array statuses{
        to_string(Status::active), to_string(Status::expired), to_string(Status::paused)};
    static constexpr std::array<std::string_view, 2> flags{"false", "true"};
    subscribers::Filter filter;
    filter.product = query.text("product", 1, max_product);
    if (auto const index = query.one_of("status", statuses)) filter.status = static_cast<Status>(*index);
    if (auto const index = query.one_of("active", flags)) filter.active = *index == 1;
    return filter;
}

std::optional<subscribers::Position> parse_cursor(http::Query& query, std::uint64_t filter_hash)
{
    auto const text = query.text("cursor", 0, subscribers::max_cursor);
    if (!text) return std::nullopt;
    auto position = subscribers::decode(*text, filter_hash);
    if (!position)
        query.fault(
            "cursor", "invalid_cursor", "must be the cursor of the previous page, with the same filters");
    return position;
}

} // namespace

bool scans_subscribers(http::Request const& req)
{
    http::Query query(req);
    auto const product = query.text("product", 1, max_product);
    // A UUID may be the id of a product in the catalog, which is looked for among all products.
    return (product && core::Uuid::parse(*product)) || query.text("status", 1, max_status) ||
           query.text("active", 1, max_status);
}

asio::awaitable<http::Response> list_subscribers(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    subscribers::Request asked{.filter = parse_filter(query), .settings = {}, .now = deps.clock.now()};
    auto const filter_hash = asked.filter.hash();
    asked.limit = query.limit();
    asked.after = parse_cursor(query, filter_hash);
    query.check();
    auto found = co_await deps.db.read(pg::Scopes::of_tenant(req.scope().tenant_id()), [&](pg::Tx& tx) {
        asked.settings = settings::read_access_settings(tx, req.scope());
        return subscribers::list(tx, req.scope(), asked);
    });
    paging::Page<EntitlementView> page{std::move(found.items), std::nullopt};
    if (found.next) page.cursor = subscribers::encode(*found.next, filter_hash);
    auto const write = [&](core::JsonWriter& w, EntitlementView const& view) {
        write_entitlement(w, view, req.scope().environment(), asked.settings, asked.now);
    };
    co_return http::Response::ok(paging::to_json(page, write, usual_item));
}

} // namespace billing
