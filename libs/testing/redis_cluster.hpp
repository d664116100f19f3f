#pragma once

#include "testing/certificates.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace testing {

class RedisServer;

/// A real Redis Cluster on loopback, without persistence, whose masters share the slots equally; killed with
/// the fixture or the process. A master that is down takes its own slots away and no others. Create it from a
/// thread that outlives it.
///
///     testing::RedisCluster cluster;
///     redis::Client client(testing::patient_client(cluster.url()), contexts.all, logger);
class RedisCluster {
public:
    struct Options {
        unsigned masters = 3;
        unsigned replicas = 0; ///< of each master
        /// A node that is silent for so long has failed: long where none is meant to fail, since a machine
        /// that stalls must not look like that.
        std::chrono::milliseconds node_timeout{15'000};
        /// Nodes talk TLS, to clients and to each other, with certificates of this authority for `names`; it
        /// outlives the cluster. Null: in the clear.
        Authority* authority = nullptr;
        std::string names = "DNS:localhost,IP:127.0.0.1";
        /// Nodes announce the host `localhost` to clients, in place of their address.
        bool announce_localhost = false;
    };

    RedisCluster() : RedisCluster(Options()) {}

    explicit RedisCluster(Options const& options);
    ~RedisCluster();
    RedisCluster(RedisCluster const&) = delete;
    RedisCluster& operator=(RedisCluster const&) = delete;

    /// `rediss+cluster://` under TLS.
    std::string url() const; ///< `redis+cluster://127.0.0.1:PORT,…`, all nodes

    /// Nodes: the masters from 0 on, then the replicas of 0, then those of 1, ….
    std::size_t size() const noexcept { return servers_.size(); }

    unsigned short port(std::size_t node) const;

    /// Sends one command to a node by redis-cli, which follows nothing; the answer as it prints it. Throws
    /// std::runtime_error for an error.
    std::string at(std::size_t node, std::vector<std::string> const& words) const;

    /// Empties every master.
    void flush() const;

    unsigned slot_of(std::string const& key) const; ///< as the servers say
    std::size_t keeper_of(unsigned slot) const;     ///< the master that has it, replicas aside

    /// Moves a slot step by step, as resharding does: in between, the keys that are there yet are served by
    /// the old master, and those that are not by the new one.
    void begin_move(unsigned slot, std::size_t to);
    void move_key(std::string const& key);
    void end_move(unsigned slot); ///< with all keys that are left

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
    std::vector<std::string> bus_ports_; ///< on which the nodes talk to each other
    std::size_t masters_;
    char const* scheme_ = "redis+cluster://";
    std::map<unsigned, std::size_t> moved_;  ///< slots that are not where they were at first
    std::map<unsigned, std::size_t> moving_; ///< slots on their way, and where to
};

} // namespace testing
