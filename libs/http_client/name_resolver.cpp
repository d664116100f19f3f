#include "http_client/name_resolver.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/time.h>

namespace http_client {

namespace {

using Steady = std::chrono::steady_clock;

constexpr int first_try_ms = 2'000;
constexpr int tries = 2; ///< per name server

/// Initialises c-ares once per process. Must be called before a channel is created.
void begin_library()
{
    static int const status = ares_library_init(ARES_LIB_INIT_ALL);
    if (status != ARES_SUCCESS) throw std::runtime_error("c-ares cannot be initialised");
}

struct FreeResult {
    void operator()(ares_addrinfo* result) const noexcept { ares_freeaddrinfo(result); }
};

std::vector<std::string> literals(ares_addrinfo const& result)
{
    std::vector<std::string> out;
    std::array<char, INET6_ADDRSTRLEN> text{};
    for (auto const* node = result.nodes; node != nullptr; node = node->ai_next) {
        void const* const address =
            node->ai_family == AF_INET
                ? static_cast<void const*>(&reinterpret_cast<sockaddr_in const*>(node->ai_addr)->sin_addr)
                : static_cast<void const*>(&reinterpret_cast<sockaddr_in6 const*>(node->ai_addr)->sin6_addr);
        if (inet_ntop(node->ai_family, address, text.data(), text.size()) == nullptr) continue;
        if (std::ranges::find(out, text.data()) == out.end()) out.emplace_back(text.data());
    }
    return out;
}

} // namespace

/// The context of one c-ares query. It is deleted when the answer comes.
struct NameResolver::Lookup {
    NameResolver& resolver;
    std::string host;
};

/// A pending query and its deadline.
struct NameResolver::Waiter {
    Waiter(boost::asio::io_context& io, Done d) : timer(io), done(std::move(d)) {}

    boost::asio::steady_timer timer;
    Done done; ///< empty after it was called

    void tell(Resolved const& result)
    {
        timer.cancel();
        if (auto const call = std::exchange(done, {})) call(result);
    }
};

NameResolver::NameResolver(boost::asio::io_context& io, SocketWatcher& watcher, std::string const& servers)
    : io_(io), watcher_(watcher), alarm_(io)
{
    begin_library();
    owner_ = watcher_.add_owner(
        [this](int socket, bool readable, bool writable) { process(socket, readable, writable); });
    ares_options options{};
    options.timeout = first_try_ms;
    options.tries = tries;
    options.sock_state_cb = &NameResolver::on_socket;
    options.sock_state_cb_data = this;
    int status =
        ares_init_options(&channel_, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
    if (status == ARES_SUCCESS && !servers.empty())
        status = ares_set_servers_ports_csv(channel_, servers.c_str());
    if (status == ARES_SUCCESS) return;
    if (channel_ != nullptr) ares_destroy(channel_);
    throw std::runtime_error(std::string("c-ares: ") + ares_strerror(status));
}

NameResolver::~NameResolver()
{
    ares_destroy(channel_); // ends pending queries with an error; `stop` has removed their waiters
}

void NameResolver::resolve(std::string const& host, std::chrono::milliseconds timeout, Done done)
{
    if (auto const known = known_.find(host)) {
        done(*known);
        return;
    }
    auto waiter = std::make_shared<Waiter>(io_, std::move(done));
    waiter->timer.expires_after(timeout);
    waiter->timer.async_wait([waiter](auto const& error) {
        if (!error) waiter->tell({.kind = Resolved::Kind::timeout, .addresses = {}});
    });
    auto const [it, is_first] = waiting_.try_emplace(host);
    it->second.push_back(std::move(waiter));
    if (is_first) begin(host);
}

void NameResolver::begin(std::string const& host)
{
    ares_addrinfo_hints hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): `on_answer` deletes it
    auto* const lookup = new Lookup{*this, host};
    ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, &NameResolver::on_answer, lookup);
    set_alarm();
}

void NameResolver::on_answer(void* argument, int status, int, ares_addrinfo* result)
{
    std::unique_ptr<Lookup> const lookup(static_cast<Lookup*>(argument));
    std::unique_ptr<ares_addrinfo, FreeResult> const owned(result);
    if (status == ARES_EDESTRUCTION) return;
    Resolved out;
    if (status == ARES_SUCCESS) out.addresses = literals(*result);
    if (!out.addresses.empty()) {
        out.kind = Resolved::Kind::found;
        lookup->resolver.known_.put(lookup->host, std::make_shared<Resolved const>(out));
    } else if (status == ARES_ETIMEOUT) {
        out.kind = Resolved::Kind::timeout;
    }
    lookup->resolver.answer(lookup->host, out);
}

void NameResolver::answer(std::string const& host, Resolved const& result)
{
    auto const node = waiting_.extract(host);
    if (node.empty()) return;
    for (auto const& waiter : node.mapped())
        waiter->tell(result);
}

void NameResolver::stop()
{
    for (auto const& [host, waiters] : std::exchange(waiting_, {}))
        for (auto const& waiter : waiters)
            waiter->tell({.kind = Resolved::Kind::timeout, .addresses = {}});
    alarm_.cancel();
}

void NameResolver::on_socket(void* argument, ares_socket_t socket, int readable, int writable)
{
    auto& self = *static_cast<NameResolver*>(argument);
    self.watcher_.watch(self.owner_, socket, readable != 0, writable != 0);
}

void NameResolver::process(int socket, bool readable, bool writable)
{
    ares_process_fd(channel_, readable ? socket : ARES_SOCKET_BAD, writable ? socket : ARES_SOCKET_BAD);
    set_alarm();
}

void NameResolver::set_alarm()
{
    timeval buffer{};
    timeval const* const next = ares_timeout(channel_, nullptr, &buffer);
    if (next == nullptr) {
        alarm_.cancel();
        return;
    }
    alarm_.expires_after(std::chrono::seconds(next->tv_sec) + std::chrono::microseconds(next->tv_usec));
    alarm_.async_wait([this](auto const& error) {
        if (!error) process(ARES_SOCKET_BAD, false, false);
    });
}

} // namespace http_client
