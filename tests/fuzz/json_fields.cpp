// The input is a JSON body, which is read as handlers read it. For every input, the error names the faults,
// and accepted values are within their bounds.
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "fuzz.hpp"
#include "http/message.hpp"
#include "http/problem.hpp"

#include <boost/json.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace json = boost::json;
using fuzz::require;

namespace {

constexpr std::array<std::string_view, 3> kinds{"bug", "feature", "other"};
constexpr std::array<std::string_view, 3> names{"title", "tags", "dueAt"};
constexpr std::size_t max_depth = 32;

bool is_text(std::string const& text, std::size_t min, std::size_t max)
{
    auto const length = core::count_code_points(text);
    return fuzz::is_text(text) && length >= min && length <= max;
}

void check_depth(json::value const& value, std::size_t depth = 1)
{
    if (auto const* object = value.if_object()) {
        require(depth <= max_depth);
        for (auto const& member : *object)
            check_depth(member.value(), depth + 1);
    } else if (auto const* array = value.if_array()) {
        require(depth <= max_depth);
        for (auto const& item : *array)
            check_depth(item, depth + 1);
    }
}

/// Reads the fields of a request that creates a resource.
void read_new(core::Fields& f)
{
    auto const title = f.text("title", 1, 20);
    auto const note = f.optional_text("note", 2, 30);
    auto const kind = f.one_of("kind", kinds);
    auto const level = f.integer("level", -5, 1'000'000);
    auto const count = f.optional_integer("count", 0, 9);
    f.optional_boolean("urgent");
    auto const due = f.optional_time("dueAt");
    auto const tags = f.optional_list("tags", 4, 10);
    if (auto const* context = f.optional_object("context")) {
        core::Fields nested(*context, "/context");
        for (auto const& member : context->get_object())
            nested.entry(member.key(), 0, 10);
        f.absorb(nested);
    }
    if (auto const* parts = f.optional_array("parts", 5)) require(parts->size() <= 5);
    f.check();
    require(is_text(title, 1, 20) && (!note || is_text(*note, 2, 30)) && kind < kinds.size());
    require(level >= -5 && level <= 1'000'000 && (!count || (*count >= 0 && *count <= 9)));
    require(!due || core::parse_rfc3339(core::to_rfc3339(*due)).has_value());
    require(tags.size() <= 4);
    for (auto const& tag : tags)
        require(is_text(tag, 1, 10));
}

/// Reads the fields of a request that changes a resource.
void read_change(core::Fields& f)
{
    auto const title = f.change_text("title", 1, 20);
    auto const tags = f.change_list("tags", 4, 10);
    auto const kind = f.change_one_of("kind", kinds, false);
    auto const email = f.change_email("email");
    f.check_any_of(names);
    require(!title.value || is_text(*title.value, 1, 20));
    require(!tags.value || tags.value->size() <= 4);
    require(!kind || *kind.value < kinds.size());
    require(!email.value || core::is_email(*email.value));
}

/// The response to a faulty body names the faulty fields, and is valid JSON for every input.
void check_problem(core::Error const& error)
{
    auto const answer = http::problem(error, "id");
    json::value const document = json::parse(answer.body);
    require(answer.status == 400 && error.faults().size() <= core::Fields::max_faults);
    if (error.faults().empty()) return;
    auto const& errors = document.at("errors").as_array();
    require(errors.size() == error.faults().size());
    for (std::size_t i = 0; i < errors.size(); ++i)
        require(errors[i].at("pointer").as_string() == error.faults()[i].pointer);
}

/// Written JSON parses to the same value.
void check_written(json::value const& value)
{
    core::JsonWriter writer;
    if (auto const* text = value.if_string()) {
        writer.value(std::string_view(*text));
        require(json::parse(writer.str()) == value);
    } else if (auto const* number = value.if_double()) {
        std::string_view const written = writer.value(*number).str();
        if (!std::isfinite(*number)) return require(written == "null"); // 1e400
        double read = 0;
        auto const [end, failed] = std::from_chars(written.data(), written.data() + written.size(), read);
        require(failed == std::errc() && end == written.data() + written.size() && read == *number);
    } else if (auto const* object = value.if_object()) {
        for (auto const& member : *object)
            check_written(member.value());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    http::Request request;
    request.headers = {{"Content-Type", "application/json"}};
    for (auto const read : {&read_new, &read_change}) {
        request.body.assign(reinterpret_cast<char const*>(data), size);
        try {
            json::value const body = request.json();
            check_depth(body);
            check_written(body);
            core::Fields fields(body);
            read(fields);
        } catch (core::Error const& error) {
            check_problem(error);
        }
    }
    return 0;
}
