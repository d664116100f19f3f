#include "redis/cluster.hpp"

#include "core/backoff.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

namespace redis {

namespace {

using Clock = std::chrono::steady_clock;

/// The maximum number of times that a command is sent. If each node redirects it, its caller then gets
/// Unavailable.
constexpr unsigned hop_limit = 8;

} // namespace

Client::Cluster::Cluster(asio::io_context& ioc, ClientOptions options, Tls tls, observe::Logger& logger)
    : ioc_(ioc), options_(std::move(options)), tls_(std::move(tls)), logger_(logger),
      first_table_(ioc, Clock::now() + options_.timeout), wake_(ioc), pause_(ioc)
{
}

void Client::Cluster::start()
{
    asio::co_spawn(ioc_, [self = shared_from_this()] { return self->run(); }, asio::detached);
}

void Client::Cluster::stop() noexcept
{
    asio::post(ioc_, [self = shared_from_this()] { self->stop_here(); });
}

void Client::Cluster::stop_here()
{
    stopped_ = true;
    healthy_ = false;
    end_start();
    wake_.cancel();
    pause_.cancel();
    for (auto const& [endpoint, node] : nodes_)
        node->stop();
}

/// Reads the table whenever a read is requested, until `stop`.
asio::awaitable<void> Client::Cluster::run()
{
    unsigned failures = 0;
    while (co_await wait_for_refresh()) {
        auto const node = next_connected_node();
        if (!node) {
            connect_to_configured_nodes();
            continue; // `wait_for_refresh` returns when a node has connected, or when an attempt has failed
        }
        bool const is_read = co_await read_table(node, failures == 0);
        failures = is_read ? 0 : failures + 1;
        if (stopped_) break;
        if (!is_read) {
            refresh_requested_ = true;
            connect_to_configured_nodes();
        }
        // This pause is the minimum time between two reads of the table, even if commands request it more
        // often.
        std::random_device entropy;
        co_await wait(core::backoff(failures, options_.reconnect_min, options_.reconnect_max, entropy()));
    }
}

/// Waits until a read of the table is requested. Returns false after `stop`.
asio::awaitable<bool> Client::Cluster::wait_for_refresh()
{
    while (!refresh_requested_ && !stopped_) {
        wake_.expires_at(Clock::time_point::max());
        boost::system::error_code woken;
        co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
    refresh_requested_ = false;
    co_return !stopped_;
}

asio::awaitable<void> Client::Cluster::wait(std::chrono::milliseconds time)
{
    pause_.expires_after(time);
    boost::system::error_code cancelled;
    co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

/// Reads the table from `node`. Returns whether the node has a table.
asio::awaitable<bool> Client::Cluster::read_table(std::shared_ptr<Connection> node, bool is_news)
{
    std::string reason = "it has no slots";
    try {
        Arguments const question{"CLUSTER", "SLOTS"};
        auto const answer = co_await node->send(question);
        auto const ranges = read_slots(answer, node->endpoint());
        if (!ranges.empty()) {
            apply_table(ranges);
            co_return true;
        }
    } catch (std::exception const& e) {
        reason = e.what();
    }
    if (!stopped_)
        logger_.log(is_news ? observe::Level::warn : observe::Level::debug,
            "a redis node did not return the slots", {{"server", node->name()}, {"reason", reason}});
    co_return false;
}

void Client::Cluster::apply_table(std::vector<SlotRange> const& ranges)
{
    std::vector<Owned> table;
    std::set<Endpoint> members;
    for (auto const& range : ranges) {
        table.push_back({range.first, range.last, node_at(range.master)});
        members.insert(range.master);
        members.insert(range.replicas.begin(), range.replicas.end());
    }
    table_ = std::move(table);
    // Connections to members of the cluster are kept. A connection to another node is closed, unless an
    // answer is outstanding. In this case it is kept until the next table is read.
    std::erase_if(nodes_, [&](auto const& entry) {
        auto const& [endpoint, node] = entry;
        bool const goes = !members.contains(endpoint) && !node->busy();
        if (goes) node->stop();
        return goes;
    });
    end_start();
}

/// Called when no node is up, or when a node did not return the table. Adds the nodes of `options_.address`
/// again if they were dropped, because their names may resolve to other servers now. If no node is in its
/// first connection attempt, ends the start, so that waiting commands fail.
void Client::Cluster::connect_to_configured_nodes()
{
    for (auto const& endpoint : options_.address.cluster)
        node_at(endpoint);
    bool const hope = std::ranges::any_of(nodes_, [](auto const& entry) { return entry.second->starting(); });
    if (!hope) end_start();
}

void Client::Cluster::end_start()
{
    starting_ = false;
    first_table_.cancel();
}

asio::awaitable<void> Client::Cluster::first_table()
{
    boost::system::error_code cancelled;
    co_await first_table_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

void Client::Cluster::request_refresh()
{
    refresh_requested_ = true;
    wake_.cancel();
}

void Client::Cluster::on_change()
{
    if (stopped_) return;
    healthy_ = std::ranges::any_of(nodes_, [](auto const& entry) { return entry.second->up(); });
    request_refresh();
}

std::shared_ptr<Client::Connection> Client::Cluster::node_at(Endpoint const& endpoint)
{
    if (auto const known = nodes_.find(endpoint); known != nodes_.end()) return known->second;
    if (stopped_) throw Unavailable("redis: the client was stopped");
    ClientOptions options = options_;
    options.address.cluster.clear();
    options.address.host = endpoint.host;
    options.address.port = endpoint.port;
    auto const node =
        std::make_shared<Connection>(ioc_, std::move(options), tls_, logger_, [weak = weak_from_this()] {
            if (auto const self = weak.lock()) self->on_change();
        });
    nodes_.emplace(endpoint, node);
    node->start();
    return node;
}

std::shared_ptr<Client::Connection> Client::Cluster::next_connected_node()
{
    std::vector<std::shared_ptr<Connection>> up;
    for (auto const& [endpoint, node] : nodes_)
        if (node->up()) up.push_back(node);
    return up.empty() ? nullptr : up[asked_++ % up.size()];
}

std::shared_ptr<Client::Connection> Client::Cluster::owner_of(std::uint16_t slot)
{
    auto const owned = std::ranges::lower_bound(table_, slot, {}, &Owned::last);
    if (owned != table_.end() && owned->first <= slot) return owned->node;
    request_refresh();
    throw Unavailable("redis: no known node of the cluster has the key");
}

asio::awaitable<Reply> Client::Cluster::route(std::string_view key, Arguments const& args)
{
    if (starting_) co_await first_table();
    auto const slot = slot_of(key);
    auto node = owner_of(slot);
    bool asking = false;
    for (unsigned hop = 0; hop < hop_limit; ++hop) {
        std::optional<Redirection> elsewhere;
        try {
            co_return co_await node->send(args, asking);
        } catch (CommandError const& e) {
            elsewhere = Redirection::read(e.what(), node->endpoint());
            if (!elsewhere) throw;
        } catch (Unavailable const&) {
            request_refresh(); // a replica may have taken over
            throw;
        }
        asking = elsewhere->kind == Redirection::Kind::ask;
        node = co_await follow(*elsewhere, slot);
    }
    throw Unavailable("redis: the key is being moved");
}

/// Returns the connection to which the command must be sent next.
asio::awaitable<std::shared_ptr<Client::Connection>> Client::Cluster::follow(
    Redirection const& elsewhere, std::uint16_t slot)
{
    if (elsewhere.kind == Redirection::Kind::again) {
        asio::steady_timer meanwhile(ioc_, options_.reconnect_min);
        co_await meanwhile.async_wait(asio::use_awaitable);
        co_return owner_of(slot);
    }
    if (elsewhere.kind == Redirection::Kind::moved) request_refresh();
    co_return node_at(elsewhere.to);
}

asio::awaitable<std::vector<std::shared_ptr<Client::Connection>>> Client::Cluster::servers()
{
    if (starting_) co_await first_table();
    std::set<std::shared_ptr<Connection>> masters;
    for (auto const& owned : table_)
        masters.insert(owned.node);
    if (masters.empty()) throw Unavailable("redis: no node of the cluster is known");
    co_return std::vector(masters.begin(), masters.end());
}

} // namespace redis
