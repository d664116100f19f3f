#pragma once
// Internal to the SMTP client: the messages that wait for a connection.

#include "core/fair_queue.hpp"
#include "core/shares.hpp"
#include "mail/mailer.hpp"
#include "mail/smtp_stream.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace mail {

class SmtpConnection;

/// A message without a result.
struct SmtpJob {
    Envelope envelope;
    std::stop_token stop;
    Done done; ///< null when the message has its result
    SteadyTime start_by{}, deadline{};
    std::optional<std::stop_callback<std::function<void()>>> on_stop{};
    SmtpConnection* connection = nullptr; ///< the connection that sends it

    bool ended() const noexcept { return done == nullptr; }
};

using SmtpJobPtr = std::shared_ptr<SmtpJob>;

/// Decides which waiting message is sent next. Tenants take turns. A tenant may use at most four fifths of
/// the connections (core::Shares). A single connection is not shared. Does no I/O. Not thread-safe.
class SmtpQueue {
public:
    explicit SmtpQueue(std::size_t connections) : sending_(connections, 4, 1) {}

    void push(SmtpJobPtr job);

    /// Takes the next message whose tenant may use a further connection out of the queue. Returns null if
    /// there is none. `give_back` must follow.
    SmtpJobPtr next();

    /// A message that `next` returned has ended.
    void give_back(core::TenantId tenant) { sending_.give_back(tenant); }

    /// Takes the messages that must start by `now` or earlier out of the queue.
    std::vector<SmtpJobPtr> take_late(SteadyTime now);

    /// Takes all messages out of the queue.
    std::vector<SmtpJobPtr> take_all() { return take_late(SteadyTime::max()); }

    /// Call this function after a waiting message has ended. It leaves the queue when it is the first of its
    /// tenant.
    void forget_ended();

    std::size_t size() const noexcept { return waiting_.size(); }

    bool empty() const noexcept { return waiting_.size() == 0; }

    /// How many connections the waiting messages can use now, at most.
    std::size_t usable() const;

private:
    core::FairQueue<SmtpJobPtr> waiting_;
    core::Shares<core::TenantId> sending_; ///< connections that send a message
};

} // namespace mail
