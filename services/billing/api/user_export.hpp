#pragma once

#include "core/clock.hpp"
#include "user_data/export.hpp"

#include <vector>

namespace billing {

/// The parts of the export of a user: lines of the types `entitlement`, `grant`, `subscription` and `event`.
/// `clock` must outlive the parts.
std::vector<user_data::ExportPart> export_parts(core::Clock const& clock);

} // namespace billing
