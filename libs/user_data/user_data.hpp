#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "jobs/worker.hpp"
#include "pg/tx.hpp"
#include "user_data/export.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace crypto {
class Keyring;
}

namespace pg {
class Database;
}

/// Erases and exports the data of one user in one environment. Each service adds the steps and the parts for
/// its own tables. The tables of libraries are included.
namespace user_data {

namespace asio = boost::asio;

/// The queue of the second erasure of a user whose account was deleted (auth::erased_user_rows).
inline constexpr char const* sweep_queue = "users.sweep";

/// The longest id of a user, in characters.
inline constexpr std::size_t max_user_id = 255;

struct Erasure {
    core::Scope scope;
    core::UserId user_id;
    core::UserId pseudonym; ///< `deleted:<uuid>`: replaces the user's id where a row must stay
    /// Whether the user's threads and replies stay, with the pseudonym (`?mode=anonymize`).
    bool anonymizes = false;
};

/// Processes at most `limit` rows of the user in the open transaction, and returns their number. If it is
/// less than `limit`, no such row is left. May run again for the same user.
using Step = std::function<std::size_t(pg::Tx& tx, Erasure const& erasure, std::size_t limit)>;

/// Deletes data of the user that steps do not reach: data outside the database, and rows that both
/// environments share. Runs after the steps, and may run again. If it throws, the erasure fails and must be
/// repeated, so it should not throw because of data that expire within minutes.
using Outside = std::function<asio::awaitable<void>(Erasure const& erasure)>;

class UserData {
public:
    /// Maximum number of rows that a transaction of an erasure processes, so that it holds its locks briefly.
    static constexpr std::size_t rows_a_step = 500;
    /// The time limit of an erasure that a request waits for.
    static constexpr std::chrono::seconds time_limit{20};

    /// All references must outlive this object.
    UserData(pg::Database& database, crypto::Keyring const& keyring, core::Clock const& clock)
        : database_(database), keyring_(keyring), clock_(clock)
    {
    }

    // The following functions must not be called after the first request.
    void add_step(Step step) { steps_.push_back(std::move(step)); }

    void add_outside(Outside outside) { outside_.push_back(std::move(outside)); }

    void add_part(ExportPart part) { parts_.push_back(std::move(part)); }

    /// Lets the parts of exports see the rows of both environments of the tenant, for settings that the
    /// production scope has. Otherwise they see only the rows of the export's scope.
    void show_both_environments() { shows_both_environments_ = true; }

    /// Allows `?mode=anonymize`.
    void allow_anonymizing() { can_anonymize_ = true; }

    bool can_anonymize() const noexcept { return can_anonymize_; }

    /// Erases the user, in many short transactions. Throws UNAVAILABLE after `time_limit`: part of the data
    /// is erased then, and a repeated call continues.
    asio::awaitable<void> erase(Erasure const& erasure);

    /// As `erase`, for a user whose account was deleted. First records this, so that access tokens of the
    /// user are refused (auth::ErasedUsers) and a job erases the user once more when the last token has
    /// expired. The first call for this user also calls `record` in the transaction that records this.
    asio::awaitable<void> erase_deleted(Erasure const& erasure, std::function<void(pg::Tx&)> record);

    /// The part of `erase_deleted` that must commit first. Returns false if it was done before.
    bool mark_deleted(pg::Tx& tx, Erasure const& erasure);

    /// The body of the user's export: one JSON object per line.
    std::function<asio::awaitable<std::string>()> export_stream(
        core::Scope scope, core::UserId user_id) const;

    /// The handler for a jobs::Worker on `sweep_queue`. Coroutines run on `io`, whose threads must not be the
    /// worker's.
    jobs::Handler sweep_handler(asio::any_io_executor io);

    pg::Database& database() const noexcept { return database_; }

private:
    asio::awaitable<void> sweep(jobs::Claim const& claim);

    pg::Database& database_;
    crypto::Keyring const& keyring_;
    core::Clock const& clock_;
    std::vector<Step> steps_;
    std::vector<Outside> outside_;
    std::vector<ExportPart> parts_;
    bool shows_both_environments_ = false;
    bool can_anonymize_ = false;
};

/// A new pseudonym.
core::UserId new_pseudonym();

/// Re-encrypts the ids of the scope's erased users with the keyring's first key, unless that key encrypts
/// them already. Returns the number of changed ids. Throws if an id cannot be decrypted.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace user_data
