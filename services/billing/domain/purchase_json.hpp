#pragma once

#include "core/json_writer.hpp"
#include "domain/purchase_event.hpp"
#include "domain/purchase_line.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// JSON of purchases, as the column `entitlements.lines` and the payloads of own events store it. Times are
/// microseconds since 1970. Members without a value are left out.
namespace billing::purchase_json {

void write(core::JsonWriter& w, EventOrder const& order);
EventOrder read_order(boost::json::value const& v);

void write(core::JsonWriter& w, PurchaseFact const& fact);
PurchaseFact read_fact(boost::json::value const& v);

std::string to_json(std::vector<PurchaseLine> const& lines);
std::vector<PurchaseLine> read_lines(std::string_view json);

} // namespace billing::purchase_json
