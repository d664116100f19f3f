#include "workers/direct_pruning.hpp"

#include "domain/pruning.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "storage/carrier_configs.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <tuple>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr auto pause = 200ms; ///< between two counts
/// Maximum number of devices that wait to be counted. Beyond it, devices are not counted and not removed.
constexpr std::size_t most_waiting = 100'000;
constexpr std::size_t most_together = 1'000; ///< devices per call of Redis

/// KEYS: the HyperLogLogs of answered and of gone devices. ARGV: their lifetime in seconds, the number of
/// gone devices, their ids, the ids of the other devices. Returns both counts.
constexpr char script_text[] = R"(
local gone = tonumber(ARGV[2])
redis.call('PFADD', KEYS[1], unpack(ARGV, 3))
if gone > 0 then redis.call('PFADD', KEYS[2], unpack(ARGV, 3, 2 + gone)) end
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[1])
return {redis.call('PFCOUNT', KEYS[1]), redis.call('PFCOUNT', KEYS[2])}
)";

struct Answers {
    std::vector<std::int64_t> answered;
    std::vector<devices::Gone> gone;
};

} // namespace

struct DirectPruning::State : std::enable_shared_from_this<State> {
    explicit State(WorkerDeps const& d) : deps(d), script(script_text) {}

    asio::awaitable<void> run()
    {
        asio::steady_timer timer(deps.io);
        while (!stopped) {
            std::map<CredentialVersion, Answers> all;
            {
                std::lock_guard const lock(mutex);
                if (waiting.empty()) {
                    running = false; // `add` starts the next coroutine
                    co_return;
                }
                all.swap(waiting);
                count = 0;
            }
            for (auto const& [credential, answers] : all)
                co_await judge(credential, answers);
            timer.expires_after(pause);
            co_await timer.async_wait(asio::use_awaitable);
        }
    }

    asio::awaitable<void> judge(CredentialVersion const& credential, Answers const& answers)
    {
        try {
            std::span<devices::Gone const> gone_left(answers.gone);
            std::span<std::int64_t const> answered_left(answers.answered);
            std::int64_t answered = 0, gone = 0;
            while (gone_left.size() + answered_left.size() > 0) {
                auto const some_gone = gone_left.first(std::min(gone_left.size(), most_together));
                auto const some =
                    answered_left.first(std::min(answered_left.size(), most_together - some_gone.size()));
                std::tie(answered, gone) = co_await counts(credential, some_gone, some);
                gone_left = gone_left.subspan(some_gone.size());
                answered_left = answered_left.subspan(some.size());
            }
            if (answers.gone.empty()) co_return;
            if (is_suspicious(answered, gone))
                co_await stop_pruning(credential);
            else
                co_await deps.db.transact(pg::Scopes(credential.scope_id),
                    [&](pg::Tx& tx) { devices::prune(tx, credential.scope_id, answers.gone); });
        } catch (std::exception const& error) { // the next push to these devices finds them gone again
            deps.logger.warn("devices that a carrier reports as gone were not removed",
                {{"scopeId", core::number(credential.scope_id)},
                    {"what", observe::first_line(error.what())}});
        }
    }

    asio::awaitable<std::pair<std::int64_t, std::int64_t>> counts(CredentialVersion const& credential,
        std::span<devices::Gone const> gone_devices, std::span<std::int64_t const> answered_devices)
    {
        auto const day = std::chrono::floor<std::chrono::days>(deps.clock.now()).time_since_epoch().count();
        std::string const key = "notify:answers:{" + core::to_string(credential.scope_id) + ':' +
                                std::string(to_string(credential.carrier)) + ':' +
                                std::to_string(credential.updated_at.time_since_epoch().count()) + '}' +
                                std::to_string(day);
        std::string const gone_key = key + ":gone";
        std::vector<std::string> texts{"172800", std::to_string(gone_devices.size())};
        texts.reserve(2 + gone_devices.size() + answered_devices.size());
        for (auto const& gone : gone_devices)
            texts.push_back(std::to_string(gone.device_id));
        for (auto const id : answered_devices)
            texts.push_back(std::to_string(id));
        auto const reply = co_await deps.redis.eval(
            script, {key, gone_key}, std::vector<std::string_view>(texts.begin(), texts.end()));
        auto const& counted = reply.array();
        co_return std::pair(counted.at(0).integer(), counted.at(1).integer());
    }

    asio::awaitable<void> stop_pruning(CredentialVersion const& credential)
    {
        co_await deps.db.transact(pg::Scopes(credential.scope_id), [&](pg::Tx& tx) {
            carrier_configs::stop_pruning(
                tx, credential.scope_id, credential.carrier, credential.updated_at, deps.clock.now());
        });
        deps.logger.warn("pruning stopped: more than half of a credential's devices were reported gone",
            {{"platform", to_string(credential.carrier)}, {"scopeId", core::number(credential.scope_id)}});
    }

    WorkerDeps const& deps;
    redis::Script const script;
    std::atomic<bool> stopped = false;
    std::mutex mutex; ///< protects the next three members
    std::map<CredentialVersion, Answers> waiting;
    std::size_t count = 0; ///< devices in `waiting`
    bool running = false;
};

DirectPruning::DirectPruning(WorkerDeps const& deps) : state_(std::make_shared<State>(deps)) {}

DirectPruning::~DirectPruning()
{
    state_->stopped = true;
}

void DirectPruning::add(CredentialVersion const& credential, std::span<std::int64_t const> answered,
    std::span<devices::Gone const> gone)
{
    {
        std::lock_guard const lock(state_->mutex);
        if (state_->count >= most_waiting || answered.size() + gone.size() == 0) return;
        state_->count += answered.size() + gone.size();
        auto& answers = state_->waiting[credential];
        answers.answered.insert(answers.answered.end(), answered.begin(), answered.end());
        answers.gone.insert(answers.gone.end(), gone.begin(), gone.end());
        if (std::exchange(state_->running, true)) return;
    }
    asio::co_spawn(state_->deps.io, [state = state_] { return state->run(); }, asio::detached);
}

} // namespace notify
