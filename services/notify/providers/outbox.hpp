#pragma once

#include "providers/mail.hpp"

#include <string>

namespace notify {

/// Sends nothing: writes each message to a file `<notification id>.eml` of a directory, whole from the moment
/// it is there. A message that is repeated replaces itself.
class MailOutbox final : public MailTransport {
public:
    /// Makes the directory, for its owner only, if it is not there. Throws std::runtime_error when it cannot.
    explicit MailOutbox(std::string directory);

    Answer deliver(Envelope const& envelope, std::stop_token const& stop) override;

private:
    std::string const directory_;
};

} // namespace notify
