#pragma once

#include "core/clock.hpp"
#include "observe/log.hpp"
#include "observe/metrics.hpp"
#include "sms/options.hpp"
#include "sms/sender.hpp"

#include <memory>

namespace sms {

/// Makes the sender for messages that stay in the sandbox. It appends them to SMS_OUTBOX, whatever the
/// provider is. Without SMS_OUTBOX, it drops them: it logs the tenant, without the number and the text, and
/// the outcome is `accepted`. It counts the messages in `tetrad_sms_sandbox_messages_total{result}`. `clock`,
/// `logger` and `metrics` must outlive the sender.
std::unique_ptr<Sender> make_sandbox_sender(
    Options const& options, core::Clock const& clock, observe::Logger& logger, observe::Metrics& metrics);

} // namespace sms
