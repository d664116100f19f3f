#pragma once

/// Includes the function `write`, which writes an entitlement as JSON for responses and webhooks.
#include "domain/shown.hpp"
