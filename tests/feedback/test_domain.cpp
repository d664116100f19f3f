#include "api/list_filter.hpp"
#include "domain/feedback.hpp"
#include "domain/filter.hpp"
#include "domain/viewer.hpp"

#include <catch2/catch.hpp>

using namespace feedback;

namespace {

core::Caller caller(core::Access kind, std::string id = "someone")
{
    return {.kind = kind, .id = std::move(id), .email = "a@example.com", .session_id = {}, .role = "user"};
}

} // namespace

TEST_CASE("only a thread created with a user token has a user")
{
    auto const user = Author::of(caller(core::Access::user, "u1"));
    CHECK(user.user_id == core::UserId("u1"));
    CHECK(user.email == "a@example.com");
    auto const owner = Author::of(caller(core::Access::owner, "u2"));
    CHECK(owner.user_id == core::UserId("u2"));
    auto const key = Author::of(caller(core::Access::key, "key:fbk_12345678"));
    CHECK(key.id == "key:fbk_12345678");
    CHECK_FALSE(key.user_id);
    CHECK_FALSE(key.email);
    core::Caller nameless = caller(core::Access::user);
    nameless.email.clear();
    CHECK_FALSE(Author::of(nameless).email);
}

TEST_CASE("a user sees its own threads, and staff see all threads")
{
    for (auto const kind :
        {core::Access::key, core::Access::master, core::Access::admin, core::Access::owner}) {
        auto const staff = caller(kind);
        CHECK(Viewer(staff).may_read(core::UserId("u1")));
        CHECK(Viewer(staff).may_read(std::nullopt));
    }
    auto const user = caller(core::Access::user, "u1");
    CHECK(Viewer(user).may_read(core::UserId("u1")));
    CHECK_FALSE(Viewer(user).may_read(core::UserId("u2")));
    CHECK_FALSE(Viewer(user).may_read(std::nullopt));
}

TEST_CASE("an internal note changes the counter and the ETag for staff but not for users")
{
    auto const user = caller(core::Access::user, "u1");
    auto const staff = caller(core::Access::key);
    Feedback f;
    f.version = 3;
    f.all_replies.count = f.public_replies.count = 2;
    auto const before_user = Viewer(user).etag(f);
    auto const before_staff = Viewer(staff).etag(f);
    f.all_replies.count = 3;
    CHECK(Viewer(user).etag(f) == before_user);
    CHECK(Viewer(staff).etag(f) != before_staff);
    CHECK(Viewer(user).replies(f).count == 2);
    CHECK(Viewer(staff).replies(f).count == 3);
}

TEST_CASE("the cursor's hash depends on every part of the filter")
{
    std::vector<Filter> filters(12);
    filters[1].statuses = {Status::open};
    filters[2].categories = {Category::bug};
    filters[3].priorities = {Priority::low};
    filters[4].user_id.emplace("x");
    filters[5].assignee_id = "x";
    filters[6].tag = "x";
    filters[7].text = "x";
    filters[8].created_after = core::Time(std::chrono::seconds(1));
    filters[9].created_before = core::Time(std::chrono::seconds(1));
    filters[10].include_deleted = true;
    filters[11].sort = Sort::last_reply_at;
    for (std::size_t i = 0; i < filters.size(); ++i) {
        CHECK(filters[i].plain() == (i == 0));
        for (std::size_t j = 0; j < filters.size(); ++j)
            CHECK((filters[i].hash() == filters[j].hash()) == (i == j));
    }
}

TEST_CASE("a user's list contains only the user's own threads and ignores the filter userId")
{
    http::Request request;
    request.query = "userId=somebody-else&sort=lastReplyAt";
    http::Query query(request);
    auto const filter = read_filter(query, caller(core::Access::user, "u1"));
    query.check();
    CHECK(filter.user_id == core::UserId("u1"));
    CHECK(filter.for_user);
    http::Query again(request);
    CHECK(read_filter(again, caller(core::Access::admin, "u1")).user_id == core::UserId("somebody-else"));
}
