#include "providers/dns.hpp"

#include "core/wait.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <ares.h>
#include <charconv>
#include <map>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string_view>
#include <sys/time.h>
#include <utility>

namespace notify {

namespace {

using Steady = std::chrono::steady_clock;

constexpr int datagram_size = 1232; // a datagram of this size is not fragmented (DNS flag day 2020)

/// Initialises c-ares once per process, before the first channel.
void begin_library()
{
    static int const status = ares_library_init(ARES_LIB_INIT_ALL);
    if (status != ARES_SUCCESS) throw std::runtime_error("cannot initialise c-ares");
}

// --- answers ---------------------------------------------------------------------------------------------

TxtAnswer failed(int status)
{
    return {.kind = TxtAnswer::Kind::failed,
        .reason = status == ARES_ECANCELLED ? "no answer in time" : ares_strerror(status)};
}

struct FreeData {
    void operator()(ares_txt_ext* list) const noexcept { ares_free_data(list); }
};

/// The TXT records of a message. The strings of one record are joined (RFC 7208, 3.3; RFC 6376, 3.6.2.2).
TxtAnswer read_answer(int status, unsigned char const* message, int size)
{
    ares_txt_ext* parsed = nullptr;
    if (status == ARES_SUCCESS) status = ares_parse_txt_reply_ext(message, size, &parsed);
    std::unique_ptr<ares_txt_ext, FreeData> const strings(parsed);
    if (status == ARES_ENODATA || status == ARES_ENOTFOUND) return {.kind = TxtAnswer::Kind::none};
    if (status != ARES_SUCCESS) return failed(status);
    TxtAnswer answer{.kind = TxtAnswer::Kind::found};
    for (auto const* string = strings.get(); string != nullptr; string = string->next) {
        if (string->record_start != 0 || answer.texts.empty()) answer.texts.emplace_back();
        answer.texts.back().append(reinterpret_cast<char const*>(string->txt), string->length);
    }
    return answer;
}

// --- one call --------------------------------------------------------------------------------------------

/// A c-ares channel whose sockets are watched by an executor. Used by one thread.
class Lookup : public std::enable_shared_from_this<Lookup> {
public:
    Lookup(asio::any_io_executor executor, DnsOptions const& options, std::size_t questions)
        : executor_(executor), alarm_(executor), deadline_(Steady::now() + options.total_timeout),
          pending_(questions), answers_(questions)
    {
        open(options);
    }

    ~Lookup() { close(); }

    Lookup(Lookup const&) = delete;
    Lookup& operator=(Lookup const&) = delete;

    void ask(std::vector<std::string> const& names)
    {
        questions_.reserve(names.size()); // the elements must not move, because c-ares keeps their addresses
        for (std::size_t i = 0; i < names.size(); ++i) {
            questions_.push_back({this, i});
            ares_query(
                channel_, names[i].c_str(), class_internet, type_txt, &Lookup::on_answer, &questions_[i]);
        }
    }

    bool done() const noexcept { return pending_ == 0; }

    /// Waits until all queries are answered, or until c-ares has to check its time-outs.
    asio::awaitable<void> wait()
    {
        alarm_.expires_at(std::min(deadline_, Steady::now() + until_next_timeout()));
        co_await alarm_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (done()) co_return;
        if (Steady::now() >= deadline_)
            ares_cancel(channel_);
        else
            ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    }

    /// Destroys the channel. After this call, c-ares calls no callback.
    void close() noexcept
    {
        if (channel_ == nullptr) return;
        ares_destroy(std::exchange(channel_, nullptr)); // which closes every socket
    }

    std::vector<TxtAnswer> answers() && { return std::move(answers_); }

private:
    static constexpr int class_internet = 1, type_txt = 16; // RFC 1035, 3.2

    struct Question {
        Lookup* lookup;
        std::size_t place;
    };

    /// A socket that c-ares opens and closes itself.
    struct Socket {
        explicit Socket(asio::any_io_executor const& executor) : descriptor(executor) {}

        asio::posix::stream_descriptor descriptor;
        bool wants_read = false, wants_write = false;
        bool reading = false, writing = false; ///< a wait is in progress
    };

    void open(DnsOptions const& options)
    {
        begin_library();
        ares_options o{};
        o.flags = ARES_FLAG_EDNS;
        o.ednspsz = datagram_size;
        o.timeout = static_cast<int>(options.timeout.count());
        o.tries = static_cast<int>(options.tries);
        o.sock_state_cb = &Lookup::on_socket;
        o.sock_state_cb_data = this;
        int status = ares_init_options(&channel_, &o,
            ARES_OPT_FLAGS | ARES_OPT_EDNSPSZ | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
        if (status == ARES_SUCCESS && !options.servers.empty())
            status = ares_set_servers_ports_csv(channel_, options.servers.c_str());
        if (status == ARES_SUCCESS) return;
        close();
        throw std::runtime_error(std::string("c-ares: ") + ares_strerror(status));
    }

    static void on_answer(void* context, int status, int /*timeouts*/, unsigned char* message, int size)
    {
        auto const& question = *static_cast<Question*>(context);
        Lookup& self = *question.lookup;
        if (status == ARES_EDESTRUCTION) return;
        self.answers_[question.place] = read_answer(status, message, size);
        if (--self.pending_ == 0) self.alarm_.cancel();
    }

    static void on_socket(void* context, ares_socket_t fd, int readable, int writable)
    {
        auto& self = *static_cast<Lookup*>(context);
        if (readable == 0 && writable == 0) return self.forget(fd); // c-ares is about to close the socket
        auto& socket = self.sockets_[fd];
        if (!socket) {
            socket = std::make_shared<Socket>(self.executor_);
            boost::system::error_code unwatched; // if `assign` fails, the query times out
            socket->descriptor.assign(fd, unwatched);
        }
        socket->wants_read = readable != 0;
        socket->wants_write = writable != 0;
        if (self.channel_ != nullptr) self.watch(fd, socket);
    }

    /// Ends the waits for a socket, because c-ares is about to close the socket.
    void forget(ares_socket_t fd)
    {
        auto const found = sockets_.find(fd);
        if (found == sockets_.end()) return;
        if (found->second->descriptor.is_open()) found->second->descriptor.release();
        sockets_.erase(found);
    }

    void watch(ares_socket_t fd, std::shared_ptr<Socket> const& socket)
    {
        auto const wait = [&](asio::posix::descriptor_base::wait_type what, bool Socket::* under_way) {
            (*socket).*under_way = true;
            socket->descriptor.async_wait(what,
                [self = shared_from_this(), fd, socket, what, under_way](boost::system::error_code failure) {
                    (*socket).*under_way = false;
                    if (!failure) self->process(fd, socket, what);
                });
        };
        if (!socket->descriptor.is_open()) return;
        if (socket->wants_read && !socket->reading)
            wait(asio::posix::descriptor_base::wait_read, &Socket::reading);
        if (socket->wants_write && !socket->writing)
            wait(asio::posix::descriptor_base::wait_write, &Socket::writing);
    }

    void process(
        ares_socket_t fd, std::shared_ptr<Socket> const& socket, asio::posix::descriptor_base::wait_type what)
    {
        auto const is_current = [&] {
            auto const found = sockets_.find(fd);
            return found != sockets_.end() && found->second == socket;
        };
        if (channel_ == nullptr || !is_current()) return; // the descriptor may now belong to another socket
        bool const read = what == asio::posix::descriptor_base::wait_read;
        ares_process_fd(channel_, read ? fd : ARES_SOCKET_BAD, read ? ARES_SOCKET_BAD : fd);
        if (is_current()) watch(fd, socket);
    }

    Steady::duration until_next_timeout() const
    {
        timeval most{.tv_sec = 1, .tv_usec = 0}, next{};
        ares_timeout(channel_, &most, &next);
        return std::chrono::seconds(next.tv_sec) + std::chrono::microseconds(next.tv_usec);
    }

    asio::any_io_executor const executor_;
    asio::steady_timer alarm_;
    Steady::time_point const deadline_;
    std::size_t pending_;
    std::vector<TxtAnswer> answers_;
    std::vector<Question> questions_;
    std::map<ares_socket_t, std::shared_ptr<Socket>> sockets_;
    ares_channel channel_ = nullptr;
};

/// Closes a lookup when its coroutine ends, even by cancellation.
struct Closing {
    explicit Closing(Lookup& l) : lookup(l) {}

    ~Closing() { lookup.close(); }

    Closing(Closing const&) = delete;
    Closing& operator=(Closing const&) = delete;

    Lookup& lookup;
};

bool is_port(std::string_view text)
{
    unsigned port = 0;
    auto const [last, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
    return failure == std::errc() && last == text.data() + text.size() && port > 0 && port <= 65'535;
}

/// Whether `text` is an IP address with or without a port: `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1`,
/// `[2001:db8::1]:53`.
bool is_server(std::string_view text)
{
    bool const bracketed = text.starts_with('[');
    bool const has_port = bracketed || std::ranges::count(text, ':') == 1;
    auto const end = has_port ? text.rfind(bracketed ? ']' : ':') : text.size();
    if (end == std::string_view::npos) return false;
    auto const host = text.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0));
    auto rest = text.substr(end);
    if (bracketed) rest.remove_prefix(1);
    boost::system::error_code malformed;
    asio::ip::make_address(std::string(host), malformed);
    return !malformed && (rest.empty() || (rest.starts_with(':') && is_port(rest.substr(1))));
}

} // namespace

Dns::Dns(DnsOptions options) : options_(std::move(options)) {}

bool Dns::are_servers(std::string const& servers)
{
    return std::ranges::all_of(std::views::split(servers, ','),
        [](auto const& part) { return is_server(std::string_view(part.begin(), part.end())); });
}

asio::awaitable<std::vector<TxtAnswer>> Dns::txt(std::vector<std::string> names) const
{
    auto const executor = co_await asio::this_coro::executor;
    auto const lookup = std::make_shared<Lookup>(executor, options_, names.size());
    Closing const at_end(*lookup);
    lookup->ask(names);
    while (!lookup->done())
        co_await lookup->wait();
    co_return std::move(*lookup).answers();
}

std::vector<TxtAnswer> Dns::txt_blocking(std::vector<std::string> names) const
{
    return core::wait(txt(std::move(names)));
}

} // namespace notify
