#pragma once

#include "core/error.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"
#include "support/fake_clock.hpp"
#include "support/postgres.hpp"
#include "support/run_awaitable.hpp"
#include "tenancy/eraser.hpp"
#include "tenancy/tenant.hpp"
#include "tenancy/tenant_handlers.hpp"
#include "tenancy/tenant_rows.hpp"

#include <boost/json/parse.hpp>

/// A migrated database with a connection pool, connected as the service.
struct Store {
    testing::Postgres postgres = testing::Postgres::migrated({&tenancy::migrations()}, "tenancy");
    pg::Database database{{.url = postgres.service_url()}};
    testing::FakeClock clock;

    tenancy::TenantRecord create(std::string const& slug)
    {
        return database
            .transact_blocking(pg::Scopes(),
                [&](pg::Tx& tx) {
                    return tenancy::tenant_rows::upsert(tx, {slug, slug + " Ltd", {}, {}}, clock.now());
                })
            .tenant;
    }
};

/// A request as a handler gets it, for the slug in its path.
inline http::Request make_request(std::string slug = {}, std::string body = {}, std::string_view query = {})
{
    http::Request request;
    request.headers = {{"Content-Type", "application/json"}};
    request.query = query;
    request.body = std::move(body);
    if (!slug.empty()) request.params.emplace_back("slug", std::move(slug));
    return request;
}

inline boost::json::object json_of(http::Response const& response)
{
    return boost::json::parse(response.body).as_object();
}

/// The error code that `action` throws, or "" if it throws none.
template <class Action> std::string code_of(Action&& action)
{
    try {
        std::forward<Action>(action)();
    } catch (core::Error const& error) {
        return std::string(error.code().name);
    }
    return {};
}
