#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace pg {

/// Handlers of a Listener. All handlers run on the Listener's thread. If a handler of a channel throws, the
/// connection is replaced, and `on_gap` is called.
struct ListenerHandlers {
    /// Maps a channel to the handler of its payloads.
    std::map<std::string, std::function<void(std::string const& payload)>> channels;
    /// Called each time a connection has been made, before `live()` becomes true. Notifications may have been
    /// missed before, so a cache should drop its entries.
    std::function<void()> on_gap = [] {};
    /// Called with true when the server becomes silent, that is, when a heartbeat has been unanswered for 2
    /// s. Called with false when the server answers again, even with an error. Use it to call
    /// Database::set_silent.
    std::function<void(bool silent)> on_silence = [](bool) {};
};

/// Runs LISTEN on its own connection and thread. It sends a heartbeat every 300 ms. `live()` becomes false
/// when a heartbeat has been unanswered for 900 ms, so a cache that relies on `live()` is never stale for
/// longer than a second. A lost connection is replaced in the background, with retries until one is made.
class Listener {
public:
    /// Throws std::invalid_argument for a malformed url.
    Listener(std::string const& url, ListenerHandlers handlers);

    Listener(std::string const& url,
        std::map<std::string, std::function<void(std::string const& payload)>> channels,
        std::function<void()> on_gap)
        : Listener(url, ListenerHandlers{std::move(channels), std::move(on_gap)})
    {
    }

    ~Listener();

    /// Whether every notification sent until 900 ms ago has been handled. Thread-safe.
    bool live() const noexcept;

    /// Ends the thread. No handler runs after this has returned. Waits for a connection attempt in progress
    /// (at most `connect_timeout` per address). Must not be called from a handler.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace pg
