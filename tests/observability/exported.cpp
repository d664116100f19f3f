#include "support/raw_connection.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

// Compiled once for each service (SERVICE), with the World of the service.

namespace {

struct Family {
    std::string type;
    std::set<std::string> labels;
};

/// Metric families by name, as in Prometheus' text format 0.0.4.
using Families = std::map<std::string, Family>;

/// The family of a series. Series of a histogram have its name and a suffix.
std::string family_of(std::string const& series, Families const& families)
{
    for (std::string_view const suffix : {"_bucket", "_sum", "_count"}) {
        if (!series.ends_with(suffix)) continue;
        auto stem = series.substr(0, series.size() - suffix.size());
        auto const it = families.find(stem);
        if (it != families.end() && it->second.type == "histogram") return stem;
    }
    return series;
}

/// The label names of `a="…",b="…"`. Values may contain anything; quotes in them are escaped.
std::set<std::string> label_names(std::string_view labels)
{
    std::set<std::string> names;
    while (!labels.empty()) {
        auto const equals = labels.find("=\"");
        REQUIRE(equals != std::string_view::npos);
        names.emplace(labels.substr(0, equals));
        auto end = equals + 2;
        while (labels.at(end) != '"')
            end += labels[end] == '\\' ? 2 : 1;
        labels.remove_prefix(std::min(end + 2, labels.size())); // past the quote and a comma
    }
    return names;
}

void read_series(std::string const& line, Families& families)
{
    auto const name = line.substr(0, line.find_first_of("{ "));
    auto& family = families.at(family_of(name, families));
    if (line.size() == name.size() || line[name.size()] != '{') return;
    auto const begin = name.size() + 1;
    auto names = label_names(std::string_view(line).substr(begin, line.rfind('}') - begin));
    names.erase("le");
    family.labels.merge(names);
}

Families read(std::string const& exposition)
{
    Families families;
    std::istringstream text(exposition);
    for (std::string line; std::getline(text, line);) {
        std::istringstream words(line);
        std::string hash, kind, name, type;
        if (line.starts_with("# TYPE ") && words >> hash >> kind >> name >> type)
            families[name].type = type;
        else if (!line.empty() && !line.starts_with('#'))
            read_series(line, families);
    }
    return families;
}

/// One line `name type label,label` per family, as in deploy/observability/metrics.
std::string listed(Families const& families)
{
    std::string out;
    for (auto const& [name, family] : families) {
        out += name + ' ' + family.type;
        char before = ' ';
        for (auto const& label : family.labels) {
            out += before + label;
            before = ',';
        }
        out += '\n';
    }
    return out;
}

std::string list_of_the_tree()
{
    std::ifstream file(METRICS_DIR "/" SERVICE ".txt");
    std::ostringstream text;
    text << file.rdbuf();
    REQUIRE(file);
    return text.str();
}

} // namespace

TEST_CASE("the service exports the metrics listed in deploy/observability/metrics")
{
    World const world;
    // The series with the labels route or tenant, and those for malformed requests, exist only after a first
    // such request.
    REQUIRE(world.as_master().get("/v1/settings").status == 200);
    testing::RawConnection nonsense(world.host->port());
    nonsense.send("GARBAGE\r\n\r\n");
    REQUIRE(nonsense.read_to_close().starts_with("HTTP/1.1 400"));

    CHECK(listed(read(world.host->metrics().expose())) == list_of_the_tree());
}
