#pragma once

#include "app.hpp"
#include "core/clock.hpp"
#include "support/http_client.hpp"
#include "support/json.hpp"
#include "support/keyed_world.hpp"

#include <string>
#include <vector>

/// The whole feedback service in this process, and an issuer of user tokens.
class World : public testing::KeyedWorld<core::SystemClock> {
public:
    World();

    /// Puts a PgBouncer in front of the database, even without TETRAD_TEST_POOLER.
    struct Pooled {};

    explicit World(Pooled);

    static constexpr char const* master = testing::master_key;
};

/// A caller that may use the routes of staff. `id` is the caller's id as an author and in the history.
struct Staff {
    std::string name, id;
    testing::HttpClient client;
};

/// Each kind of staff: an API key, the master key, an admin and an owner.
std::vector<Staff> all_staff(World const& world);

/// Creates a thread through the API; returns its id.
std::string new_thread(testing::HttpClient& client, std::string const& title = "Title");

/// The ids of the threads in a list.
std::vector<std::string> ids_of(boost::json::array const& items);

using testing::ada, testing::all_items, testing::bob, testing::text;
