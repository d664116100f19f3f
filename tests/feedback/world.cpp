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
