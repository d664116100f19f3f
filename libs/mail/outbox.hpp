#pragma once

#include "mail/mailer.hpp"

#include <string>

namespace mail {

/// A transport that sends nothing: it writes each message to a file `<message id>.eml` in a directory. A
/// file gets this name only when it is complete. A repeated message replaces its file.
class Outbox final : public Transport {
public:
    /// Creates the directory, accessible to its owner only, if it does not exist. Throws std::runtime_error
    /// on failure.
    explicit Outbox(std::string directory);

    /// Writes the file and calls `done` within this call.
    void deliver(Envelope envelope, std::stop_token stop, Done done) override;

private:
    SendResult write(Envelope const& envelope) const;

    std::string const directory_;
};

} // namespace mail
