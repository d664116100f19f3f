#pragma once

#include "auth/keys.hpp"
#include "blobs/attachments.hpp"
#include "core/clock.hpp"
#include "core/workers.hpp"
#include "crypto/keyring.hpp"
#include "domain/notification.hpp"
#include "observe/log.hpp"
#include "pg/coalescer.hpp"
#include "pg/database.hpp"
#include "redis/quota.hpp"
#include "sms/options.hpp"
#include "storage/devices.hpp"
#include "storage/notifications.hpp"
#include "storage/templates.hpp"
#include "tenancy/admin.hpp"
#include "tenancy/directory.hpp"
#include "webhooks/api.hpp"

#include <optional>
#include <vector>

namespace notify {

namespace asio = boost::asio;

struct Domains; // api/domains.hpp
class Push;     // providers/push.hpp

/// The single-row operations that every client repeats all day, each many callers to a statement.
struct Hot {
    pg::Coalescer<templates::Name, std::optional<templates::Found>> find_template;
    pg::Coalescer<notifications::NewNotification, core::Time> insert;
    pg::Coalescer<notifications::Key, std::optional<notifications::Shown>> get;
    pg::Coalescer<notifications::PlainPage, std::vector<Notification>> list;
    pg::Coalescer<devices::Registration, Device> register_device;
    pg::Coalescer<devices::Token, bool> remove_device;

    explicit Hot(pg::Database& db)
        : find_template(db, templates::find_batch), insert(db, notifications::insert_batch),
          get(db, notifications::get_batch), list(db, notifications::list_batch),
          register_device(db, devices::register_batch), remove_device(db, devices::remove_batch)
    {
    }
};

/// What handlers work with; the App owns all of it.
struct Deps {
    pg::Database& db;
    Hot& hot;
    auth::Keys& keys;
    tenancy::Tenants& tenants;
    tenancy::Directory& directory; ///< settings (`pushEnabled`) and limits, from memory
    blobs::Attachments& attachments;
    webhooks::Api& webhooks;
    crypto::Keyring const& keyring; ///< seals credentials
    redis::Quota& quota;            ///< subjects begin with the scope's id
    core::Workers& readers;         ///< for bodies so large that reading them would hold up an I/O thread
    Push& push;
    Domains& domains;
    sms::Options const& sms; ///< whose webhook is signed, and under which address
    core::Clock const& clock;
    observe::Logger& logger;
};

} // namespace notify
