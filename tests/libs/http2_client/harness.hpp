#pragma once

#include "http2_client/client.hpp"
#include "support/eventually.hpp"
#include "support/process.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using http2_client::Client;
using http2_client::ClientOptions;
using http2_client::StreamEnd;

using Steady = std::chrono::steady_clock;

/// server.mjs in a separate process.
class Server {
public:
    explicit Server(std::string const& options = "{}")
        : process_({.argv = {"node", "tests/libs/http2_client/server.mjs", options}, .output = log()})
    {
        REQUIRE(testing::eventually([this] { return !port_line().empty(); }));
    }

    std::uint16_t port() const { return static_cast<std::uint16_t>(std::stoi(port_line().substr(5))); }

    /// The number of connections made to it.
    std::size_t connections() const { return lines("connection").size(); }

    testing::Process& process() { return process_; }

private:
    std::string log() const { return folder_.path() + "/log"; }

    std::vector<std::string> lines(std::string_view beginning) const
    {
        std::vector<std::string> found;
        std::ifstream file(log());
        for (std::string line; std::getline(file, line) && !file.eof();)
            if (line.starts_with(beginning)) found.push_back(line);
        return found;
    }

    std::string port_line() const
    {
        auto const found = lines("port ");
        return found.empty() ? std::string() : found.front();
    }

    testing::TemporaryDirectory folder_{"http2"};
    testing::Process process_;
};

/// The outcome of a request.
struct Result {
    StreamEnd end{};
    unsigned status = 0;
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers;
};

/// The requests that wait for a stream, and the client that sends them. Both run on the test's thread.
class Sender final : public http2_client::RequestSource {
public:
    explicit Sender(ClientOptions options, std::string const& ca_file = {})
        : options_(std::move(options)), context_(http2_client::make_context(ca_file)),
          client(std::in_place, io_.get_executor(), context_, options_, *this)
    {
    }

    ~Sender()
    {
        client.reset();
        io_.run(); // handles cancelled operations
    }

    Sender(Sender const&) = delete;
    Sender& operator=(Sender const&) = delete;

    /// Returns the index of the request in `results`.
    std::size_t add(std::string path, std::string body = "hello", bool urgent = true)
    {
        std::size_t const number = requests_.size();
        auto& request = requests_.emplace_back(*this, number, std::move(path), std::move(body));
        waiting_[urgent ? 0 : 1].push_back(&request);
        results.emplace_back();
        client->wake();
        return number;
    }

    /// Runs the client until `condition` holds. The client's clock is ahead of the real clock by `ahead`.
    template <class Condition> bool run_until(Condition condition)
    {
        auto const deadline = Steady::now() + 30s;
        while (!condition()) {
            if (Steady::now() > deadline) return false;
            io_.restart();
            io_.run_for(2ms);
            client->tick(Steady::now() + ahead);
        }
        return true;
    }

    bool run_to_end()
    {
        return run_until(
            [this] { return std::ranges::all_of(results, [](auto const& r) { return r.has_value(); }); });
    }

    Result const& result(std::size_t number)
    {
        REQUIRE(run_until([&] { return results[number].has_value(); }));
        return *results[number];
    }

    /// The order in which requests ended.
    std::vector<std::size_t> order;
    std::vector<std::optional<Result>> results;
    std::vector<std::string> notices;  ///< of lost connections
    std::vector<bool> announcements;   ///< for each notice: whether the server announced the end
    std::vector<std::string> failures; ///< of failed connection attempts
    bool give_up = true;               ///< whether waiting requests end as lost if the server is unreachable
    bool again = true;                 ///< whether refused requests are sent again
    std::chrono::milliseconds ahead{0};

private:
    struct Request final : http2_client::Stream {
        Request(Sender& s, std::size_t n, std::string p, std::string b)
            : sender(s), number(n), path(std::move(p)), text(std::move(b))
        {
            std::string_view const all = text; // in three pieces
            body = {all.substr(0, all.size() / 3), all.substr(all.size() / 3, all.size() / 3),
                all.substr(2 * (all.size() / 3))};
        }

        void header(std::string_view name, std::string_view value) noexcept override
        {
            headers.emplace_back(name, value);
        }

        void ended(StreamEnd end) noexcept override { sender.ended(*this, end); }

        Sender& sender;
        std::size_t number;
        std::string path, text;
        std::vector<std::pair<std::string, std::string>> headers;
    };

    http2_client::RequestSource::Request next(bool urgent_only) noexcept override
    {
        auto& lane = waiting_[waiting_[0].empty() && !urgent_only ? 1 : 0];
        if (lane.empty()) return {};
        Request& request = *lane.front();
        lane.pop_front();
        headers_ = {{":method", "POST"}, {":scheme", options_.tls ? "https" : "http"},
            {":authority", "localhost"}, {":path", request.path}, {"x-number", "1", true}};
        return {&request, headers_};
    }

    std::size_t backlog() const noexcept override { return waiting_[0].size() + waiting_[1].size(); }

    void unreachable(std::string_view detail) noexcept override
    {
        failures.emplace_back(detail);
        if (!give_up) return;
        for (auto& lane : waiting_) {
            for (auto* request : std::exchange(lane, {}))
                request->ended(StreamEnd::lost);
        }
    }

    void disconnected(std::string_view detail, bool announced) noexcept override
    {
        notices.emplace_back(detail);
        announcements.push_back(announced);
    }

    void ended(Request& request, StreamEnd end)
    {
        if (end == StreamEnd::refused && again) {
            waiting_[0].push_back(&request);
            return client->wake();
        }
        order.push_back(request.number);
        results[request.number] = {end, request.status, request.answer, request.headers};
    }

    ClientOptions const options_;
    std::deque<Request> requests_;
    std::deque<Request*> waiting_[2]; ///< urgent, bulk
    std::vector<http2_client::Header> headers_;
    boost::asio::io_context io_{1};
    std::shared_ptr<http2_client::Context> context_;

public:
    std::optional<Client> client;
};
