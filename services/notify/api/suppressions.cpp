#include "api/suppressions.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "sms/phone.hpp"
#include "storage/suppressions.hpp"

namespace notify {

namespace {

using suppressions::Suppression;

void write(core::JsonWriter& w, Suppression const& s)
{
    w.begin_object()
        .member("channel", to_string(s.channel))
        .member("address", s.address)
        .member("reason", s.reason)
        .member("createdAt", s.created_at)
        .end_object();
}

/// The address for the audit trail. A phone number is masked, because the audit trail must not contain full
/// phone numbers.
std::string masked(std::string const& address)
{
    auto const phone = sms::PhoneNumber::parse(address);
    return phone ? phone->masked() : address;
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
        std::string const& address = req.param("address");
        if (!suppressions::remove(tx, req.scope(), address))
            throw core::Error(core::codes::not_found, "No suppression of this environment has this address. "
                                                      "Check the address and the environment.");
        audit::record(tx, req.context,
            {.action = "suppression.deleted", .subject_type = "suppression", .subject_id = masked(address)});
        return http::Response::deleted();
    });
}

} // namespace notify
