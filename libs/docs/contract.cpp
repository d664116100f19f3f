#include "docs/contract.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace json = boost::json;

namespace docs {

namespace {

json::value to_json(YAML::Node const& node)
{
    switch (node.Type()) {
    case YAML::NodeType::Map: {
        json::object object;
        for (auto const& member : node)
            object[member.first.as<std::string>()] = to_json(member.second);
        return object;
    }
    case YAML::NodeType::Sequence: {
        json::array array;
        for (auto const& item : node)
            array.push_back(to_json(item));
        return array;
    }
    case YAML::NodeType::Scalar: {
        auto const text = node.as<std::string>();
        if (node.Tag() == "!") return json::string(text); // quoted
        if (text == "null") return nullptr;
        if (text == "true" || text == "false") return text == "true";
        boost::system::error_code failed;
        auto number = json::parse(text, failed);
        return !failed && number.is_number() ? number : json::value(text);
    }
    default:
        return nullptr;
    }
}

/// The target of a reference, such as `common.yaml#/components/schemas/Id`.
struct Target {
    std::string file;
    std::string pointer;
};

/// Merges several documents into one.
class Bundle {
public:
    explicit Bundle(std::string const& file)
        : directory_(file.substr(0, file.rfind('/') + 1)), main_(file.substr(directory_.size()))
    {
    }

    json::object whole()
    {
        json::object document;
        for (auto const& [name, member] : load(main_).as_object())
            document[name] = name == "paths" ? paths(member.as_object()) : rewritten(member, main_);
        for (auto& [section, components] : imported_) {
            auto& own = document["components"].as_object()[section];
            if (own.is_null()) own = json::object();
            for (auto& [name, component] : components)
                own.as_object()[name] = std::move(component);
        }
        return document;
    }

private:
    json::value const& load(std::string const& file)
    {
        auto const it = files_.find(file);
        if (it != files_.end()) return it->second;
        return files_.emplace(file, read_yaml(directory_ + file)).first->second;
    }

    static Target parse(std::string_view text, std::string const& from)
    {
        auto const hash = text.find('#');
        if (hash == std::string_view::npos)
            throw std::runtime_error("not a reference (no '#'): " + std::string(text));
        return {hash == 0 ? from : std::string(text.substr(0, hash)), std::string(text.substr(hash + 1))};
    }

    json::value const& target(Target const& at)
    {
        boost::system::error_code failed;
        auto const* found = load(at.file).find_pointer(at.pointer, failed);
        if (found == nullptr)
            throw std::runtime_error(
                "the target of a reference does not exist: " + at.file + '#' + at.pointer);
        return *found;
    }

    json::object paths(json::object const& items)
    {
        json::object all;
        for (auto const& [path, item] : items) {
            auto const* text = item.as_object().if_contains("$ref");
            auto const at = text != nullptr ? parse(text->as_string(), main_) : Target{main_, ""};
            if (text != nullptr && item.as_object().size() != 1)
                throw std::runtime_error(std::string(path) + " has other members besides its $ref");
            all[path] = rewritten(text != nullptr ? target(at) : item, at.file);
        }
        return all;
    }

    /// Returns `value` from `file`, with its references changed to targets in the merged document.
    json::value rewritten(json::value const& value, std::string const& file)
    {
        if (auto const* array = value.if_array()) {
            json::array items;
            for (auto const& item : *array)
                items.push_back(rewritten(item, file));
            return items;
        }
        auto const* object = value.if_object();
        if (object == nullptr) return value;
        json::object members;
        for (auto const& [name, member] : *object) {
            if (name == "$ref")
                members[name] = '#' + local(parse(member.as_string(), file));
            else
                members[name] = rewritten(member, file);
        }
        return members;
    }

    /// Returns the pointer of the reference's target in the merged document. The first call for a target
    /// copies the target into the merged document.
    std::string local(Target const& at)
    {
        if (at.file == main_) {
            static_cast<void>(target(at));
            return at.pointer;
        }
        auto const it = places_.find({at.file, at.pointer});
        if (it != places_.end()) return it->second;
        auto const slash = at.pointer.rfind('/');
        std::string const prefix = "/components/", head = at.pointer.substr(0, slash + 1);
        if (!head.starts_with(prefix) || std::ranges::count(head, '/') != 3)
            throw std::runtime_error(
                "the target of a reference is not a component: " + at.file + '#' + at.pointer);
        auto const section = head.substr(prefix.size(), slash - prefix.size());
        auto const name = free_name(section, at.pointer.substr(slash + 1), at.file);
        // The component is registered before its references are followed, because it may refer to itself.
        auto const place = head + name;
        places_[{at.file, at.pointer}] = place;
        auto component = rewritten(target(at), at.file);
        imported_[section][name] = std::move(component);
        return place;
    }

    std::string free_name(std::string const& section, std::string const& name, std::string const& file)
    {
        auto const taken = [&](std::string const& wanted) {
            boost::system::error_code failed;
            auto const place = "/components/" + section + '/' + wanted;
            return load(main_).find_pointer(place, failed) != nullptr ||
                   std::ranges::any_of(places_, [&](auto const& known) { return known.second == place; });
        };
        return taken(name) ? file.substr(0, file.find('.')) + '.' + name : name;
    }

    std::string directory_;
    std::string main_;
    std::map<std::string, json::value> files_;
    std::map<std::pair<std::string, std::string>, std::string>
        places_;                                   ///< pointers of targets from other files
    std::map<std::string, json::object> imported_; ///< components from other files, by section
};

} // namespace

json::value read_yaml(std::string const& file)
{
    return to_json(YAML::LoadFile(file));
}

json::object bundle(std::string const& file)
{
    return Bundle(file).whole();
}

} // namespace docs
