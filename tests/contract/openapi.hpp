#pragma once

#include "core/caller.hpp"

#include <boost/json.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// A contract of proto/: the parts that tests compare with the code.
class OpenApi {
public:
    /// Throws std::exception if the file or a file it refers to is missing or is not OpenAPI 3.1.
    explicit OpenApi(std::string const& file);
    /// Reads a document that has no references to other files.
    explicit OpenApi(boost::json::object const& whole);

    struct Operation {
        core::Access access = core::Access::anonymous; ///< from `security`
        bool idempotency_key = false;
        bool if_match = false;
        std::set<std::string> path_parameters, query_parameters;
        std::optional<boost::json::value> request_example;
        boost::json::value request_schema; ///< null if the operation has no body
        std::map<std::string, boost::json::value>
            responses; ///< JSON schema by status; null if the response has no JSON
        std::string id, summary;

        bool operator==(Operation const&) const = default;
    };

    /// The operations by their names: `METHOD /path`.
    std::map<std::string, Operation> const& operations() const noexcept { return operations_; }

private:
    void read(boost::json::value const& document);

    std::map<std::string, Operation> operations_;
};

/// Returns where `document` violates a JSON schema (2020-12: type, enum, const, required, properties,
/// additionalProperties, items, oneOf, allOf, pattern; the formats uuid and date-time). If the result is
/// empty, the document is valid. A member that the schema does not name is a fault, so that a service cannot
/// return fields that its contract lacks.
std::vector<std::string> faults_of(boost::json::value const& document, boost::json::value const& schema);
