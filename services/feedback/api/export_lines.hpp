#pragma once

#include "core/caller.hpp"
#include "core/enum_names.hpp"
#include "domain/feedback.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace feedback {

enum class ExportFormat : std::uint8_t { ndjson, csv };

constexpr auto enum_names(ExportFormat)
{
    return std::to_array<std::string_view>({"ndjson", "csv"});
}

/// Writes the threads and replies of an export as lines of NDJSON or of CSV. A line of CSV has the members of
/// the JSON object as cells; arrays and objects are JSON text, and null is empty. A line has the member
/// `type` if it is CSV or if the export contains replies.
class ExportLines {
public:
    ExportLines(ExportFormat format, bool with_replies, core::Caller caller);

    std::string header() const; ///< the first line; empty for NDJSON
    void add(std::string& out, Feedback const& f) const;
    void add(std::string& out, Reply const& reply) const;

private:
    void add(std::string& out, std::string_view type, std::string const& object) const;

    ExportFormat format_;
    bool with_replies_;
    core::Caller caller_;
    std::vector<std::string> columns_; ///< of CSV, without `type`
};

} // namespace feedback
