#pragma once

/// What this API's answers are written with: `write` of an entitlement, which webhooks carry as well.
#include "domain/shown.hpp"
