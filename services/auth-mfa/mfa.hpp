#pragma once

#include "config.hpp"
#include "crypto/keyring.hpp"
#include "providers/texts.hpp"
#include "sms/options.hpp"
#include "state/budgets.hpp"
#include "state/challenges.hpp"
#include "state/enrolments.hpp"
#include "state/keyed_hash.hpp"

#include <string>

namespace auth_mfa {

/// Second factors: challenges, enrolments, text messages, and the budgets that limit guessing and sending.
struct Mfa {
    sms::Options const sms;
    std::string const brand_provider; ///< SMS_BRAND_PROVIDER
    KeyedHash const hash;
    Challenges challenges;
    Enrolments enrolments;
    Budgets budgets;
    Texts texts;

    /// `keyring` is used only in the constructor. The objects in `deps` must outlive this object.
    Mfa(Config const& config, crypto::Keyring const& keyring, Texts::Deps deps)
        : sms(config.sms), brand_provider(config.sms_brand_provider), hash(keyring),
          challenges(deps.redis, hash), enrolments(deps.redis, hash),
          budgets(deps.redis, hash, {config.registrations_per_hour, network_registrations.window}),
          texts(sms, brand_provider, deps)
    {
    }
};

} // namespace auth_mfa
