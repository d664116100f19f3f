#pragma once

/// The JSON of this API: `write` for an entitlement. Webhooks use it, too.
#include "domain/shown.hpp"
