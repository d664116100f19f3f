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

/// A Redis Cluster as one io_context reaches it: a connection to each master, and which of them keeps which
/// slots. That is read by CLUSTER SLOTS, from any node that is up, at the start and whenever something says
/// that it changed: MOVED, a slot nobody keeps, a connection that was made or lost. While no node tells,
/// those of the address are tried again, by name.
class Client::Cluster final : public Backend, public std::enable_shared_from_this<Cluster> {
public:
    /// `options.address.cluster` is not empty.
    Cluster(asio::io_context& ioc, ClientOptions options, Tls tls, observe::Logger& logger);

    asio::io_context& context() const noexcept override { return ioc_; }

    void start() override;
    void stop() noexcept override;

    bool healthy() const noexcept override { return healthy_; }

    /// Follows MOVED and ASK.
    asio::awaitable<Reply> route(std::string_view key, Words const& args) override;

    asio::awaitable<std::vector<std::shared_ptr<Connection>>> servers() override;

private:
    /// A run of slots and the connection to who keeps them.
    struct Owned {
        std::uint16_t first, last;
        std::shared_ptr<Connection> node;
    };

    asio::awaitable<void> run();
    asio::awaitable<bool> wanted();
    asio::awaitable<bool> learn(std::shared_ptr<Connection> node, bool is_news);
    asio::awaitable<void> first_table();
    asio::awaitable<void> wait(std::chrono::milliseconds time);
    void adopt(std::vector<SlotRange> const& ranges);
    void begin_anew();
    void end_start();
    void want();
    void on_change();
    std::shared_ptr<Connection> node_at(Endpoint const& endpoint);
    std::shared_ptr<Connection> owner_of(std::uint16_t slot);
    std::shared_ptr<Connection> next_up();
    asio::awaitable<std::shared_ptr<Connection>> follow(Redirection const& elsewhere, std::uint16_t slot);
    void stop_here();

    asio::io_context& ioc_;
    ClientOptions const options_;
    Tls const tls_;
    observe::Logger& logger_;
    std::map<Endpoint, std::shared_ptr<Connection>> nodes_; ///< all there are, of masters and others
    std::vector<Owned> table_;                              ///< ascending
    unsigned asked_ = 0;                                    ///< so that another node is asked each time
    std::atomic<bool> healthy_ = false;
    bool starting_ = true; ///< until the first table is there, or nobody can tell it
    bool stopped_ = false;
    bool wanted_ = true;             ///< the table is to be read
    asio::steady_timer first_table_; ///< cancelled when starting_ ends
    asio::steady_timer wake_;        ///< cancelled when the table becomes wanted
    asio::steady_timer pause_;
};

} // namespace redis
