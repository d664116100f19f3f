#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pg {
class Database;
}

namespace auth {

namespace asio = boost::asio;

/// How long the access tokens of an erased user are refused: the lifetime of a token (15 minutes), with a
/// reserve for clocks that differ.
inline constexpr std::chrono::minutes refusal_time{16};

struct ErasedUsersOptions {
    /// Maximum number of erased users in memory (about 100 bytes each). If more users were erased within the
    /// lifetime of an access token, the database is queried for each token.
    std::size_t capacity = 200'000;
};

/// The users whose access tokens are refused because their account was deleted. The tokens are refused until
/// the last one has expired.
///
/// All these users are kept in memory, so a request costs no query. The memory is used only while `live()`
/// says that notifications of erasures arrive (see `on_notify`). Otherwise the database is queried.
/// Thread-safe.
class ErasedUsers {
public:
    /// The channel of the notifications for `on_notify`.
    static constexpr char const* channel = "erased_users";

    /// `live` returns whether the listener receives notifications now (pg::Listener::live). It must be cheap
    /// and thread-safe. `database` and `clock` must outlive this object.
    ErasedUsers(pg::Database& database, core::Clock const& clock, std::function<bool()> live,
        ErasedUsersOptions options = {});
    ~ErasedUsers();
    ErasedUsers(ErasedUsers const&) = delete;
    ErasedUsers& operator=(ErasedUsers const&) = delete;

    /// Whether the user's tokens are refused now. nullopt: the memory does not tell, call `contains`.
    std::optional<bool> check(core::ScopeId scope_id, std::string_view user_id);

    /// Whether the user's tokens are refused now. Concurrent look-ups are sent to the database as one batch.
    /// Throws UNAVAILABLE if the database is down.
    asio::awaitable<bool> contains(core::ScopeId scope_id, std::string_view user_id);

    /// Handles a notification on `channel`. `payload` is the hash of the user in hex.
    void on_notify(std::string const& payload);
    /// Handles a possible loss of notifications: the users are read from the database again. For the
    /// listener's `on_gap`.
    void on_gap();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace auth
