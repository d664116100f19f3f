#include "workers/index_search.hpp"

#include "pg/database.hpp"
#include "storage/search.hpp"
#include "tenancy/tenant_rows.hpp"

namespace feedback {

namespace {

constexpr std::size_t scopes_a_step = 500, documents_a_step = 500;

std::size_t index_scope(pg::Database& db, core::ScopeId id)
{
    std::size_t indexed = 0;
    for (search_documents::Progress progress;;) {
        // A transaction that is repeated after a failure starts from the same position.
        auto next = progress;
        auto const step = db.transact_blocking(pg::Scopes(id), [&](pg::Tx& tx) {
            next = progress;
            return search_documents::index_missing(tx, core::Scope{id, {}}, next, documents_a_step);
        });
        if (step == 0) return indexed;
        indexed += step;
        progress = next;
    }
}

std::size_t index_all(pg::Database& db)
{
    std::size_t indexed = 0;
    for (core::ScopeId after{};;) {
        auto const ids = db.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { return tenancy::tenant_rows::scopes_after(tx, after, scopes_a_step); });
        if (ids.empty()) return indexed;
        for (auto const id : ids)
            indexed += index_scope(db, id);
        after = ids.back();
    }
}

} // namespace

service::Command index_search_command()
{
    service::Command command{
        .name = "index-search", .help = "store the searchable words of threads and replies that have none"};
    command.prepare = [](core::Config&, service::Settings const& settings) -> service::Command::Task {
        return [url = settings.session_url()](observe::Logger& logger) {
            pg::Database db({.url = url.reveal(), .application_name = "index-search", .threads = 1});
            auto const indexed = index_all(db);
            logger.info("search indexed", {{"documents", static_cast<std::int64_t>(indexed)}});
            return 0;
        };
    };
    return command;
}

} // namespace feedback
