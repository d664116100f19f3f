#include "world.hpp"

#include <catch2/catch.hpp>

World::World() : KeyedWorld(feedback::definition())
{
    begin({{"BLOB_DIR", directory.path() + "/blobs"}, {"EMAIL_OUTBOX", directory.path() + "/mails"}});
}

World::World(Pooled) : KeyedWorld(feedback::definition())
{
    pooled_ = true;
    begin({{"BLOB_DIR", directory.path() + "/blobs"}, {"EMAIL_OUTBOX", directory.path() + "/mails"}});
}

std::vector<Staff> all_staff(World const& world)
{
    std::vector<Staff> staff;
    staff.reserve(4);
    staff.push_back({"key", "key:" + world.key().substr(0, 12), world.as_backend()});
    staff.push_back({"master key", "master", world.as_master()});
    staff.push_back({"admin", "an-admin", world.as_user("an-admin", "admin")});
    staff.push_back({"owner", "an-owner", world.as_user("an-owner", "owner")});
    return staff;
}

std::string new_thread(testing::HttpClient& client, std::string const& title)
{
    boost::json::object const body{{"category", "bug"}, {"title", title}, {"body", "It does not work."}};
    auto const r = client.post("/v1/feedbacks", boost::json::serialize(body));
    REQUIRE(r.status == 201);
    return text(r.json(), "feedbackId");
}

std::vector<std::string> ids_of(boost::json::array const& items)
{
    std::vector<std::string> ids;
    for (auto const& item : items)
        ids.push_back(text(item, "feedbackId"));
    return ids;
}
