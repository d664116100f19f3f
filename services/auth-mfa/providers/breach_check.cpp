#include "providers/breach_check.hpp"

#include "core/hex.hpp"
#include "core/text.hpp"
#include "crypto/hash.hpp"
#include "domain/breach_range.hpp"
#include "http_client/await.hpp"

#include <chrono>
#include <utility>
#include <variant>

namespace auth_mfa {

namespace {

constexpr std::size_t prefix_size = 5;
constexpr std::size_t max_running = 64;
constexpr std::chrono::seconds time_limit{1};
/// A response has 800 to 2,500 lines of about 40 bytes.
constexpr std::size_t max_response = 256 << 10;
constexpr std::uint32_t lines_per_second = 1;

std::array<prometheus::Counter*, 3> counters(observe::Metrics& metrics)
{
    auto const counter = [&](char const* result) {
        return &metrics.counter("tetrad_breach_checks_total",
            "New passwords looked up in the list of breached passwords, by result. After a failed lookup the "
            "password is accepted.",
            {{"result", result}});
    };
    return {counter("clear"), counter("breached"), counter("failed")};
}

asio::awaitable<http_client::Result> get(http_client::AsyncClient& client, std::string url)
{
    http_client::Request request;
    request.url = std::move(url);
    request.headers = {{"Add-Padding", "true"}, {"Accept", "text/plain"}};
    request.timeout = request.connect_timeout = time_limit;
    request.max_response_bytes = max_response;
    co_return co_await http_client::send(client, std::move(request));
}

/// Calls a function when the scope ends.
template <class F> struct AtEnd {
    F action;

    explicit AtEnd(F f) : action(std::move(f)) {}

    AtEnd(AtEnd const&) = delete;
    AtEnd& operator=(AtEnd const&) = delete;

    ~AtEnd() { action(); }
};

} // namespace

BreachCheck::BreachCheck(std::string url, http_client::AddressPolicy addresses, std::string ca_file,
    observe::Logger& logger, observe::Metrics& metrics)
    : url_(std::move(url)), logger_(logger), failures_logged_(lines_per_second), results_(counters(metrics)),
      running_(max_running, 1, 1)
{
    if (!url_.empty())
        client_ = std::make_unique<http_client::AsyncClient>(
            http_client::ClientOptions{.addresses = addresses, .ca_file = std::move(ca_file)});
}

BreachCheck::~BreachCheck() = default;

asio::awaitable<bool> BreachCheck::is_breached(core::ScopeId scope_id, core::Secret const& password)
{
    if (!client_) co_return false;
    auto const result = co_await look_up(scope_id, password);
    results_.at(static_cast<std::size_t>(result))->Increment();
    co_return result == Result::breached;
}

asio::awaitable<BreachCheck::Result> BreachCheck::look_up(
    core::ScopeId scope_id, core::Secret const& password)
{
    auto const owner = core::Owner::of(scope_id);
    bool is_admitted = false;
    {
        std::lock_guard const lock(mutex_);
        is_admitted = running_.admits(owner);
        if (is_admitted) running_.take(owner);
    }
    if (!is_admitted) co_return failed("too many lookups");
    AtEnd const give_back([&] {
        std::lock_guard const lock(mutex_);
        running_.give_back(owner);
    });
    auto const hash = core::upper(core::hex::encode(crypto::view(crypto::sha1(password.reveal()))));
    auto const answer = co_await get(*client_, url_ + "/range/" + hash.substr(0, prefix_size));
    if (auto const* error = std::get_if<http_client::Error>(&answer))
        co_return failed(std::string(http_client::to_string(error->kind())));
    auto const& response = std::get<http_client::Response>(answer);
    if (response.status != 200) co_return failed("status " + std::to_string(response.status));
    auto const count = count_in_range(response.body, hash.substr(prefix_size));
    if (!count) co_return failed("not a range of hashes");
    co_return *count > 0 ? Result::breached : Result::clear;
}

/// The log line has only the kind of the error: its text may contain the beginning of the hash.
BreachCheck::Result BreachCheck::failed(std::string const& reason)
{
    if (failures_logged_.admits(observe::LogLimit::Clock::now()))
        logger_.warn("could not look up a password in the list of breached passwords",
            {{"setting", "BREACH_API_URL"}, {"reason", reason},
                {"omitted", failures_logged_.take_omitted()}});
    return Result::failed;
}

} // namespace auth_mfa
