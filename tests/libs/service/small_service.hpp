#pragma once

#include "service/service.hpp"
#include "support/gate.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

/// A service with four routes: `/` responds at once, `/slow` after 300 ms, `/held` when the shutdown has
/// begun,
/// `/stuck` only at the end of the shutdown. It records the calls of its methods.
class SmallService final : public service::Service, public http::Application {
public:
    explicit SmallService(service::Runtime const& runtime) : logger_(runtime.logger) {}

    http::Application& application() override { return *this; }

    std::vector<service::ReadyCheck> ready_checks() override
    {
        return {{"database", [this] { return database_works.load(); }}};
    }

    void start() override { note("start"); }

    void begin_stop() noexcept override
    {
        handled_at_begin = handled.load();
        note("begin stop");
        held.open();
    }

    void stop_workers() override { note("stop workers"); }

    void stop() override
    {
        note("stop");
        stuck.open();
    }

    boost::asio::awaitable<http::Response> handle(http::Request& request) override
    {
        if (request.path == "/slow") {
            boost::asio::steady_timer timer(
                co_await boost::asio::this_coro::executor, std::chrono::milliseconds(300));
            co_await timer.async_wait(boost::asio::use_awaitable);
        } else if (request.path == "/held") {
            logger_.info("held");
            co_await held.pass();
        } else if (request.path == "/stuck") {
            co_await stuck.pass();
        }
        ++handled;
        co_return http::Response::ok(R"({"answer":42})");
    }

    testing::Gate held, stuck;
    std::atomic<bool> database_works = true;
    std::atomic<std::size_t> handled = 0;
    std::size_t handled_at_begin = 0; ///< number of handled requests when begin_stop() was called
    std::vector<std::string> notes;   ///< calls on the main thread

private:
    void note(std::string const& what)
    {
        notes.push_back(what);
        logger_.info(what, {{"handled", handled.load()}});
    }

    observe::Logger& logger_;
};
