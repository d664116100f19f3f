#pragma once

#include "core/text.hpp"
#include "world.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <string>
#include <string_view>

/// Creates a thread of the category `bug`; returns its id.
inline std::string make(
    testing::HttpClient& client, std::string const& title, std::string const& body = "Nothing special.")
{
    boost::json::object const thread{{"category", "bug"}, {"title", title}, {"body", body}};
    auto const r = client.post("/v1/feedbacks", boost::json::serialize(thread));
    REQUIRE(r.status == 201);
    return text(r.json(), "feedbackId");
}

inline std::string encoded(std::string_view text)
{
    return core::percent_encode(text);
}

/// The threads that are similar to the title, as the caller sees them.
inline boost::json::array similar(testing::HttpClient& client, std::string_view title)
{
    auto const r = client.get("/v1/feedbacks/similar?title=" + encoded(title));
    REQUIRE(r.status == 200);
    return r.json().at("items").as_array();
}
