#pragma once

#include "app.hpp"
#include "core/clock.hpp"
#include "testing/http_client.hpp"
#include "testing/issuer.hpp"
#include "testing/json.hpp"
#include "testing/service_world.hpp"

#include <map>
#include <string>

/// The whole feedback service in this process, and an issuer of user tokens.
class World : public testing::ServiceWorld<core::SystemClock> {
public:
    World();

    static constexpr char const* master = testing::master_key;

    testing::HttpClient as_backend(
        std::string const& tenant = "demo-sandbox") const; ///< with an API key of it
    testing::HttpClient as_user(std::string const& subject, std::string const& role = "user",
        std::string const& tenant = "demo-sandbox") const;

    /// An API key of the scope, made on first use.
    std::string key(std::string const& tenant = "demo-sandbox") const;
    std::string token(std::string const& subject, std::string const& role = "user",
        std::string const& tenant = "demo-sandbox") const;

    testing::Issuer issuer{clock};

private:
    mutable std::map<std::string, std::string> keys_;
};

/// Ids of two users.
inline constexpr char const* ada = "0190a5d2-0000-7000-8000-00000000ada0";
inline constexpr char const* bob = "0190a5d2-0000-7000-8000-00000000b0b0";

/// A thread made through the API; its id.
std::string new_thread(testing::HttpClient& client, std::string const& title = "Title");

using testing::all_items, testing::text;
