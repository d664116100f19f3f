#pragma once

#include "support/certificates.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace testing {

class RedisServer;

/// A real Redis Cluster on loopback, without persistence. Its masters share the slots equally. It is killed
/// when the fixture is destroyed or the process ends. When a master is down, only its own slots are
/// unavailable. Construct it on a thread that outlives it, because Linux kills the nodes when that thread
/// ends.
///
///     testing::RedisCluster cluster;
///     redis::Client client(testing::patient_client(cluster.url()), contexts.all, logger);
class RedisCluster {
public:
    struct Options {
        unsigned masters = 3;
        unsigned replicas = 0; ///< number of replicas for each master
        /// A node that is silent for this long counts as failed. The default is long, so that a slow machine
        /// causes no failover in tests that expect none.
        std::chrono::milliseconds node_timeout{15'000};
        /// If not null, nodes use TLS with clients and with each other, with certificates of this authority
        /// for `names`. The authority must outlive the cluster.
        Authority* authority = nullptr;
        std::string names = "DNS:localhost,IP:127.0.0.1";
        /// Nodes announce the host `localhost` to clients instead of their address.
        bool announce_localhost = false;
    };

    RedisCluster() : RedisCluster(Options()) {}

    explicit RedisCluster(Options const& options);
    ~RedisCluster();
    RedisCluster(RedisCluster const&) = delete;
    RedisCluster& operator=(RedisCluster const&) = delete;

    /// `redis+cluster://127.0.0.1:PORT,…` with all nodes; `rediss+cluster://` with TLS.
    std::string url() const;

    /// Node indexes: the masters from 0 on, then the replicas of master 0, then the replicas of master 1, ….
    std::size_t size() const noexcept { return servers_.size(); }

    unsigned short port(std::size_t node) const;

    /// Sends one command to a node with redis-cli, without following redirections. Returns the reply as
    /// redis-cli prints it. Throws std::runtime_error if the reply is an error.
    std::string at(std::size_t node, std::vector<std::string> const& words) const;

    /// Deletes all keys on every master.
    void flush() const;

    unsigned slot_of(std::string const& key) const; ///< computed by the server
    std::size_t keeper_of(unsigned slot) const;     ///< the master that holds the slot

    /// `begin_move`, `move_key` and `end_move` move a slot step by step, as resharding does. Between
    /// `begin_move` and `end_move`, the old master serves the keys that it still has, and the new master
    /// serves all others.
    void begin_move(unsigned slot, std::size_t to);
    void move_key(std::string const& key);
    void end_move(unsigned slot); ///< moves the remaining keys too

    void stop(std::size_t node);  ///< SIGKILL
    void start(std::size_t node); ///< on the same port
    void pause(std::size_t node); ///< SIGSTOP: connections stay open and silent
    void resume(std::size_t node);

private:
    void join_masters();
    void join_replica(std::size_t node, std::size_t master);
    bool all_say(std::vector<std::string> const& words, std::string const& part) const;
    std::string id_of(std::size_t node) const;

    std::vector<std::unique_ptr<RedisServer>> servers_;
    std::vector<std::string> bus_ports_; ///< ports on which the nodes communicate
    std::size_t masters_;
    char const* scheme_ = "redis+cluster://";
    std::map<unsigned, std::size_t> moved_;  ///< slots that have left their first master
    std::map<unsigned, std::size_t> moving_; ///< slots that are being moved, and their new masters
};

} // namespace testing
