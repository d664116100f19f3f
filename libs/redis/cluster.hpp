#pragma once

#include "redis/backend.hpp"
#include "redis/connection.hpp"
#include "redis/topology.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <vector>

namespace redis {

/// The connections of one io_context to a Redis Cluster, and the table of slots. The table is read with
/// CLUSTER SLOTS from any node that is up. It is read at the start and whenever it may have changed: after
/// MOVED, after a failed command, for a slot without a known node, and after a connection was made or lost.
/// While no node answers, the host names of the address are resolved again, and the client tries to connect
/// to them.
class Client::Cluster final : public Backend, public std::enable_shared_from_this<Cluster> {
public:
    /// `options.address.cluster` must not be empty.
    Cluster(asio::io_context& ioc, ClientOptions options, Tls tls, observe::Logger& logger);

    asio::io_context& context() const noexcept override { return ioc_; }

    void start() override;
    void stop() noexcept override;

    bool healthy() const noexcept override { return healthy_; }

    /// Follows MOVED and ASK.
    asio::awaitable<Reply> route(std::string_view key, Arguments const& args) override;

    asio::awaitable<std::vector<std::shared_ptr<Connection>>> servers() override;

private:
    /// A range of slots and the connection to their master.
    struct Owned {
        std::uint16_t first, last;
        std::shared_ptr<Connection> node;
    };

    asio::awaitable<void> run();
    asio::awaitable<bool> wait_for_refresh();
    asio::awaitable<bool> read_table(std::shared_ptr<Connection> node, bool is_news);
    asio::awaitable<void> first_table();
    asio::awaitable<void> wait(std::chrono::milliseconds time);
    void apply_table(std::vector<SlotRange> const& ranges);
    void connect_to_configured_nodes();
    void end_start();
    void request_refresh();
    void on_change();
    std::shared_ptr<Connection> node_at(Endpoint const& endpoint);
    std::shared_ptr<Connection> owner_of(std::uint16_t slot);
    std::shared_ptr<Connection> next_connected_node();
    asio::awaitable<std::shared_ptr<Connection>> follow(Redirection const& elsewhere, std::uint16_t slot);
    void stop_here();

    asio::io_context& ioc_;
    ClientOptions const options_;
    Tls const tls_;
    observe::Logger& logger_;
    std::map<Endpoint, std::shared_ptr<Connection>> nodes_; ///< all known nodes, masters and replicas
    std::vector<Owned> table_;                              ///< in ascending order of slots
    /// The number of reads of the table so far. Each read asks the next node in turn.
    unsigned asked_ = 0;
    std::atomic<bool> healthy_ = false;
    bool starting_ = true; ///< becomes false when the first table is known, or no node can provide it
    bool stopped_ = false;
    bool refresh_requested_ = true;  ///< whether the table must be read
    asio::steady_timer first_table_; ///< cancelled when starting_ ends
    asio::steady_timer wake_;        ///< cancelled when a read of the table is requested
    asio::steady_timer pause_;
};

} // namespace redis
