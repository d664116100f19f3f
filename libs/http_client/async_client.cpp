#include "http_client/async_client.hpp"

#include "http_client/curl_handles.hpp"
#include "http_client/name_resolver.hpp"
#include "http_client/socket_watcher.hpp"
#include "http_client/transfer.hpp"
#include "http_client/url.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <unordered_map>
#include <utility>

namespace http_client {

namespace {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;

constexpr std::size_t idle_handles = 256;
constexpr long receive_buffer = 4'096; ///< bytes per transfer; small, because there are many transfers
constexpr long dns_entry_seconds = 5;  ///< how long libcurl caches the addresses of CURLOPT_RESOLVE

struct FreeMulti {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
};

using CurlMulti = std::unique_ptr<CURLM, FreeMulti>;

std::string bracketed(std::string const& literal)
{
    return literal.find(':') == std::string::npos ? literal : '[' + literal + ']';
}

/// The entries for CURLOPT_RESOLVE: the host name with and without a dot at its end, because the URL may
/// contain either form.
CurlList entries_of(Url const& url, std::vector<std::string> const& addresses)
{
    std::string list;
    for (auto const& address : addresses)
        list += (list.empty() ? "" : ",") + bracketed(address);
    std::string host = url.host;
    if (host.ends_with('.')) host.pop_back();
    std::string const rest = ':' + std::to_string(url.port) + ':' + list;
    CurlList out;
    append(out, '+' + host + rest);
    append(out, '+' + host + '.' + rest);
    return out;
}

Error failure_of(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (Error const& e) {
        return e;
    } catch (std::exception const& e) {
        return {Error::Kind::protocol, e.what(), false};
    }
}

} // namespace

struct AsyncClient::Impl {
    /// The state of one request, from the call of `send` to the call of `done`. Used on the client's thread
    /// only.
    struct Flight {
        Flight(Request r, Done d) : request(std::move(r)), done(std::move(d)) {}

        Request request;
        Done done;
        Url url;
        Steady::time_point begun = Steady::now();
        CurlHandle handle;
        std::optional<Transfer> transfer;
        bool added = false; ///< libcurl processes the request
        std::optional<std::stop_callback<std::function<void()>>> on_stop;
        std::optional<asio::steady_timer> stop_grace;
    };

    using Id = std::uint64_t;

    Impl(ClientOptions o, std::string const& dns_servers)
        : options(std::move(o)), handles(idle_handles), io(1), work(io.get_executor()), watcher(io),
          resolver(io, watcher, dns_servers), timer(io), multi(curl_multi_init())
    {
        if (!multi) throw std::bad_alloc();
        owner = watcher.add_owner([this](int socket, bool readable, bool writable) {
            act(socket, (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0));
        });
        curl_multi_setopt(multi.get(), CURLMOPT_SOCKETFUNCTION, &Impl::on_socket);
        curl_multi_setopt(multi.get(), CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi.get(), CURLMOPT_TIMERFUNCTION, &Impl::on_timer);
        curl_multi_setopt(multi.get(), CURLMOPT_TIMERDATA, this);
        curl_multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, max_idle_connections);
        curl_multi_setopt(multi.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
        thread = std::thread([this] {
            PipeSignalGuard const guard;
            io.run();
        });
    }

    // --- the steps of a request ----------------------------------------------------------------------------

    void begin(Request&& request, Done&& done)
    {
        Id const id = next_id++;
        auto& flight = flights.try_emplace(id, std::move(request), std::move(done)).first->second;
        auto url = parse_url(flight.request.url);
        if (!url) {
            end(id, Error(Error::Kind::protocol, "the URL is not an http or https URL", false));
            return;
        }
        flight.url = std::move(*url);
        if (closed) {
            end(id, Error(Error::Kind::stopped, "the client is stopped", false));
            return;
        }
        // The callback may run on the thread that requests the stop.
        flight.on_stop.emplace(
            flight.request.stop, [this, id] { asio::post(io, [this, id] { end_after_grace(id); }); });
        if (is_address_literal(flight.url.host)) {
            start(id, {});
            return;
        }
        // c-ares recognises `localhost` only without a final dot.
        resolver.resolve(flight.url.host == "localhost." ? "localhost" : flight.url.host,
            std::min(flight.request.timeout, flight.request.connect_timeout),
            [this, id](Resolved const& resolved) { on_resolved(id, resolved); });
    }

    void on_resolved(Id id, Resolved const& resolved)
    {
        using Kind = Error::Kind;
        if (!flights.contains(id)) return;
        switch (resolved.kind) {
        case Resolved::Kind::found:
            start(id, resolved.addresses);
            return;
        case Resolved::Kind::timeout:
            end(id, Error(Kind::timeout, "the host name was not resolved in time", false));
            return;
        case Resolved::Kind::unknown:
            break;
        }
        end(id, Error(Kind::dns, "the host name has no address", false));
    }

    void start(Id id, std::vector<std::string> const& addresses)
    {
        auto& flight = flights.at(id);
        try {
            flight.handle = handles.take();
            CURL* const handle = flight.handle.get();
            flight.transfer.emplace(handle, flight.request, options);
            set_multi_options(handle, id);
            if (!addresses.empty()) {
                auto const spent =
                    std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - flight.begun);
                flight.transfer->resolve_to(
                    entries_of(flight.url, addresses), flight.request.timeout - spent);
            }
            if (curl_multi_add_handle(multi.get(), handle) != CURLM_OK) throw std::bad_alloc();
            flight.added = true;
        } catch (...) {
            end(id, failure_of(std::current_exception()));
        }
    }

    /// Sets the options that differ from those of a blocking request.
    static void set_multi_options(CURL* handle, Id id)
    {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): libcurl only stores the number
        curl_easy_setopt(handle, CURLOPT_PRIVATE, reinterpret_cast<void*>(id));
        curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
        curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, receive_buffer);
        curl_easy_setopt(handle, CURLOPT_DNS_CACHE_TIMEOUT, dns_entry_seconds);
        // libcurl shares the parsed root certificates among all transfers only if no folder of certificates
        // (CAPATH) is set.
        char const* bundle = nullptr;
        curl_easy_getinfo(handle, CURLINFO_CAINFO, &bundle);
        if (bundle != nullptr) curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
    }

    void end_after_grace(Id id)
    {
        auto const it = flights.find(id);
        if (it == flights.end()) return;
        auto& timer_of = it->second.stop_grace.emplace(io);
        timer_of.expires_after(it->second.request.stop_grace);
        timer_of.async_wait([this, id](auto const& error) {
            if (!error) stop_now(id);
        });
    }

    void stop_now(Id id)
    {
        auto const it = flights.find(id);
        if (it == flights.end()) return;
        if (!it->second.transfer) {
            end(id, Error(Error::Kind::stopped, "the request was stopped", false));
            return;
        }
        it->second.transfer->mark_stopped();
        finish(id, CURLE_ABORTED_BY_CALLBACK);
    }

    void finish(Id id, CURLcode code) { end(id, result_of(flights.at(id), code)); }

    static Result result_of(Flight& flight, CURLcode code)
    {
        try {
            return flight.transfer->finish(code);
        } catch (...) {
            return failure_of(std::current_exception());
        }
    }

    void end(Id id, Result result)
    {
        auto node = flights.extract(id);
        auto& flight = node.mapped();
        flight.stop_grace.reset();
        flight.on_stop.reset();
        if (flight.added) curl_multi_remove_handle(multi.get(), flight.handle.get());
        flight.transfer.reset();
        if (flight.handle) handles.put_back(std::move(flight.handle));
        --count;
        flight.done(std::move(result));
    }

    // --- libcurl's events ----------------------------------------------------------------------------------

    static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*)
    {
        auto& impl = *static_cast<Impl*>(self);
        bool const in = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
        bool const out = what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
        impl.watcher.watch(impl.owner, socket, in, out);
        return 0;
    }

    static int on_timer(CURLM*, long milliseconds, void* self)
    {
        auto& impl = *static_cast<Impl*>(self);
        if (milliseconds < 0) {
            impl.timer.cancel();
            return 0;
        }
        impl.timer.expires_after(std::chrono::milliseconds(milliseconds));
        impl.timer.async_wait([&impl](auto const& error) {
            if (!error) impl.act(CURL_SOCKET_TIMEOUT, 0);
        });
        return 0;
    }

    void act(curl_socket_t socket, int events)
    {
        int running = 0;
        curl_multi_socket_action(multi.get(), socket, events, &running);
        int left = 0;
        while (CURLMsg const* message = curl_multi_info_read(multi.get(), &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            void* id = nullptr;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &id);
            finish(reinterpret_cast<Id>(id), message->data.result);
        }
    }

    // --- shutdown ------------------------------------------------------------------------------------------

    void close()
    {
        closed = true;
        while (!flights.empty())
            stop_now(flights.begin()->first);
        resolver.stop();
        timer.cancel();
        watcher.stop();
        work.reset();
    }

    void stop() noexcept
    {
        std::call_once(joined, [this] {
            asio::post(io, [this] { close(); });
            thread.join();
        });
    }

    ClientOptions const options;
    std::atomic<std::size_t> count{0};
    CurlHandles handles;
    asio::io_context io;
    asio::executor_work_guard<asio::io_context::executor_type> work;
    SocketWatcher watcher;
    SocketWatcher::Owner owner = 0;
    NameResolver resolver;
    asio::steady_timer timer;
    std::unordered_map<Id, Flight> flights;
    CurlMulti multi; ///< destroyed after the handles of `flights`
    Id next_id = 1;
    bool closed = false;
    std::once_flag joined;
    std::thread thread;
};

AsyncClient::AsyncClient(ClientOptions options, std::string const& dns_servers)
    : impl_(std::make_unique<Impl>(std::move(options), dns_servers))
{
}

AsyncClient::~AsyncClient()
{
    stop();
}

void AsyncClient::send(Request request, Done done)
{
    ++impl_->count;
    asio::post(
        impl_->io, [impl = impl_.get(), request = std::move(request), done = std::move(done)]() mutable {
            impl->begin(std::move(request), std::move(done));
        });
}

std::size_t AsyncClient::in_flight() const noexcept
{
    return impl_->count;
}

void AsyncClient::stop() noexcept
{
    impl_->stop();
}

AddressPolicy const& AsyncClient::addresses() const noexcept
{
    return impl_->options.addresses;
}

} // namespace http_client
