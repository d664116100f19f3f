#pragma once

#include "auth/api_keys.hpp"
#include "blobs/attachments.hpp"
#include "core/clock.hpp"
#include "core/thread_pool.hpp"
#include "crypto/keyring.hpp"
#include "domain/notification.hpp"
#include "observe/log.hpp"
#include "outbound_webhooks/api.hpp"
#include "pg/batcher.hpp"
#include "pg/database.hpp"
#include "redis/quota.hpp"
#include "sms/options.hpp"
#include "storage/devices.hpp"
#include "storage/notifications.hpp"
#include "storage/templates.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/tenant_handlers.hpp"

#include <optional>
#include <vector>

namespace notify {

namespace asio = boost::asio;

struct DomainDeps; // domain_deps.hpp
class PushSender;  // providers/push_sender.hpp

/// The most frequent single-row operations. pg::Batcher combines concurrent calls into one SQL statement.
struct Hot {
    pg::Batcher<templates::Name, std::optional<templates::Found>> find_template;
    pg::Batcher<notifications::NewNotification, core::Time> insert;
    pg::Batcher<notifications::Key, std::optional<notifications::Shown>> get;
    pg::Batcher<notifications::PlainPage, std::vector<Notification>> list;
    pg::Batcher<devices::Registration, Device> register_device;
    pg::Batcher<devices::Token, bool> remove_device;

    explicit Hot(pg::Database& db)
        : find_template(db, templates::find_batch), insert(db, notifications::insert_batch),
          get(db, notifications::get_batch), list(db, notifications::list_batch),
          register_device(db, devices::register_batch), remove_device(db, devices::remove_batch)
    {
    }
};

/// The dependencies of the handlers. The App owns all of them and outlives the handlers.
struct Deps {
    pg::Database& db;
    Hot& hot;
    auth::ApiKeys& keys;
    tenancy::TenantAdmin& tenants;
    tenancy::Directory& directory; ///< settings (`pushEnabled`) and limits, cached in memory
    blobs::Attachments& attachments;
    outbound_webhooks::Api& webhooks;
    crypto::Keyring const& keyring; ///< seals credentials
    redis::Quota& quota;            ///< rate limits; a subject begins with the scope's id
    core::ThreadPool& readers; ///< threads that parse large bodies, because parsing would block an I/O thread
    PushSender& push;
    DomainDeps& domains;
    sms::Options const& sms; ///< Twilio's auth token and the public URL verify its callbacks
    core::Clock const& clock;
    observe::Logger& logger;
};

} // namespace notify
