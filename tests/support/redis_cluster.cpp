#include "support/redis_cluster.hpp"

#include "support/eventually.hpp"
#include "support/redis_server.hpp"

#include <sstream>
#include <stdexcept>

namespace testing {

namespace {

constexpr unsigned slot_count = 16'384;
constexpr auto patience = std::chrono::seconds(60); // for slow machines

std::unique_ptr<RedisServer> new_server(std::string const& bus_port, RedisCluster::Options const& options)
{
    std::vector<std::string> arguments{"--cluster-enabled", "yes", "--cluster-port", bus_port,
        "--cluster-node-timeout", std::to_string(options.node_timeout.count()),
        "--cluster-require-full-coverage", "no", "--repl-diskless-sync-delay", "0",
        // With 0, a replica may stand for election no matter how long its master has been down. By default, a
        // replica gives up permanently after 10 node time-outs and 10 s, and on a stalled machine no vote may
        // arrive in that time.
        "--cluster-replica-validity-factor", "0"};
    if (options.announce_localhost)
        arguments.insert(arguments.end(),
            {"--cluster-announce-hostname", "localhost", "--cluster-preferred-endpoint-type", "hostname"});
    if (options.authority == nullptr) return std::make_unique<RedisServer>(arguments);
    arguments.insert(arguments.end(), {"--tls-cluster", "yes", "--tls-replication", "yes"});
    return std::make_unique<RedisServer>(
        arguments, RedisTls{options.authority->issue(options.names), options.authority->file()});
}

void require(bool done, char const* what)
{
    if (!done) throw std::runtime_error(std::string("the Redis Cluster does not form: ") + what);
}

} // namespace

RedisCluster::RedisCluster(Options const& options) : masters_(options.masters)
{
    for (unsigned i = 0; i < options.masters * (1 + options.replicas); ++i) {
        // The default bus port, 10,000 above the port, may exceed 65535.
        bus_ports_.push_back(std::to_string(free_port()));
        servers_.push_back(new_server(bus_ports_.back(), options));
    }
    if (options.authority != nullptr) scheme_ = "rediss+cluster://";
    join_masters();
    for (std::size_t i = masters_; i < size(); ++i)
        join_replica(i, (i - masters_) / options.replicas);
}

RedisCluster::~RedisCluster() = default;

void RedisCluster::join_masters()
{
    for (std::size_t i = 0; i < masters_; ++i)
        at(i, {"CLUSTER", "ADDSLOTSRANGE", std::to_string(i * slot_count / masters_),
                  std::to_string((i + 1) * slot_count / masters_ - 1)});
    for (std::size_t i = 1; i < size(); ++i)
        at(0, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(port(i)), bus_ports_[i]});
    auto const nodes_known = "cluster_known_nodes:" + std::to_string(size());
    auto const slots_kept = "cluster_slots_ok:" + std::to_string(slot_count);
    auto const agree = [&] {
        return all_say({"CLUSTER", "INFO"}, nodes_known) && all_say({"CLUSTER", "INFO"}, slots_kept) &&
               all_say({"CLUSTER", "INFO"}, "cluster_state:ok");
    };
    require(eventually(agree, patience), "the nodes do not agree");
}

void RedisCluster::join_replica(std::size_t node, std::size_t master)
{
    at(node, {"CLUSTER", "REPLICATE", id_of(master)});
    auto const known_as = "slave " + id_of(master); // the replica itself says `myself,slave`
    auto const follows = [&] {
        return at(node, {"INFO", "replication"}).find("master_link_status:up") != std::string::npos &&
               all_say({"CLUSTER", "NODES"}, known_as);
    };
    require(eventually(follows, patience), "a replica does not follow its master");
}

bool RedisCluster::all_say(std::vector<std::string> const& words, std::string const& part) const
{
    for (std::size_t i = 0; i < size(); ++i)
        if (at(i, words).find(part) == std::string::npos) return false;
    return true;
}

std::string RedisCluster::url() const
{
    std::string hosts;
    for (std::size_t i = 0; i < size(); ++i)
        hosts += (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(port(i));
    return scheme_ + hosts;
}

unsigned short RedisCluster::port(std::size_t node) const
{
    return servers_.at(node)->port();
}

std::string RedisCluster::at(std::size_t node, std::vector<std::string> const& words) const
{
    return servers_.at(node)->ask(words, patience);
}

void RedisCluster::flush() const
{
    for (std::size_t i = 0; i < masters_; ++i)
        at(i, {"FLUSHALL"});
}

std::string RedisCluster::id_of(std::size_t node) const
{
    return at(node, {"CLUSTER", "MYID"});
}

unsigned RedisCluster::slot_of(std::string const& key) const
{
    return static_cast<unsigned>(std::stoul(at(0, {"CLUSTER", "KEYSLOT", key})));
}

std::size_t RedisCluster::keeper_of(unsigned slot) const
{
    if (auto const moved = moved_.find(slot); moved != moved_.end()) return moved->second;
    std::size_t keeper = 0;
    while ((keeper + 1) * slot_count / masters_ <= slot)
        ++keeper;
    return keeper;
}

void RedisCluster::begin_move(unsigned slot, std::size_t to)
{
    std::size_t const from = keeper_of(slot);
    at(to, {"CLUSTER", "SETSLOT", std::to_string(slot), "IMPORTING", id_of(from)});
    at(from, {"CLUSTER", "SETSLOT", std::to_string(slot), "MIGRATING", id_of(to)});
    moving_[slot] = to;
}

void RedisCluster::move_key(std::string const& key)
{
    unsigned const slot = slot_of(key);
    at(keeper_of(slot), {"MIGRATE", "127.0.0.1", std::to_string(port(moving_.at(slot))), key, "0", "30000"});
}

void RedisCluster::end_move(unsigned slot)
{
    std::size_t const from = keeper_of(slot), to = moving_.at(slot);
    std::istringstream keys(at(from, {"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), "100000"}));
    for (std::string key; std::getline(keys, key);)
        if (!key.empty()) move_key(key);
    auto const tell = [&](std::size_t node) {
        at(node, {"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", id_of(to)});
    };
    tell(to); // first, so that the slot always has an owner
    tell(from);
    for (std::size_t node = 0; node < masters_; ++node)
        if (node != to && node != from) tell(node);
    moving_.erase(slot);
    moved_[slot] = to;
}

void RedisCluster::stop(std::size_t node)
{
    servers_.at(node)->stop();
}

void RedisCluster::start(std::size_t node)
{
    servers_.at(node)->start();
}

void RedisCluster::pause(std::size_t node)
{
    servers_.at(node)->pause();
}

void RedisCluster::resume(std::size_t node)
{
    servers_.at(node)->resume();
}

} // namespace testing
