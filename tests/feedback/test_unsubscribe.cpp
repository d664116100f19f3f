#include "mail_world.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

using testing::body, testing::require, testing::text;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr char const* ada_email = "ada@users.example";

/// Threads of `ada`, for which staff writes replies.
class Scene {
public:
    std::string create(std::string const& tenant = "demo-sandbox", std::string const& user = testing::ada)
    {
        auto ada = world.as(user, ada_email, true, "user", tenant);
        auto const made =
            ada.post("/v1/feedbacks", body({{"category", "bug"}, {"title", "Title"}, {"body", "Body"}}));
        return text(require(201, made).json(), "feedbackId");
    }

    /// Writes a reply of staff in a new window. Returns the number of emails that were sent so far.
    std::size_t answer(std::string const& thread, std::string const& tenant = "demo-sandbox")
    {
        world.advance(5min);
        auto backend = world.as_backend(tenant);
        require(201, backend.post("/v1/feedbacks/" + thread + "/replies", body({{"body", "Answer"}})));
        return world.mails_to(ada_email).size();
    }

    std::string link() const { return unsubscribe_path(world.mails_to(ada_email).back()); }

    std::string opt_outs() const
    {
        return world.postgres.query(
            "SELECT (SELECT count(*) FROM thread_opt_outs) || '|' || (SELECT count(*) "
            "FROM scope_opt_outs)");
    }

    MailWorld world;
};

} // namespace

TEST_CASE("one click ends the emails about the thread, and all=true all emails of the environment", "[mail]")
{
    Scene scene;
    auto const first = scene.create(), second = scene.create();
    REQUIRE(scene.answer(first) == 1);
    auto const link = scene.link();
    auto anonymous = scene.world.client();
    // As mail programs send it (RFC 8058, 3.1).
    auto const r = anonymous.post(
        link, "List-Unsubscribe=One-Click", {{"Content-Type", "application/x-www-form-urlencoded"}});
    CHECK(r.status == 200);
    CHECK(r.header("set-cookie").empty());
    CHECK(scene.answer(first) == 1);
    CHECK(scene.answer(second) == 2);

    auto const multipart = anonymous.post(link + "?all=true",
        "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n",
        {{"Content-Type", "multipart/form-data; boundary=b"}});
    CHECK(multipart.status == 200);
    CHECK(scene.answer(second) == 2);
    CHECK(scene.answer(scene.create()) == 2);
    CHECK(anonymous.post(link, "").status == 200); // again
    // Other recipients, other environments and staff still get emails.
    CHECK(scene.answer(scene.create("demo"), "demo") == 3);
    CHECK(scene.world.postgres.query("SELECT count(*) FROM scope_opt_outs WHERE address_hash LIKE '%ada%'") ==
          "0");
}

TEST_CASE("a pending email is not sent after its recipient has unsubscribed", "[mail]")
{
    Scene scene;
    auto const thread = scene.create();
    REQUIRE(scene.answer(thread) == 1);
    auto backend = scene.world.as_backend();
    require(201, backend.post("/v1/feedbacks/" + thread + "/replies", body({{"body", "Answer"}})));
    REQUIRE(scene.world.client().post(scene.link(), "").status == 200);
    scene.world.advance(5min);
    scene.world.mails(1);
    CHECK(scene.world.postgres.query("SELECT count(*) FROM thread_mails") == "0");
}

TEST_CASE("the page of the link changes nothing until a form is sent", "[mail]")
{
    Scene scene;
    auto const thread = scene.create();
    REQUIRE(scene.answer(thread) == 1);
    auto const link = scene.link();
    auto anonymous = scene.world.client();
    for (auto const* method : {"GET", "HEAD"}) {
        auto const r = anonymous.request(method, link);
        CHECK(r.status == 200);
        CHECK(r.header("content-type") == "text/html; charset=utf-8");
        CHECK(r.header("cache-control") == "no-store");
        CHECK_THAT(r.header("content-security-policy"), Catch::Contains("default-src 'none'"));
        CHECK(r.header("content-security-policy").find("unsafe") == std::string::npos);
        CHECK(anonymous.request(method, link + "?all=true").status == 200);
    }
    CHECK(scene.opt_outs() == "0|0");
    auto const page = anonymous.get(link).body;
    CHECK(page.find("<form method=\"post\" action=\"" + link + "\">") != std::string::npos);
    CHECK(page.find("<form method=\"post\" action=\"" + link + "?all=true\">") != std::string::npos);
    for (auto const* absent : {"<script", "style=", "<style", "ada@", "Title"})
        CHECK(page.find(absent) == std::string::npos);
    CHECK(page.find("A tenant") != std::string::npos);
    auto const sheet = page.find("/unsubscribe.css?v=");
    REQUIRE(sheet != std::string::npos);
    auto const style = anonymous.get(page.substr(sheet, page.find('"', sheet) - sheet));
    CHECK(style.status == 200);
    CHECK(style.header("content-type") == "text/css; charset=utf-8");
    CHECK_THAT(style.header("cache-control"), Catch::Contains("immutable"));
    for (auto const* method : {"PUT", "PATCH", "DELETE"})
        CHECK(anonymous.request(method, link).status == 405);
    CHECK(scene.answer(thread) == 2);
}

TEST_CASE(
    "a token that was changed, or that belongs to another scope, gets 404 and changes nothing", "[mail]")
{
    Scene scene;
    auto const thread = scene.create();
    REQUIRE(scene.answer(thread) == 1);
    auto const link = scene.link();
    auto const fails = [&](std::string const& path, std::string const& tenant) {
        auto client = scene.world.client(tenant);
        return client.get(path).status == 404 && client.post(path, "").status == 404 &&
               client.post(path + "?all=true", "").status == 404;
    };
    for (auto const* tenant : {"demo", "other-sandbox", "other"}) {
        CHECK(fails(link, tenant));
        // Also if the other scope has a key of its own.
        scene.answer(scene.create(tenant), tenant);
        CHECK(fails(link, tenant));
    }
    auto const begin = std::string("/unsubscribe/").size();
    for (auto at = begin; at < link.size(); at += 7) {
        auto changed = link;
        changed[at] = changed[at] == 'A' ? 'B' : 'A';
        CHECK(fails(changed, "demo-sandbox"));
    }
    CHECK(fails(link + "A", "demo-sandbox"));
    CHECK(fails(link.substr(0, link.size() - 1), "demo-sandbox"));
    CHECK(fails("/unsubscribe/x", "demo-sandbox"));
    CHECK(scene.opt_outs() == "0|0");
    CHECK(scene.world.client().post(link + "?all=perhaps", "").status == 400);
    auto const error = scene.world.client().get("/unsubscribe/x");
    CHECK(error.header("content-type") == "text/html; charset=utf-8");
    CHECK_THAT(error.header("content-security-policy"), Catch::Contains("default-src 'none'"));
}

TEST_CASE("links work for deleted threads and suspended tenants", "[mail]")
{
    Scene scene;
    auto const first = scene.create(), second = scene.create();
    REQUIRE(scene.answer(first) == 1);
    auto const of_first = scene.link();
    REQUIRE(scene.answer(second) == 2);
    auto const of_second = scene.link();
    auto anonymous = scene.world.client();
    require(200, scene.world.as_backend().del("/v1/users/" + std::string(testing::ada)));
    CHECK(anonymous.post(of_first, "").status == 200);
    CHECK(scene.opt_outs() == "0|0"); // the thread does not exist any more
    auto master = scene.world.as_master();
    require(200, master.put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":"suspended"})"));
    REQUIRE(testing::eventually([&] { return scene.world.as_backend().get("/v1/feedbacks").status == 403; }));
    CHECK(anonymous.get(of_second).status == 200);
    CHECK(anonymous.post(of_second + "?all=true", "").status == 200);
    CHECK(scene.opt_outs() == "0|1");
}

TEST_CASE("an opt-out outlives the erasure of the user", "[mail]")
{
    Scene scene;
    REQUIRE(scene.answer(scene.create()) == 1);
    REQUIRE(scene.world.client().post(scene.link() + "?all=true", "").status == 200);
    require(200, scene.world.as_backend().del("/v1/users/" + std::string(testing::ada)));
    CHECK(scene.opt_outs() == "0|1");
    CHECK(scene.answer(scene.create("demo-sandbox", "new")) == 1); // a new account with the same address
}

TEST_CASE("the link of a merged thread also ends the emails about its target", "[mail]")
{
    Scene scene;
    auto backend = scene.world.as_backend();
    auto const source = scene.create(), target = scene.create("demo-sandbox", testing::bob),
               last = scene.create("demo-sandbox", testing::bob);
    REQUIRE(scene.answer(source) == 1);
    auto const link = scene.link();
    for (auto const& [from, into] : {std::pair(source, target), std::pair(target, last)})
        require(200, backend.post("/v1/feedbacks/" + from + "/merge", body({{"into", into}})));
    scene.world.advance(5min);
    auto const before = scene.world.mails_to(ada_email).size();
    require(200, scene.world.client().post(link, "List-Unsubscribe=One-Click",
                     {{"Content-Type", "application/x-www-form-urlencoded"}}));
    CHECK(scene.opt_outs() == "3|0");
    CHECK(scene.answer(last) == before);
}
