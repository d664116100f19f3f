#pragma once
// Private to pg: what a database thread works with.

#include "pg/wire.hpp"

#include <span>
#include <string>

namespace pg {

/// A connection that blocks its thread, the only one that uses it.
class Connection {
public:
    /// Connects, or throws pqxx::broken_connection. `transaction_settings`: "" unless sessions are shared;
    /// outlives the connection.
    Connection(
        std::string const& conninfo, WireOptions const& options, std::string const& transaction_settings);

    /// Sends one message and waits for its answer: Wire::send, Wire::take.
    Rows run(std::span<Statement const> statements, bool read_only = false);

    /// A statement that sets, for a transaction, what the session would otherwise have; "" unless sessions
    /// are shared.
    std::string const& transaction_settings() const noexcept { return transaction_settings_; }

    /// See Wire.
    bool stale() const { return wire_.stale(); }

    bool lost() const noexcept { return wire_.lost(); }

    std::string const& why_lost() const noexcept { return wire_.why_lost(); }

    /// What a failure of `run` means for the caller.
    Fault fault_of(std::exception_ptr const& failure) const;

private:
    void wait(Wire::Need need);

    Wire wire_;
    std::string const& transaction_settings_;
};

} // namespace pg
