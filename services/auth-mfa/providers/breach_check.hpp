#pragma once

#include "core/fair_queue.hpp"
#include "core/scope.hpp"
#include "core/secret.hpp"
#include "core/shares.hpp"
#include "http_client/address.hpp"
#include "observe/log.hpp"
#include "observe/log_limit.hpp"
#include "observe/metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace http_client {
class AsyncClient;
}

namespace auth_mfa {

namespace asio = boost::asio;

/// Looks up new passwords in a list of passwords from data breaches, through the range search of the Pwned
/// Passwords API or a server with the same protocol. The server gets the first 5 of the 40 hexadecimal digits
/// of the password's SHA-1 hash, and answers with all hashes that begin with them. It does not learn which
/// one was looked up, and the padding of the response hides it from others. Thread-safe.
///
/// A lookup that fails counts as not found, so that an outage of the server does not stop registrations. A
/// lookup takes at most one second. At most 64 run at once: one tenant has at most half of them, and each of
/// its scopes three quarters of that. A lookup beyond these limits fails at once. The metric
/// `tetrad_breach_checks_total` counts the results.
class BreachCheck {
public:
    /// `url`: BREACH_API_URL, the base URL, to which `/range/{prefix}` is appended. If it is empty, there are
    /// no lookups. `addresses`: the addresses that the server may have. `ca_file`: see
    /// http_client::ClientOptions. `logger` and `metrics` must outlive this object.
    BreachCheck(std::string url, http_client::AddressPolicy addresses, std::string ca_file,
        observe::Logger& logger, observe::Metrics& metrics);
    ~BreachCheck();
    BreachCheck(BreachCheck const&) = delete;
    BreachCheck& operator=(BreachCheck const&) = delete;

    /// Whether there are lookups.
    bool is_on() const noexcept { return client_ != nullptr; }

    /// Whether the list contains the password. False if it is not known, or if there are no lookups.
    asio::awaitable<bool> is_breached(core::ScopeId scope_id, core::Secret const& password);

private:
    enum class Result : std::uint8_t { clear, breached, failed };

    asio::awaitable<Result> look_up(core::ScopeId scope_id, core::Secret const& password);
    Result failed(std::string const& reason);

    std::string const url_;
    observe::Logger& logger_;
    observe::LogLimit failures_logged_;
    std::array<prometheus::Counter*, 3> results_; ///< by Result
    std::mutex mutex_;
    core::OwnerShares running_;
    std::unique_ptr<http_client::AsyncClient> client_; ///< null if there are no lookups
};

} // namespace auth_mfa
