#pragma once
// Internal to pg: the connection of a database thread.

#include "pg/wire.hpp"

#include <span>
#include <string>

namespace pg {

/// A connection whose functions block. Only one thread uses it.
class Connection {
public:
    /// Connects, or throws pqxx::broken_connection. `transaction_settings` must outlive the connection. The
    /// string is empty unless `DatabaseOptions::transaction_pooling` is set.
    Connection(
        std::string const& conninfo, WireOptions const& options, std::string const& transaction_settings);

    /// Sends one message and waits for its answer; see Wire::send and Wire::take.
    Rows run(std::span<Statement const> statements, bool read_only = false);

    /// A statement that applies the session settings to a transaction. It is empty unless
    /// `DatabaseOptions::transaction_pooling` is set.
    std::string const& transaction_settings() const noexcept { return transaction_settings_; }

    /// See Wire.
    bool stale() const { return wire_.stale(); }

    bool lost() const noexcept { return wire_.lost(); }

    std::string const& why_lost() const noexcept { return wire_.why_lost(); }

    /// How the caller should handle a failure of `run`.
    FailureKind failure_kind(std::exception_ptr const& failure) const;

private:
    void wait(Wire::Need need);

    Wire wire_;
    std::string const& transaction_settings_;
};

} // namespace pg
