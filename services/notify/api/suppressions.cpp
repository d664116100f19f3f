#include "api/suppressions.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "sms/phone.hpp"
#include "storage/suppressions.hpp"

#include <optional>

namespace notify {

namespace {

using suppressions::Suppression;

constexpr std::size_t shown_digits = 12;

std::string shown_hash(std::string const& hash)
{
    return "hash:" + hash.substr(0, shown_digits);
}

/// The address, or the beginning of its hash: `hash:0123456789ab`.
std::string shown(Suppression const& s)
{
    return s.hashed ? shown_hash(s.address) : s.address;
}

void write(core::JsonWriter& w, Suppression const& s)
{
    w.begin_object()
        .member("channel", to_string(s.channel))
        .member("address", shown(s))
        .member("reason", s.reason)
        .member("createdAt", s.created_at)
        .end_object();
}

/// The address for the audit trail, which must not contain full addresses: a masked phone number, or the
/// beginning of the address's hash.
std::string masked(core::ScopeId scope_id, Suppression const& s)
{
    if (s.hashed) return shown(s);
    auto const phone = sms::PhoneNumber::parse(s.address);
    return phone ? phone->masked() : shown_hash(suppressions::hash_of(scope_id, s.channel, s.address));
}

} // namespace

asio::awaitable<http::Response> list_suppressions(http::Request const& req, Deps& deps)
{
    auto const asked =
        paging::PageRequest::read(req, paging::FilterHash().add("list", "suppressions").value());
    auto rows = co_await deps.db.read(req.scope(),
        [&](pg::Tx& tx) { return suppressions::list(tx, req.scope(), asked.after, asked.rows()); });
    auto const page = asked.page(
        std::move(rows), [](Suppression const& s) { return paging::Position{s.created_at, s.place}; });
    co_return http::Response::ok(paging::to_json(page, write));
}

asio::awaitable<http::Response> delete_suppression(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const removed = suppressions::remove(tx, req.scope(), req.param("address"));
        if (removed.empty())
            throw core::Error(core::codes::not_found, "No suppression of this environment has this address. "
                                                      "Check the address and the environment.");
        audit::record(tx, req.context,
            {.action = "suppression.deleted",
                .subject_type = "suppression",
                .subject_id = masked(req.scope().id, removed.front())});
        return http::Response::deleted();
    });
}

} // namespace notify
