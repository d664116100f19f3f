#include "pg/lane.hpp"

#include "pg/transaction.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <unordered_map>

namespace pg {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A server that has no connection to spare is not asked again at once: each attempt takes a database thread.
static constexpr auto between_tries = 1s;

/// What an io_context keeps of ours. Used by its thread alone.
class Lane::Service : public asio::execution_context::service {
public:
    using key_type = Service;
    inline static asio::execution_context::id id;

    explicit Service(asio::execution_context& context)
        : service(context), anchor_(static_cast<asio::io_context&>(context))
    {
    }

    std::shared_ptr<Lane> of(asio::any_io_executor const& executor, Database& database)
    {
        auto& lane = lanes_[database.identity()];
        if (!lane) lane = std::make_shared<Lane>(executor);
        return lane;
    }

private:
    void shutdown() override { lanes_.clear(); }

    /// Contexts shut services down in the reverse order of their making; this makes ours the younger one.
    asio::posix::stream_descriptor anchor_;
    std::unordered_map<std::shared_ptr<void const>, std::shared_ptr<Lane>> lanes_;
};

std::shared_ptr<Lane> Lane::of(asio::any_io_executor const& executor, Database& database)
{
    return asio::use_service<Service>(asio::query(executor, asio::execution::context)).of(executor, database);
}

asio::awaitable<std::unique_ptr<Pipeline>> Lane::take(Database& database)
{
    auto const self = shared_from_this();
    auto const deadline = Clock::now() + database.options().queue_timeout;
    for (;;) {
        if (database.silent()) {
            wake_one(); // the others who wait are told as well
            throw unavailable();
        }
        if (auto pipeline = take_idle(database)) co_return pipeline;
        if (may_make()) {
            if (auto pipeline = co_await make(database)) co_return pipeline;
            continue;
        }
        auto const now = Clock::now();
        if (now >= deadline) throw core::Error::unavailable("the database is overloaded");
        bool const may_make_later = made_ + making_ < connection_limit;
        auto const until = may_make_later ? std::min(deadline, next_try_) : deadline;
        co_await wait_for_one(std::chrono::ceil<std::chrono::milliseconds>(until - now));
    }
}

bool Lane::may_make() const
{
    if (made_ + making_ >= connection_limit) return false;
    return made_ == 0 || Clock::now() >= next_try_;
}

asio::awaitable<std::unique_ptr<Pipeline>> Lane::make(Database& database)
{
    ++making_;
    std::exception_ptr failure;
    try {
        ConnectionHandle connection = co_await database.connect();
        auto pipeline =
            std::make_unique<Pipeline>(executor_, std::move(connection), database.wire_options(true));
        --making_;
        ++made_;
        co_return pipeline;
    } catch (...) {
        failure = std::current_exception();
    }
    --making_;
    wake_one();
    if (made_ == 0) std::rethrow_exception(failure);
    next_try_ = Clock::now() + between_tries;
    co_return nullptr;
}

std::unique_ptr<Pipeline> Lane::take_idle(Database& database)
{
    while (!idle_.empty()) {
        auto pipeline = std::move(idle_.back());
        idle_.pop_back();
        if (!pipeline->stale()) return pipeline;
        --made_;
        database.report_lost(lost_while_idle);
    }
    return nullptr;
}

asio::awaitable<void> Lane::wait_for_one(std::chrono::milliseconds limit)
{
    struct Place {
        Lane& lane;
        asio::steady_timer timer;

        Place(Lane& l, std::chrono::milliseconds limit) : lane(l), timer(l.executor_, limit)
        {
            lane.waiting_.push_back(&timer);
        }

        ~Place() { std::erase(lane.waiting_, &timer); }
    } place(*this, limit);

    boost::system::error_code woken;
    co_await place.timer.async_wait(asio::redirect_error(asio::use_awaitable, woken));
}

void Lane::give_back(std::unique_ptr<Pipeline> pipeline)
{
    if (pipeline->lost())
        --made_;
    else
        idle_.push_back(std::move(pipeline));
    wake_one();
}

void Lane::wake_one()
{
    if (waiting_.empty()) return;
    waiting_.front()->cancel();
    waiting_.pop_front();
}

BatchSession::BatchSession(Database& database, std::shared_ptr<Lane> lane, std::unique_ptr<Pipeline> pipeline)
    : database_(database), lane_(std::move(lane)), pipeline_(std::move(pipeline))
{
}

BatchSession::~BatchSession()
{
    lane_->give_back(std::move(pipeline_));
}

namespace {

constexpr std::string_view lock_scopes = "SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k";

} // namespace

asio::awaitable<Rows> BatchSession::run(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    Param const seen = visible(scopes);
    Statement const statements[] = {
        {database_.transaction_settings(), {}}, {set_scopes, {&seen, 1}}, {sql, params}};
    co_return co_await attempt(statements);
}

asio::awaitable<Rows> BatchSession::run_serialised(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    std::vector<std::int64_t> keys;
    for (std::int64_t const id : scopes.ids())
        keys.push_back(scope_lock(id));
    // In one order everywhere, so that two batches cannot wait for each other.
    std::ranges::sort(keys);
    Param const seen = visible(scopes);
    Param const locks = keys;
    Statement const statements[] = {{database_.transaction_settings(), {}}, {set_scopes, {&seen, 1}},
        {lock_scopes, {&locks, 1}, true}, {sql, params}};
    co_return co_await attempt(statements);
}

asio::awaitable<Rows> BatchSession::attempt(std::span<Statement const> statements)
{
    if (statements.front().sql.empty()) statements = statements.subspan(1); // sessions are not shared
    for (unsigned retries = 0;; ++retries) {
        std::exception_ptr failure;
        try {
            co_return co_await pipeline_->run(statements);
        } catch (std::exception const& error) {
            failure = std::current_exception();
            if (pipeline_->lost()) database_.report_lost(error.what());
        }
        if (pipeline_->lost()) throw unavailable();
        Fault const fault = fault_of(failure);
        if (fault == Fault::other) std::rethrow_exception(failure);
        if (fault == Fault::unavailable || retries == retry_limit) throw unavailable();
    }
}

} // namespace pg
