#pragma once

#include "blobs/attachments.hpp"
#include "config.hpp"
#include "deps.hpp"
#include "service/platform.hpp"
#include "service/run.hpp"

#include <memory>
#include <vector>

namespace feedback {

/// The tables of this service.
pg::Component const& migrations();

/// Everything the service consists of, in construction order.
class App final : public service::Platform {
public:
    App(Config const& config, service::Runtime const& runtime);

    /// The schema: the libraries' parts, then the service's own.
    static std::vector<pg::Component const*> components();

private:
    std::unique_ptr<blobs::BlobStore> store_;
    blobs::Attachments attachments_;
    Hot hot_;
    Deps deps_;
};

/// What main() says about the service.
service::Definition definition();

} // namespace feedback
