#pragma once

#include "batchers.hpp"
#include "blobs/attachments.hpp"
#include "config.hpp"
#include "core/thread_pool.hpp"
#include "definition.hpp"
#include "deps.hpp"
#include "mail/mailer.hpp"
#include "pages/board.hpp"
#include "service/service_base.hpp"
#include "workers/thread_mails.hpp"

#include <memory>
#include <vector>

namespace feedback {

/// The schema component with the tables of this service.
pg::Component const& migrations();

/// The service. It owns its parts. A part uses only parts that are declared before it.
class App final : public service::ServiceBase {
public:
    App(Config const& config, service::Runtime const& runtime);

    /// The schema components, in order: the components of the libraries, then the service's own.
    static std::vector<pg::Component const*> components();

private:
    /// Registers the steps of the erasure and the parts of the export of a user.
    void handle_user_data();
    /// The endpoints of all routes. A request that writes ends the use of the cached pages of its scope.
    std::vector<http::Endpoint> endpoints();

    std::unique_ptr<blobs::BlobStore> store_;
    blobs::Attachments attachments_;
    Batchers batchers_;
    pages::Board board_;
    core::ThreadPool image_checks_{1}; ///< one thread, because a check needs much memory
    std::unique_ptr<mail::Mailer> const mailer_;
    MailHandlers mails_;
    Deps deps_;
};

} // namespace feedback
