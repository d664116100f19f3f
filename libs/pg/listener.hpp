#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace pg {

/// LISTEN on a connection and thread of its own. `live()` is false from the moment a heartbeat (every 300 ms)
/// has gone unanswered for 900 ms, so a cache that trusts it is never stale for longer than a second. The
/// connection is remade in the background for as long as it takes.
class Listener {
public:
    /// `handlers`: channel to what is done with each payload. `on_gap` runs whenever notifications may have
    /// been missed: each time a connection has been made, before `live()` turns true. Both run on the
    /// listener's thread; one that throws counts as a gap. Throws std::invalid_argument for a malformed url.
    Listener(std::string const& url,
        std::map<std::string, std::function<void(std::string const& payload)>> handlers,
        std::function<void()> on_gap);
    ~Listener();

    /// Whether every notification sent until 900 ms ago has been handled. From any thread.
    bool live() const noexcept;

    /// Ends the thread; no handler runs once this has returned. Not from a handler.
    void stop();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace pg
