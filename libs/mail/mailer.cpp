#include "mail/mailer.hpp"

#include "core/fields.hpp"
#include "core/thread_pool.hpp"
#include "mail/dkim.hpp"
#include "mail/mime.hpp"

#include <atomic>
#include <exception>
#include <future>
#include <utility>

namespace mail {

namespace {

constexpr unsigned composing_threads = 2;
constexpr std::size_t max_composing = 500;                         ///< messages
constexpr std::size_t max_composing_bytes = std::size_t{64} << 20; ///< of these messages

std::size_t size_of(Message const& message)
{
    std::size_t size = message.subject.size();
    for (auto const* text : {&message.text, &message.html})
        size += *text ? (*text)->size() : 0;
    for (auto const& file : message.attachments)
        size += file.content.size();
    return size;
}

/// Calls `done` with the Message-ID in an accepted result.
Done with_id(std::string message_id, Done done)
{
    return [id = std::move(message_id), done = std::move(done)](SendResult result) {
        if (result.outcome == Outcome::accepted) result.message_id = id;
        done(std::move(result));
    };
}

} // namespace

class Mailer::Impl {
public:
    Impl(Mailbox shared, std::unique_ptr<Transport> transport)
        : shared_(std::move(shared)), transport_(std::move(transport))
    {
    }

    ~Impl() { ending_ = true; }

    Impl(Impl const&) = delete;
    Impl& operator=(Impl const&) = delete;

    /// Composes and signs on this thread, and passes the message to the transport.
    void deliver(Message const& message, std::stop_token stop, Done done)
    {
        Mailbox const& from = message.sender ? message.sender->from : shared_;
        // The Message-ID has the shared sender's domain. So a repeated message has the same id even if a
        // custom domain was verified or removed after the first attempt.
        std::string const message_id =
            message.id.to_string() + '@' + shared_.address.substr(shared_.address.rfind('@') + 1);
        auto composed = compose(message, from, message_id);
        if (!composed) return done({.outcome = Outcome::refused, .reason = "INVALID_HEADER"});
        if (message.sender) composed->insert(0, signer_.sign(*composed, message.sender->key));
        transport_->deliver({.id = message.id,
                                .from = from.address,
                                .to = message.to,
                                .message = std::move(*composed),
                                .tenant = message.tenant},
            std::move(stop), with_id(message_id, std::move(done)));
    }

    void deliver_later(Message message, std::stop_token stop, Done done)
    {
        std::size_t const size = size_of(message);
        bool const empty = composing_.fetch_add(1) == 0;
        bool const fits = bytes_.fetch_add(size) + size <= max_composing_bytes || empty;
        if (composing_ > max_composing || !fits) {
            leave(size);
            return done({.outcome = Outcome::transient, .reason = "BUSY"});
        }
        // Shared, because std::function needs a copyable callable.
        auto const waiting = std::make_shared<Message>(std::move(message));
        threads_.post([this, waiting, size, stop = std::move(stop), done = std::move(done)] {
            run(*waiting, stop, done);
            leave(size);
        });
    }

private:
    void run(Message const& message, std::stop_token const& stop, Done const& done)
    {
        if (ending_ || stop.stop_requested())
            return done({.outcome = Outcome::transient, .reason = "STOPPED"});
        try {
            deliver(message, stop, done);
        } catch (std::exception const& error) {
            done({.outcome = Outcome::transient,
                .reason = core::first_line(std::string("COMPOSE: ") + error.what(), max_reason)});
        }
    }

    void leave(std::size_t size) noexcept
    {
        --composing_;
        bytes_ -= size;
    }

    Mailbox const shared_;
    std::unique_ptr<Transport> const transport_;
    DkimSigner const signer_;
    std::atomic<std::size_t> composing_ = 0, bytes_ = 0;
    std::atomic<bool> ending_ = false;
    core::ThreadPool threads_{composing_threads}; ///< destroyed first: its work uses the other members
};

Mailer::Mailer(Mailbox shared, std::unique_ptr<Transport> transport)
    : impl_(std::make_unique<Impl>(std::move(shared), std::move(transport)))
{
}

Mailer::~Mailer() = default;

SendResult Mailer::send(Message const& message, std::stop_token const& stop)
{
    // Shared, because the thread that sets the value may still use the promise when this function returns.
    auto const result = std::make_shared<std::promise<SendResult>>();
    auto received = result->get_future();
    impl_->deliver(message, stop, [result](SendResult sent) { result->set_value(std::move(sent)); });
    return received.get();
}

void Mailer::send_async(Message message, std::stop_token stop, Done done)
{
    impl_->deliver_later(std::move(message), std::move(stop), std::move(done));
}

} // namespace mail
