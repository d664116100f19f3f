#include "core/suspended.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

namespace core {

Suspended::Suspended(Handler handler)
    : handler_(std::move(handler)), executor_(asio::prefer(asio::get_associated_executor(handler_),
                                        asio::execution::outstanding_work.tracked))
{
}

/// Runs on the executor that all `callers` share.
struct Suspended::Continue {
    std::vector<Suspended> callers;
    std::size_t next = 0;

    void operator()()
    {
        while (next < callers.size()) {
            Suspended caller = std::move(callers[next++]);
            try {
                caller.handler_();
            } catch (...) {
                // An exception of one coroutine propagates out of the context's run(). The other coroutines
                // must still be resumed, so they are posted again.
                if (next < callers.size())
                    asio::post(asio::any_io_executor(caller.executor_), std::move(*this));
                throw;
            }
        }
    }
};

void Suspended::resume(Suspended caller)
{
    asio::any_io_executor const executor = caller.executor_;
    asio::post(executor, [caller = std::move(caller)]() mutable { caller.handler_(); });
}

void Suspended::resume(std::vector<Suspended> callers)
{
    std::vector<std::pair<asio::any_io_executor, Continue>> batches;
    for (Suspended& caller : callers) {
        auto const same = [&](auto const& batch) { return batch.first == caller.executor_; };
        auto batch = std::find_if(batches.begin(), batches.end(), same);
        if (batch == batches.end()) batch = batches.insert(batch, {caller.executor_, Continue{}});
        batch->second.callers.push_back(std::move(caller));
    }
    for (auto& [executor, batch] : batches)
        asio::post(executor, std::move(batch));
}

} // namespace core
