#pragma once

#include "core/clock.hpp"
#include "domain/device.hpp"
#include "domain/notification.hpp"
#include "pg/batcher.hpp"
#include "storage/devices.hpp"
#include "storage/notifications.hpp"
#include "storage/templates.hpp"

#include <optional>
#include <vector>

namespace notify {

/// The most frequent single-row operations. pg::Batcher combines concurrent calls into one SQL statement.
struct Batchers {
    pg::Batcher<templates::Name, std::optional<templates::Found>> find_template;
    pg::Batcher<notifications::NewNotification, notifications::Inserted> insert;
    pg::Batcher<notifications::Key, std::optional<notifications::Shown>> get;
    pg::Batcher<notifications::PlainPage, std::vector<Notification>> list;
    pg::Batcher<devices::Registration, std::optional<Device>> register_device;
    pg::Batcher<devices::Token, bool> remove_device;

    /// `db` must outlive this object.
    explicit Batchers(pg::Database& db);
};

} // namespace notify
