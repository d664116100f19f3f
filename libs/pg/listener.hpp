#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace pg {

/// What a Listener calls. All run on its thread. One that throws counts as a gap.
struct ListenerHandlers {
    /// Channel to what is done with each payload.
    std::map<std::string, std::function<void(std::string const& payload)>> channels;
    /// Notifications may have been missed: each time a connection has been made, before `live()` turns true.
    std::function<void()> on_gap = [] {};
    /// The server is silent: a heartbeat has gone unanswered for 2 s. Told again with false once it answers,
    /// be it with an error. For Database::set_silent.
    std::function<void(bool silent)> on_silence = [](bool) {};
};

/// LISTEN on a connection and thread of its own. `live()` is false from the moment a heartbeat (every 300 ms)
/// has gone unanswered for 900 ms, so a cache that trusts it is never stale for longer than a second. The
/// connection is remade in the background for as long as it takes.
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

    /// Whether every notification sent until 900 ms ago has been handled. From any thread.
    bool live() const noexcept;

    /// Ends the thread; no handler runs once this has returned. Waits for a connection that is being made:
    /// `connect_timeout` for each address. Not from a handler.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace pg
