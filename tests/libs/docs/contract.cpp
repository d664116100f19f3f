#include "docs/contract.hpp"

#include "support/process.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <fstream>
#include <stdexcept>
#include <string>

namespace json = boost::json;

namespace {

class Folder {
public:
    std::string write(std::string const& name, std::string const& text) const
    {
        auto const path = directory_.path() + '/' + name;
        std::ofstream(path) << text;
        return path;
    }

private:
    testing::TemporaryDirectory directory_;
};

constexpr char const* common = R"(
components:
  pathItems:
    things:
      get: {responses: {"200": {$ref: "#/components/responses/Thing"}}}
  responses:
    Thing: {content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}
  schemas:
    Thing: {type: object, properties: {parent: {$ref: "#/components/schemas/Thing"}, id: {$ref: "#/components/schemas/Id"}}}
    Id: {type: string}
    Unused: {type: string}
)";

} // namespace

TEST_CASE("YAML is read in the form that the contracts use")
{
    Folder const folder;
    auto const file = folder.write("a.yaml", R"(
text: 4.2.0
"quoted": "1"
number: 1
fraction: 1.5
'yes': true
none: null
pattern: '^[^\0]*$'
block: |
  two
  lines
shared: &shared {a: [1, x]}
alias: *shared
)");
    CHECK(
        docs::read_yaml(file) == json::parse(R"({"text": "4.2.0", "quoted": "1", "number": 1, "fraction": 1.5,
        "yes": true, "none": null, "pattern": "^[^\\0]*$", "block": "two\nlines\n", "shared": {"a": [1, "x"]},
        "alias": {"a": [1, "x"]}})"));
    CHECK(docs::read_yaml(file).as_object().begin()->key() == "text");
    CHECK_THROWS(docs::read_yaml(file + ".not"));
}

TEST_CASE("a bundled contract refers only to itself")
{
    Folder const folder;
    folder.write("common.yaml", common);
    auto const file = folder.write("a.openapi.yaml", R"(
info: {title: A}
paths:
  /things: {$ref: "common.yaml#/components/pathItems/things"}
  /own: {get: {responses: {"200": {$ref: "#/components/responses/Own"}}}}
components:
  responses:
    Own: {content: {application/json: {schema: {$ref: "common.yaml#/components/schemas/Id"}}}}
  schemas:
    Id: {type: integer}
)");
    CHECK(docs::bundle(file) == json::parse(R"({
        "info": {"title": "A"},
        "paths": {
            "/things": {"get": {"responses": {"200": {"$ref": "#/components/responses/Thing"}}}},
            "/own": {"get": {"responses": {"200": {"$ref": "#/components/responses/Own"}}}}},
        "components": {
            "responses": {
                "Own": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/common.Id"}}}},
                "Thing": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}},
            "schemas": {
                "Id": {"type": "integer"},
                "common.Id": {"type": "string"},
                "Thing": {"type": "object", "properties": {"parent": {"$ref": "#/components/schemas/Thing"},
                                                           "id": {"$ref": "#/components/schemas/common.Id"}}}}}})"));
}

TEST_CASE("a reference without a target is a build error")
{
    Folder const folder;
    folder.write("common.yaml", common);
    auto const with = [&](std::string const& schema) {
        return folder.write("a.openapi.yaml",
            "paths: {/a: {get: {schema: {$ref: \"" + schema + "\"}}}}\ncomponents: {schemas: {A: {}}}\n");
    };
    CHECK_NOTHROW(docs::bundle(with("#/components/schemas/A")));
    for (auto const* wrong : {"#/components/schemas/B", "common.yaml#/components/schemas/B", "common.yaml",
             "common.yaml#/components/pathItems/things/get", "other.yaml#/components/schemas/A"}) {
        INFO(wrong);
        CHECK_THROWS(docs::bundle(with(wrong)));
    }
}
