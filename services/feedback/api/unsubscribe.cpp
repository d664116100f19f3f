#include "api/unsubscribe.hpp"

#include "core/text.hpp"
#include "hosted_pages/response.hpp"
#include "hosted_pages/template.hpp"
#include "http/query.hpp"
#include "pg/database.hpp"
#include "storage/mail_keys.hpp"
#include "storage/opt_outs.hpp"
#include "tenancy/directory.hpp"

#include <string>
#include <utility>

namespace feedback {

// The files of mails/.
extern std::string_view const unsubscribe_html, unsubscribe_css;

namespace {

using hosted_pages::Data, hosted_pages::set;

std::string const& style_version()
{
    static std::string const version = hosted_pages::version_of({unsubscribe_css});
    return version;
}

http::Response page(Data data, unsigned status)
{
    static hosted_pages::Template const view{std::string(unsubscribe_html)};
    data.set("version", style_version());
    return hosted_pages::html_response(view.render(data), status, "no-store");
}

Data data_of(std::string const& brand, std::string const& heading, std::string const& text)
{
    Data data;
    set(data, "brand", brand);
    data.set("heading", heading);
    data.set("text", text);
    return data;
}

MailKey::Recipient recipient_of(pg::Tx& tx, http::Request const& req, Deps& deps)
{
    auto const key = mail_keys::find(tx, req.scope().id, deps.keyring);
    auto recipient = key ? key->read(req.param("token")) : std::nullopt;
    if (!recipient)
        throw core::Error(core::codes::not_found,
            "This link is not valid here. Open the whole link of an email that you received.");
    return *std::move(recipient);
}

asio::awaitable<std::string> brand_of(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return core::one_line(tenant->display_name);
}

} // namespace

asio::awaitable<http::Response> get_unsubscribe(http::Request const& req, Deps& deps)
{
    co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return recipient_of(tx, req, deps).feedback_id; });
    auto const action = "/unsubscribe/" + core::percent_encode(req.param("token"));
    auto data = data_of(co_await brand_of(req, deps), "Which emails do you want to stop?",
        "Nothing has changed yet. Choose one of the two.");
    data.set("thread_form", action);
    data.set("all_form", action + "?all=true");
    co_return page(std::move(data), 200);
}

asio::awaitable<http::Response> post_unsubscribe(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    bool const all = query.boolean("all", false);
    query.check();
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const recipient = recipient_of(tx, req, deps);
        if (all)
            opt_outs::add_for_scope(tx, req.scope(), recipient.address_hash);
        else
            opt_outs::add_for_thread(tx, req.scope(), recipient);
        return true;
    });
    auto data = data_of(co_await brand_of(req, deps), "You are unsubscribed",
        all ? "You will get no more emails about feedback."
            : "You will get no more emails about this thread. Other threads are not affected.");
    if (!all) data.set("all_form", "/unsubscribe/" + core::percent_encode(req.param("token")) + "?all=true");
    co_return page(std::move(data), 200);
}

asio::awaitable<http::Response> get_unsubscribe_style(http::Request const& req, Deps& /*deps*/)
{
    http::Response style{.content_type = "text/css; charset=utf-8", .fixed_body = unsubscribe_css};
    co_return hosted_pages::cached_asset(std::move(style), req.query == "v=" + style_version());
}

http::Response unsubscribe_error_page(http::Request const& /*req*/, core::Error const& error)
{
    auto response = page(data_of({}, "This did not work", error.detail()), error.code().status);
    auto const& headers = error.headers();
    response.headers.insert(response.headers.end(), headers.begin(), headers.end());
    return response;
}

} // namespace feedback
