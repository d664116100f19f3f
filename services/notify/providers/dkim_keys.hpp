#pragma once

#include "core/secret.hpp"
#include "core/thread_pool.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace notify {

namespace asio = boost::asio;

/// A new DKIM key pair.
struct DkimKeyPair {
    std::string selector;     ///< made from a hash of the public key, so that each key has its own selector
    std::string public_key;   ///< base64 of the SubjectPublicKeyInfo, for the DNS record
    core::Secret private_key; ///< PEM (PKCS #8)
};

/// Generates an RSA key of 2048 bits (RFC 8301, 3.2); some DNS providers do not accept longer keys. Takes
/// about 100 ms of CPU time, so do not call it on an I/O thread; see DkimKeyGenerator.
DkimKeyPair generate_dkim_key_pair();

/// Generates keys on one thread of its own, so that many requests for keys delay only other requests for
/// keys.
class DkimKeyGenerator {
public:
    asio::awaitable<DkimKeyPair> generate() { return workers_.run(generate_dkim_key_pair); }

private:
    core::ThreadPool workers_{1};
};

} // namespace notify
