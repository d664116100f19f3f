#include "support/certificates.hpp"

#include <chrono>
#include <vector>

namespace testing {

namespace {

/// Makes a key and a certificate with openssl; `more`: additional arguments.
void make(Certificate const& made, std::vector<std::string> const& more)
{
    std::vector<std::string> argv{"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-keyout", made.key, "-out", made.file};
    argv.insert(argv.end(), more.begin(), more.end());
    output_of(argv, std::chrono::minutes(1));
}

} // namespace

Authority::Authority() : self_{folder_.path() + "/ca.pem", folder_.path() + "/ca.key"}
{
    make(self_, {"-subj", "/CN=An authority of a test"});
}

Certificate Authority::issue(std::string const& names)
{
    auto const path = folder_.path() + '/' + std::to_string(issued_++);
    Certificate const made{path + ".pem", path + ".key"};
    make(made, {"-subj", "/CN=A server of a test", "-CA", self_.file, "-CAkey", self_.key, "-addext",
                   "subjectAltName=" + names, "-addext", "basicConstraints=critical,CA:FALSE"});
    return made;
}

} // namespace testing
