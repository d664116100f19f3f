#include "openapi.hpp"

#include "core/clock.hpp"
#include "core/id.hpp"
#include "docs/contract.hpp"

#include <regex>
#include <stdexcept>

namespace json = boost::json;

namespace {

/// The files of a contract. Resolves the references between them.
class Documents {
public:
    explicit Documents(std::string directory) : directory_(std::move(directory)) {}

    /// A document without a name and without references to other files.
    explicit Documents(json::object const& whole) { files_.emplace("", whole); }

    json::value const& file(std::string const& name)
    {
        auto const it = files_.find(name);
        if (it != files_.end()) return it->second;
        return files_.emplace(name, docs::read_yaml(directory_ + "/" + name)).first->second;
    }

    /// `value` of file `name` with every reference replaced by its target.
    json::value resolve(json::value const& value, std::string const& name)
    {
        if (auto const* object = value.if_object()) {
            if (auto const* ref = object->if_contains("$ref"))
                return follow(std::string(ref->as_string()), name);
            json::object resolved;
            for (auto const& member : *object)
                resolved[member.key()] = resolve(member.value(), name);
            return resolved;
        }
        if (auto const* array = value.if_array()) {
            json::array resolved;
            for (auto const& item : *array)
                resolved.push_back(resolve(item, name));
            return resolved;
        }
        return value;
    }

private:
    json::value follow(std::string const& reference, std::string const& from)
    {
        auto const hash = reference.find('#');
        if (hash == std::string::npos) throw std::runtime_error("not a reference: " + reference);
        std::string const name = hash == 0 ? from : reference.substr(0, hash);
        boost::system::error_code failed;
        auto const* target = file(name).find_pointer(reference.substr(hash + 1), failed);
        if (target == nullptr) throw std::runtime_error("nothing at " + reference);
        return resolve(*target, name);
    }

    std::string directory_;
    std::map<std::string, json::value> files_;
};

core::Access access_of(json::value const& security)
{
    unsigned access = 0;
    for (auto const& alternative : security.as_array()) {
        for (auto const& scheme : alternative.as_object()) {
            if (scheme.key() == "apiKey") access |= static_cast<unsigned>(core::Access::key);
            if (scheme.key() == "userToken") access |= static_cast<unsigned>(core::Access::any_user);
            if (scheme.key() == "masterKey") access |= static_cast<unsigned>(core::Access::master);
        }
    }
    return access == 0 ? core::Access::anonymous : static_cast<core::Access>(access);
}

json::value json_schema_of(json::object const& holder)
{
    auto const* content = holder.if_contains("content");
    if (content == nullptr) return nullptr;
    for (auto const* type : {"application/json", "application/problem+json"})
        if (auto const* media = content->as_object().if_contains(type)) return media->at("schema");
    return nullptr;
}

OpenApi::Operation read_operation(
    json::object const& operation, json::array parameters, json::value const& security)
{
    OpenApi::Operation result;
    result.id = operation.at("operationId").as_string();
    result.summary = operation.at("summary").as_string();
    result.access = access_of(operation.contains("security") ? operation.at("security") : security);
    if (auto const* own = operation.if_contains("parameters"))
        for (auto const& parameter : own->as_array())
            parameters.push_back(parameter);
    for (auto const& parameter : parameters) {
        std::string const name(parameter.at("name").as_string());
        auto const& place = parameter.at("in").as_string();
        if (place == "path") result.path_parameters.insert(name);
        if (place == "query") result.query_parameters.insert(name);
        if (name == "Idempotency-Key") result.idempotency_key = true;
        if (name == "If-Match") result.if_match = true;
    }
    if (auto const* body = operation.if_contains("requestBody")) {
        result.request_schema = json_schema_of(body->as_object());
        auto const& media = body->at("content").as_object().begin()->value().as_object();
        if (auto const* example = media.if_contains("example")) result.request_example = *example;
    }
    for (auto const& response : operation.at("responses").as_object())
        result.responses[std::string(response.key())] = json_schema_of(response.value().as_object());
    return result;
}

bool has_type(json::value const& document, std::string_view type)
{
    if (type == "object") return document.is_object();
    if (type == "array") return document.is_array();
    if (type == "string") return document.is_string();
    if (type == "boolean") return document.is_bool();
    if (type == "null") return document.is_null();
    if (type == "integer") return document.is_int64() || document.is_uint64();
    return type == "number" && document.is_number();
}

class Check {
public:
    std::vector<std::string> faults;

    void value(json::value const& document, json::value const& schema_value, std::string const& at)
    {
        auto const& schema = schema_value.as_object();
        if (schema.empty()) return;
        if (auto const* all = schema.if_contains("allOf")) return merged(document, all->as_array(), at);
        if (auto const* one = schema.if_contains("oneOf")) return one_of(document, one->as_array(), at);
        if (auto const* type = schema.if_contains("type"); type && !type_fits(document, *type))
            return fault(at, "is not of type " + json::serialize(*type));
        if (auto const* same = schema.if_contains("const"); same && document != *same)
            fault(at, "is not the constant of the schema");
        if (auto const* values = schema.if_contains("enum")) {
            auto const& allowed = values->as_array();
            if (std::find(allowed.begin(), allowed.end(), document) == allowed.end())
                fault(at, "is not in the enum");
        }
        bool const any =
            !schema.contains("type") && !schema.contains("properties") && !schema.contains("items");
        if (any) return;
        if (auto const* text = document.if_string()) string(std::string(*text), schema, at);
        if (auto const* items = document.if_array()) array(*items, schema, at);
        if (auto const* members = document.if_object()) object(*members, schema, at);
    }

private:
    void fault(std::string const& at, std::string const& what) { faults.push_back(at + " " + what); }

    static bool type_fits(json::value const& document, json::value const& type)
    {
        if (type.is_string()) return has_type(document, type.as_string());
        return std::ranges::any_of(
            type.as_array(), [&](json::value const& t) { return has_type(document, t.as_string()); });
    }

    void one_of(json::value const& document, json::array const& schemas, std::string const& at)
    {
        auto const fits = std::ranges::count_if(schemas, [&](json::value const& schema) {
            Check check;
            check.value(document, schema, at);
            return check.faults.empty();
        });
        if (fits != 1) fault(at, "fits " + std::to_string(fits) + " alternatives");
    }

    void merged(json::value const& document, json::array const& schemas, std::string const& at)
    {
        json::object all{{"type", "object"}, {"properties", json::object()}, {"required", json::array()}};
        for (auto const& schema : schemas) {
            for (auto const& member : schema.at("properties").as_object())
                all["properties"].as_object()[member.key()] = member.value();
            for (auto const& name : schema.at("required").as_array())
                all["required"].as_array().push_back(name);
        }
        value(document, all, at);
    }

    void string(std::string const& text, json::object const& schema, std::string const& at)
    {
        if (auto const* pattern = schema.if_contains("pattern");
            pattern && !std::regex_search(text, std::regex(std::string(pattern->as_string()))))
            fault(at, "does not match its pattern");
        auto const* format = schema.if_contains("format");
        if (format && *format == "uuid" && !core::Uuid::parse(text)) fault(at, "is no UUID");
        if (format && *format == "date-time" && !(text.size() == 24 && core::parse_rfc3339(text)))
            fault(at, "is not an RFC 3339 timestamp with milliseconds");
    }

    void array(json::array const& items, json::object const& schema, std::string const& at)
    {
        auto const* of = schema.if_contains("items");
        if (of == nullptr) return fault(at, "is an array whose schema has no items");
        for (std::size_t i = 0; i < items.size(); ++i)
            value(items[i], *of, at + "/" + std::to_string(i));
    }

    void object(json::object const& members, json::object const& schema, std::string const& at)
    {
        if (auto const* required = schema.if_contains("required")) {
            for (auto const& name : required->as_array())
                if (!members.contains(name.as_string())) fault(at, "lacks " + std::string(name.as_string()));
        }
        auto const* properties = schema.if_contains("properties");
        auto const* additional = schema.if_contains("additionalProperties");
        for (auto const& member : members) {
            std::string const below = at + "/" + std::string(member.key());
            auto const* property = properties ? properties->as_object().if_contains(member.key()) : nullptr;
            if (property == nullptr) property = additional;
            if (property != nullptr) {
                value(member.value(), *property, below);
            } else {
                fault(below, "is not in the contract");
            }
        }
    }
};

} // namespace

OpenApi::OpenApi(std::string const& file)
{
    auto const slash = file.rfind('/');
    Documents documents(file.substr(0, slash));
    read(documents.resolve(documents.file(file.substr(slash + 1)), file.substr(slash + 1)));
}

OpenApi::OpenApi(json::object const& whole)
{
    Documents documents(whole);
    read(documents.resolve(documents.file(""), ""));
}

void OpenApi::read(json::value const& document)
{
    if (!document.at("openapi").as_string().starts_with("3.1")) throw std::runtime_error("not OpenAPI 3.1");
    for (auto const& path : document.at("paths").as_object()) {
        auto const& item = path.value().as_object();
        json::array const shared =
            item.contains("parameters") ? item.at("parameters").as_array() : json::array();
        for (auto const* method : {"get", "post", "put", "patch", "delete"}) {
            if (!item.contains(method)) continue;
            std::string name(method);
            for (auto& c : name)
                c = static_cast<char>(c - 'a' + 'A');
            operations_[name + " " + std::string(path.key())] =
                read_operation(item.at(method).as_object(), shared, document.at("security"));
        }
    }
}

std::vector<std::string> faults_of(json::value const& document, json::value const& schema)
{
    Check check;
    check.value(document, schema, "");
    return std::move(check.faults);
}
