#pragma once

#include "mail/message.hpp"

#include <memory>
#include <string>
#include <string_view>

struct dkim_lib;

namespace mail {

/// Signs messages with libopendkim: rsa-sha256, relaxed/relaxed (RFC 6376). Thread-safe.
class DkimSigner {
public:
    DkimSigner();
    ~DkimSigner();
    DkimSigner(DkimSigner const&) = delete;
    DkimSigner& operator=(DkimSigner const&) = delete;

    /// Returns the header field `DKIM-Signature: ...` with its line end, to be prepended to `message` (RFC
    /// 5322, lines end in CR LF). The signature covers From, To, Subject, Date, Message-ID, MIME-Version,
    /// Content-Type and, if the message has them, In-Reply-To, References, Auto-Submitted, List-Unsubscribe
    /// and List-Unsubscribe-Post (RFC 8058, 4, requires the last two). From is listed twice, so that a second
    /// From field invalidates the signature. Throws std::runtime_error if the key is invalid.
    std::string sign(std::string_view message, DkimKey const& key) const;

private:
    struct Close {
        void operator()(dkim_lib* library) const noexcept;
    };

    std::unique_ptr<dkim_lib, Close> library_;
};

} // namespace mail
