#include "providers/push_channel.hpp"

#include "http2_client/retry_after.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds longest_hold = 1h;

http::h2::ClientOptions client_options(Origin const& origin, PushOptions const& options)
{
    return {.host = origin.host,
        .port = origin.port,
        .tls = origin.tls,
        .max_connections = options.max_connections,
        .answer_timeout = options.answer_timeout};
}

} // namespace

/// A push in flight.
class PushChannel::Slot final : public http::h2::Exchange, public PushQueue::Sent {
public:
    explicit Slot(PushChannel& channel) : channel_(channel) {}

    void header(std::string_view name, std::string_view value) noexcept override
    {
        if (name == "retry-after")
            letter.retry_after = http::parse_retry_after(value, channel_.deps_.clock.now());
    }

    void ended(http::h2::End end) noexcept override { channel_.ended(*this, end); }

    void forsaken() noexcept override
    {
        push_ = batch().push;
        letter.space.assign(body[1]);
        body[1] = letter.space;
    }

    Letter letter;

private:
    PushChannel& channel_;
    SharedPush push_; ///< keeps the memory valid that `body` refers to, after the batch is gone
};

PushChannel::PushChannel(std::shared_ptr<Carrier> carrier, Deps deps, PushQueue::Finished finished)
    : deps_(std::move(deps)), carrier_(std::move(carrier)), finished_(std::move(finished)), queue_(finished_),
      client_(deps_.executor, deps_.context, client_options(carrier_->origin(), deps_.options), *this)
{
}

PushChannel::~PushChannel()
{
    queue_.stop();
}

void PushChannel::add(std::unique_ptr<PushBatch> batch)
{
    used_ = Steady::now();
    update(used_);
    auto refusal = carrier_->refusal();
    if (!carrier_->fits(*batch->push)) {
        answer_all(*batch, push_answer(Verdict::refused, std::string(push_reasons::too_large)));
        finished_(std::move(batch));
    } else if (refusal) {
        answer_all(*batch, {*std::move(refusal), {}});
        finished_(std::move(batch));
    } else {
        queue_.add(std::move(batch));
        client_.wake();
    }
}

void PushChannel::authorization_changed()
{
    if (auto refusal = carrier_->refusal()) queue_.drop({*std::move(refusal), {}});
    update(Steady::now());
    client_.wake();
}

/// Refreshes the access token if it is due, and updates `open_`.
void PushChannel::update(Steady::time_point now)
{
    carrier_->refresh();
    open_ = carrier_->authorized() && now >= held_until_;
}

void PushChannel::tick(Steady::time_point now)
{
    if (!queue_.empty()) {
        used_ = now;
        update(now);
        if (now < held_until_) held_.retry_after = std::chrono::ceil<std::chrono::seconds>(held_until_ - now);
        queue_.sweep(now, held_until_, held_);
    }
    client_.tick(now);
}

bool PushChannel::idle() const noexcept
{
    return queue_.empty() && client_.in_flight() == 0;
}

http::h2::Source::Request PushChannel::next(bool urgent_only) noexcept
{
    if (!open_ || !queue_.waiting()) return {};
    if (free_.empty()) free_.push_back(&slots_.emplace_back(*this));
    Slot& slot = *free_.back();
    if (!queue_.take(urgent_only, slot)) return {};
    free_.pop_back();
    slot.letter.retry_after.reset();
    slot.letter.keep_id = slot.batch().keep_provider_ids;
    auto const headers = carrier_->write(*slot.batch().push, slot.target(), slot.letter);
    slot.body = slot.letter.body;
    return {&slot, headers};
}

bool PushChannel::waiting() const noexcept
{
    return open_ && queue_.waiting();
}

void PushChannel::unreachable(std::string_view detail) noexcept
{
    deps_.logger.warn("cannot reach a push server", {{"host", carrier_->origin().host}, {"detail", detail}});
    queue_.drop(push_answer(Verdict::transient, std::string(push_reasons::connect)));
}

void PushChannel::disconnected(std::string_view detail) noexcept
{
    deps_.logger.info(
        "the connection to a push server ended", {{"host", carrier_->origin().host}, {"detail", detail}});
}

void PushChannel::ended(Slot& slot, http::h2::End end)
{
    if (slot.awaited()) {
        switch (end) {
        case http::h2::End::answered:
            read(slot);
            break;
        case http::h2::End::refused:
            queue_.refused(slot);
            client_.wake();
            break;
        case http::h2::End::lost:
            queue_.answer(slot, push_answer(Verdict::transient, std::string(push_reasons::lost)));
            break;
        case http::h2::End::timeout:
            queue_.answer(slot, push_answer(Verdict::transient, std::string(push_reasons::timeout)));
            break;
        }
    }
    free_.push_back(&slot);
}

void PushChannel::read(Slot& slot)
{
    auto read = carrier_->read(slot.letter, slot.status, slot.answer);
    if (read.stale && !slot.renewed() && carrier_->renew(slot.letter.authorization)) {
        update(Steady::now());
        queue_.renew(slot);
        return client_.wake();
    }
    if (read.hold) hold(read.answer);
    queue_.answer(slot, std::move(read.answer));
}

void PushChannel::hold(PushAnswer const& answer)
{
    auto const until = Steady::now() + std::min(answer.retry_after.value_or(0s), longest_hold);
    if (until <= held_until_) return;
    held_until_ = until;
    held_ = push_answer(Verdict::throttled, answer.reason);
    open_ = false;
}

} // namespace notify
