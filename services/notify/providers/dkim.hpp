#pragma once

#include "core/secret.hpp"
#include "core/workers.hpp"
#include "domain/email.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>

struct dkim_lib;

namespace notify {

namespace asio = boost::asio;

/// A new key pair for a domain.
struct DkimPair {
    std::string selector;     ///< made from the public key, so that no two keys share one
    std::string public_key;   ///< base64 of the SubjectPublicKeyInfo, as the DNS record has it
    core::Secret private_key; ///< PEM (PKCS #8)
};

/// An RSA key of 2048 bits (RFC 8301, 3.2). Takes some 100 ms of a core: off the I/O threads, see DkimKeys.
DkimPair make_dkim_pair();

/// Makes keys on one thread of its own, so that somebody who asks for many keeps only others waiting who ask
/// for one.
class DkimKeys {
public:
    asio::awaitable<DkimPair> make() { return workers_.run(make_dkim_pair); }

private:
    core::Workers workers_{1};
};

/// Signs messages with libopendkim: rsa-sha256, relaxed/relaxed (RFC 6376). Safe from any thread.
class DkimSigner {
public:
    DkimSigner();
    ~DkimSigner();
    DkimSigner(DkimSigner const&) = delete;
    DkimSigner& operator=(DkimSigner const&) = delete;

    /// The header field `DKIM-Signature: ...`, its line end included, to be put in front of `message` (RFC
    /// 5322, lines end in CR LF). It covers From, To, Subject, Date, Message-ID, MIME-Version and
    /// Content-Type, and says so twice of From, that none can be added. Throws std::runtime_error when the
    /// key is none.
    std::string sign(std::string_view message, DkimKey const& key) const;

private:
    struct Close {
        void operator()(dkim_lib* library) const noexcept;
    };

    std::unique_ptr<dkim_lib, Close> library_;
};

} // namespace notify
