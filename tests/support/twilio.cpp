#include "support/twilio.hpp"

#include "core/text.hpp"
#include "crypto/encoding.hpp"
#include "http_server/server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace testing {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

std::optional<TwilioServer::Form> parse_form(std::string_view body)
{
    TwilioServer::Form form;
    while (!body.empty()) {
        std::string_view const pair = body.substr(0, body.find('&'));
        body.remove_prefix(std::min(pair.size() + 1, body.size()));
        auto const equals = pair.find('=');
        if (equals == std::string_view::npos) return std::nullopt;
        auto name = core::percent_decode(pair.substr(0, equals), true);
        auto value = core::percent_decode(pair.substr(equals + 1), true);
        if (!name || !value) return std::nullopt;
        form[*name] = *value;
    }
    return form;
}

http::Response refusal(unsigned status, int code, std::string const& message)
{
    json::object const body{{"code", code}, {"message", message},
        {"more_info", "https://www.twilio.com/docs/errors/" + std::to_string(code)}, {"status", status}};
    return {.status = status, .body = json::serialize(body)};
}

http::Response acceptance(TwilioServer::Form const& form, unsigned number)
{
    std::string const account = TwilioServer::account_sid;
    std::string digits = std::to_string(number);
    std::string const sid = "SM" + std::string(32 - digits.size(), '0') + digits;
    std::string const uri = "/2010-04-01/Accounts/" + account + "/Messages/" + sid;
    std::string const now = "Thu, 01 Jan 2026 00:00:00 +0000";
    json::object const body{{"account_sid", account}, {"api_version", "2010-04-01"},
        {"body", form.at("Body")}, {"date_created", now}, {"date_sent", nullptr}, {"date_updated", now},
        {"direction", "outbound-api"}, {"error_code", nullptr}, {"error_message", nullptr},
        {"from", form.at("From")}, {"messaging_service_sid", nullptr}, {"num_media", "0"},
        {"num_segments", form.at("Body").size() > 160 ? "2" : "1"}, {"price", nullptr}, {"price_unit", "USD"},
        {"sid", sid}, {"status", "queued"}, {"subresource_uris", {{"media", uri + "/Media.json"}}},
        {"to", form.at("To")}, {"uri", uri + ".json"}};
    return http::Response::created(json::serialize(body));
}

} // namespace

struct TwilioServer::Impl final : http::Application {
    asio::awaitable<http::Response> handle(http::Request& request) override
    {
        ++requests;
        if (request.body_reader != nullptr && request.body_reader->length() != 0)
            co_await request.body_reader->read_all(request.body, 1 << 20);
        // Waits in steps, so that a shorter delay also applies to requests that are already waiting.
        auto const arrived = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() < arrived + delay.load()) {
            asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(5));
            co_await timer.async_wait(asio::use_awaitable);
        }
        co_return answer(request);
    }

    http::Response answer(http::Request const& request)
    {
        std::string const account = account_sid;
        if (request.method != http::Method::post ||
            request.path != "/2010-04-01/Accounts/" + account + "/Messages.json")
            return refusal(404, 20404, "The requested resource was not found");
        if (request.header("Authorization") != "Basic " + crypto::base64::encode(account + ":" + auth_token))
            return refusal(401, 20003, "Authenticate");
        auto const type = request.header("Content-Type").value_or("");
        auto const form = parse_form(request.body);
        if (!type.starts_with("application/x-www-form-urlencoded") || !form || !form->contains("Body"))
            return refusal(400, 21602, "Message body is required");
        if (!form->contains("To")) return refusal(400, 21604, "A 'To' phone number is required");
        if (!form->contains("From")) return refusal(400, 21603, "A 'From' phone number is required");
        std::lock_guard const lock(mutex);
        if (!nonsense.empty()) return http::Response::ok(nonsense);
        if (status != 201) return refusal(status, code, "Refused");
        accepted.push_back(*form);
        traces.emplace_back(request.header("traceparent").value_or(""));
        return acceptance(*form, static_cast<unsigned>(accepted.size()));
    }

    std::atomic<unsigned> requests = 0;
    std::atomic<std::chrono::milliseconds> delay{std::chrono::milliseconds(0)};
    std::mutex mutex;
    unsigned status = 201;
    int code = 0;
    std::string nonsense;
    std::vector<Form> accepted;
    std::vector<std::string> traces;

    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    http_server::Server server{{&context}, {}, *this};
    std::thread thread{[this] { context.run(); }};
};

TwilioServer::TwilioServer() : impl_(std::make_unique<Impl>()) {}

TwilioServer::~TwilioServer()
{
    impl_->server.abort();
    impl_->context.stop(); // a response may still be delayed for long
    impl_->thread.join();
}

std::string TwilioServer::url() const
{
    return "http://127.0.0.1:" + std::to_string(impl_->server.port());
}

void TwilioServer::refuse_with(unsigned status, int code)
{
    std::lock_guard const lock(impl_->mutex);
    impl_->status = status;
    impl_->code = code;
}

void TwilioServer::delay(std::chrono::milliseconds delay)
{
    impl_->delay = delay;
}

void TwilioServer::answer_nonsense(std::string body)
{
    std::lock_guard const lock(impl_->mutex);
    impl_->nonsense = std::move(body);
}

std::vector<TwilioServer::Form> TwilioServer::accepted() const
{
    std::lock_guard const lock(impl_->mutex);
    return impl_->accepted;
}

std::vector<std::string> TwilioServer::traces() const
{
    std::lock_guard const lock(impl_->mutex);
    return impl_->traces;
}

unsigned TwilioServer::requests() const
{
    return impl_->requests;
}

} // namespace testing
