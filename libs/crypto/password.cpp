#include "crypto/password.hpp"

#include "core/error.hpp"
#include "core/suspended.hpp"
#include "crypto/random.hpp"

#include <argon2.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace crypto {

namespace {

constexpr std::size_t salt_size = 16;
constexpr std::size_t hash_size = 32;
constexpr int niceness = 10;
constexpr std::size_t waiting_for_each_thread = 32;

/// Linux keeps a niceness for each thread.
void lower_priority_once()
{
    thread_local bool const done = ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness) == 0;
    static_cast<void>(done);
}

PasswordHasherOptions complete(PasswordHasherOptions options)
{
    if (options.queue_limit == 0) options.queue_limit = options.threads * waiting_for_each_thread;
    return options;
}

} // namespace

std::string hash_password(std::string const& secret, Argon2Cost const& cost)
{
    std::string const salt = random_bytes(salt_size);
    std::string encoded(
        argon2_encodedlen(cost.passes, cost.memory_kib, cost.lanes, salt_size, hash_size, Argon2_id), '\0');
    int const result = argon2id_hash_encoded(cost.passes, cost.memory_kib, cost.lanes, secret.data(),
        secret.size(), salt.data(), salt.size(), hash_size, encoded.data(), encoded.size());
    if (result != ARGON2_OK) throw std::runtime_error(std::string("Argon2: ") + argon2_error_message(result));
    encoded.resize(encoded.find('\0'));
    return encoded;
}

bool verify_password(std::string const& secret, std::string const& phc)
{
    int const result = argon2id_verify(phc.c_str(), secret.data(), secret.size());
    if (result == ARGON2_MEMORY_ALLOCATION_ERROR || result == ARGON2_THREAD_FAIL)
        throw std::runtime_error(std::string("Argon2: ") + argon2_error_message(result));
    return result == ARGON2_OK;
}

PasswordHasher::PasswordHasher(PasswordHasherOptions options)
    : options_(complete(std::move(options))),
      nobodys_(hash_password(random_base62(salt_size), options_.cost)), workers_(options_.threads)
{
}

PasswordHasher::Turn PasswordHasher::enter(std::int64_t scope_id)
{
    std::lock_guard const lock(mutex_);
    std::size_t const half = (options_.queue_limit + 1) / 2;
    bool const has_its_share = scope_id != 0 && places_.contains(scope_id) && places_.at(scope_id) >= half;
    if (queued_ >= options_.queue_limit || has_its_share)
        throw core::Error::unavailable("Too many passwords are being checked just now.");
    ++places_[scope_id];
    ++queued_;
    return Turn(*this, scope_id);
}

void PasswordHasher::leave(std::int64_t scope_id) noexcept
{
    std::lock_guard const lock(mutex_);
    auto const it = places_.find(scope_id);
    if (--it->second == 0) places_.erase(it);
    --queued_;
}

std::size_t PasswordHasher::queued() const
{
    std::lock_guard const lock(mutex_);
    return queued_;
}

void PasswordHasher::enqueue(std::int64_t scope_id, std::function<void()> job)
{
    {
        std::lock_guard const lock(mutex_);
        auto& own = waiting_[scope_id];
        own.push_back(std::move(job));
        if (own.size() == 1) turns_.push_back(scope_id);
    }
    workers_.post([this] { next_job()(); });
}

std::function<void()> PasswordHasher::next_job()
{
    std::lock_guard const lock(mutex_);
    std::int64_t const scope_id = turns_.front();
    turns_.pop_front();
    auto const own = waiting_.find(scope_id);
    std::function<void()> job = std::move(own->second.front());
    own->second.pop_front();
    if (own->second.empty())
        waiting_.erase(own);
    else
        turns_.push_back(scope_id);
    return job;
}

template <class Work>
auto PasswordHasher::run(Turn const& turn, Work work) -> asio::awaitable<std::invoke_result_t<Work&>>
{
    std::optional<std::invoke_result_t<Work&>> result;
    std::exception_ptr failure;
    auto const hash_once = [&] {
        lower_priority_once();
        try {
            result = work();
            if (options_.on_hash) options_.on_hash();
        } catch (...) {
            failure = std::current_exception();
        }
    };
    auto const start = [&](core::Suspended caller) {
        auto const waiting = std::make_shared<core::Suspended>(std::move(caller)); // std::function copies
        enqueue(turn.scope_id_, [&, waiting] {
            hash_once();
            core::Suspended::resume(std::move(*waiting));
        });
    };
    co_await core::suspend(start);
    if (failure) std::rethrow_exception(failure);
    co_return std::move(*result);
}

asio::awaitable<std::string> PasswordHasher::hash(Turn const& turn, core::Secret secret)
{
    auto const work = [&] { return hash_password(secret.reveal(), options_.cost); };
    co_return co_await run(turn, work);
}

asio::awaitable<bool> PasswordHasher::verify(
    Turn const& turn, core::Secret secret, std::optional<std::string> phc)
{
    auto const work = [&] {
        return verify_password(secret.reveal(), phc.value_or(nobodys_)) && phc.has_value();
    };
    co_return co_await run(turn, work);
}

} // namespace crypto
