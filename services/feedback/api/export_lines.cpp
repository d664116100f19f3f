#include "api/export_lines.hpp"

#include "api/json.hpp"
#include "domain/csv.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace feedback {

namespace {

namespace json = boost::json;

/// Adds the names of the members that `columns` does not contain yet.
void add_names(std::vector<std::string>& columns, std::string const& object)
{
    auto const value = json::parse(object);
    for (auto const& member : value.as_object()) {
        std::string name(member.key());
        if (std::ranges::find(columns, name) == columns.end()) columns.push_back(std::move(name));
    }
}

std::string cell_of(json::value const* value)
{
    if (value == nullptr || value->is_null()) return {};
    if (auto const* text = value->if_string()) return std::string(*text);
    return json::serialize(*value);
}

} // namespace

ExportLines::ExportLines(ExportFormat format, bool with_replies, core::Caller caller)
    : format_(format), with_replies_(with_replies), caller_(std::move(caller))
{
    if (format_ != ExportFormat::csv) return;
    Viewer const viewer(caller_);
    add_names(columns_, to_json(Feedback(), viewer));
    if (with_replies_) add_names(columns_, to_json(Reply(), viewer));
}

std::string ExportLines::header() const
{
    std::string line;
    if (format_ != ExportFormat::csv) return line;
    csv::add_cell(line, "type", true);
    for (auto const& name : columns_)
        csv::add_cell(line, name);
    csv::end_row(line);
    return line;
}

void ExportLines::add(std::string& out, Feedback const& f) const
{
    add(out, "feedback", to_json(f, Viewer(caller_)));
}

void ExportLines::add(std::string& out, Reply const& reply) const
{
    add(out, "reply", to_json(reply, Viewer(caller_)));
}

void ExportLines::add(std::string& out, std::string_view type, std::string const& object) const
{
    if (format_ == ExportFormat::csv) {
        auto const value = json::parse(object);
        csv::add_cell(out, type, true);
        for (auto const& name : columns_)
            csv::add_cell(out, cell_of(value.as_object().if_contains(name)));
        csv::end_row(out);
    } else if (with_replies_) {
        out.append(R"({"type":")").append(type).append("\",").append(object, 1).append("\n");
    } else {
        out.append(object).append("\n");
    }
}

} // namespace feedback
