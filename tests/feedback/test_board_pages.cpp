#include "domain/board_links.hpp"
#include "pages/feed.hpp"
#include "pages/words.hpp"
#include "support/eventually.hpp"
#include "support/isolation.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <zlib.h>

// The HTML pages of the board.

namespace {

namespace json = boost::json;
using testing::HttpClient;

std::string body_of(json::object const& object)
{
    return json::serialize(object);
}

/// Turns the board on, with these settings in addition.
void turn_on(HttpClient& backend, json::object settings = {})
{
    settings["publicBoard"] = true;
    auto const r = backend.patch("/v1/settings", body_of(settings));
    INFO(r.body);
    REQUIRE(r.status == 200);
}

std::string add_post(
    HttpClient& client, HttpClient& backend, std::string const& title, std::string const& body = "Some text.")
{
    auto const made =
        client.post("/v1/feedbacks", body_of({{"category", "feature"}, {"title", title}, {"body", body}}));
    INFO(made.body);
    REQUIRE(made.status == 201);
    auto const id = text(made.json(), "feedbackId");
    REQUIRE(backend.patch("/v1/feedbacks/" + id, R"({"visibility":"public"})").status == 200);
    return id;
}

std::string add_post(HttpClient& backend, std::string const& title, std::string const& body = "Some text.")
{
    return add_post(backend, backend, title, body);
}

std::string gunzip(std::string_view gzip)
{
    constexpr int with_gzip_header = 16 + MAX_WBITS;
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
    stream.avail_in = static_cast<uInt>(gzip.size());
    REQUIRE(inflateInit2(&stream, with_gzip_header) == Z_OK);
    std::string out(std::size_t{1} << 20, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

bool has(std::string const& page, std::string const& part)
{
    return page.find(part) != std::string::npos;
}

std::size_t count(std::string const& page, std::string const& part)
{
    std::size_t found = 0;
    for (auto at = page.find(part); at != std::string::npos; at = page.find(part, at + 1))
        ++found;
    return found;
}

/// The address in the first `attribute="/…"` after `mark`.
std::string address_after(std::string const& page, std::string const& mark, std::string const& attribute)
{
    auto const begin = page.find(attribute + "=\"", page.find(mark)) + attribute.size() + 2;
    auto address = page.substr(begin, page.find('"', begin) - begin);
    for (auto at = address.find("&amp;"); at != std::string::npos; at = address.find("&amp;", at + 1))
        address.replace(at, 5, "&");
    return address;
}

} // namespace

TEST_CASE("while the board is off, all its pages are 404", "[board]")
{
    World world;
    auto backend = world.as_backend();
    auto reader = world.client();
    auto const id = add_post(backend, "Secret plan");
    auto const all_are = [&](unsigned status) {
        for (std::string const path : {"/board", "/board/roadmap", "/board/new", "/board/callback",
                 "/board/feed.atom", "/board/assets/board.x.css", "/board/assets/board.x.js"})
            if (reader.get(path).status != status) return path;
        return std::string(reader.get("/board/posts/" + id).status == status ? "" : "post");
    };
    CHECK(all_are(404) == "");
    auto const refused = reader.get("/board");
    CHECK(has(refused.body, "Page not found"));
    CHECK_FALSE(has(refused.body, "A tenant"));
    CHECK_FALSE(has(refused.body, "Secret plan"));
    turn_on(backend);
    CHECK(testing::eventually([&] { return all_are(200).empty(); }));
    REQUIRE(backend.patch("/v1/settings", R"({"publicBoard":false})").status == 200);
    CHECK(testing::eventually([&] { return all_are(404).empty(); }));
}

TEST_CASE("the pages show public threads, escaped, and no others", "[board]")
{
    World world;
    auto backend = world.as_backend();
    auto reader = world.client();
    turn_on(backend);
    auto const id =
        add_post(backend, "Dark <script>alert(1)</script> & \"mode\"", "First <b>line</b>\nsecond");
    auto const deleted = add_post(backend, "Deleted thread");
    REQUIRE(backend.del("/v1/feedbacks/" + deleted).status == 200);
    auto const hidden = new_thread(backend, "Private thread");
    auto other = world.as_backend("other-sandbox"), production = world.as_backend("demo");
    turn_on(other);
    turn_on(production);
    add_post(other, "Thread of another tenant");
    add_post(production, "Thread of production");
    REQUIRE(testing::eventually([&] { return reader.get("/board").status == 200; }));
    for (std::string const path : {"/board", "/board/roadmap", "/board/feed.atom", "/board?sort=createdAt",
             "/board?status=open", "/board?category=feature"}) {
        INFO(path);
        auto const page = reader.get(path);
        REQUIRE(page.status == 200);
        CHECK(has(page.body, "Dark &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;mode&quot;"));
        for (std::string const foreign : {"<script>alert", "Deleted thread", "Private thread",
                 "Thread of another tenant", "Thread of production"})
            CHECK_FALSE(has(page.body, foreign));
    }
    auto const page = reader.get("/board/posts/" + id);
    REQUIRE(page.status == 200);
    CHECK(has(page.body, "First &lt;b&gt;line&lt;/b&gt;\nsecond"));
    CHECK(reader.get("/board/posts/" + deleted).status == 404);
    CHECK(reader.get("/board/posts/" + hidden).status == 404);
    CHECK(reader.get("/board/posts/x").status == 404);
    CHECK_FALSE(has(reader.get("/board?status=closed").body, "Dark"));
    CHECK(reader.get("/board?status=wrong").status == 400);
    CHECK(reader.get("/board?cursor=wrong").status == 400);
    CHECK(reader.get("/board?q=&status=&category=").status == 200);
}

TEST_CASE("pages and feed have no personal data, notes, attachments and assignees", "[board]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada);
    auto reader = world.client();
    turn_on(backend, {{"notifyEmail", "planted-notify@example.com"}});
    auto const presigned =
        user.post("/v1/attachments/presign",
                R"({"filename":"planted-file.txt","contentType":"text/plain","sizeBytes":5})")
            .json();
    auto const upload = text(presigned, "uploadUrl");
    REQUIRE(
        user.put(upload.substr(upload.find("/uploads/")), "hello", {{"Content-Type", "text/plain"}}).status ==
        200);
    auto const made = user.post("/v1/feedbacks",
        body_of({{"category", "feature"}, {"title", "Public title"}, {"body", "Public body"},
            {"appContext", {{"appName", "planted-app"}, {"os", "planted-os"}}}, {"priority", "critical"},
            {"attachmentIds", json::array{presigned.at("attachmentId")}}}));
    REQUIRE(made.status == 201);
    auto const id = text(made.json(), "feedbackId");
    REQUIRE(backend
                .patch("/v1/feedbacks/" + id,
                    R"({"visibility":"public","status":"resolved","assigneeId":"planted-assignee",
                        "assigneeEmail":"planted-assignee@example.com","tags":["public-tag"]})")
                .status == 200);
    auto const replies = "/v1/feedbacks/" + id + "/replies";
    REQUIRE(user.post(replies, R"({"body":"Public reply"})").status == 201);
    REQUIRE(backend.post(replies, R"({"body":"planted-note","internal":true})").status == 201);
    REQUIRE(backend.post(replies, R"({"body":"Reply of the team"})").status == 201);
    REQUIRE(user.put("/v1/feedbacks/" + id + "/vote", "").status == 200);
    REQUIRE(testing::eventually([&] { return reader.get("/board").status == 200; }));
    auto const thread = reader.get("/board/posts/" + id);
    CHECK(has(thread.body, "Public reply"));
    CHECK(has(thread.body, "Reply of the team"));
    CHECK(has(thread.body, "2 replies"));
    auto const author = backend.get(replies).json().at("items").at(2);
    std::array<std::string, 6> const planted{"planted", ada, "user@example.com", "critical",
        text(presigned, "attachmentId"), text(author, "authorId")};
    for (std::string const& path :
        {std::string("/board"), std::string("/board/roadmap"), "/board/posts/" + id,
            std::string("/board/feed.atom"), std::string("/board?q=public"), std::string("/board/new")}) {
        auto const page = reader.get(path);
        REQUIRE(page.status == 200);
        for (auto const& secret : planted) {
            INFO(path << ": " << secret);
            CHECK_FALSE(has(page.body, secret));
        }
    }
    // Searching for a text of an internal note finds nothing.
    CHECK_FALSE(has(reader.get("/board?q=planted-note").body, "Public title"));
    // The page is the same for a user who is signed in: pages take no credential.
    CHECK_FALSE(has(user.get("/board/posts/" + id).body, ada));
}

TEST_CASE("a list has pages, filters and a search form that keep each other", "[board]")
{
    World world;
    auto backend = world.as_backend();
    auto reader = world.client();
    turn_on(backend);
    for (int i = 0; i < 25; ++i)
        add_post(backend, "Idea " + std::to_string(i));
    REQUIRE(testing::eventually([&] { return reader.get("/board").status == 200; }));
    for (std::string const path :
        {"/board", "/board?sort=createdAt", "/board?status=open&category=feature"}) {
        INFO(path);
        auto const first = reader.get(path).body;
        CHECK(count(first, "<li class=\"post\">") == 20);
        auto const next = address_after(first, "rel=\"next\"", "href");
        CHECK(has(next, "cursor="));
        auto const second = reader.get(next);
        INFO(next);
        REQUIRE(second.status == 200);
        CHECK(count(second.body, "<li class=\"post\">") == 5);
        CHECK_FALSE(has(second.body, "rel=\"next\""));
        CHECK(has(second.body, "noindex"));
        // The script asks the API for the votes of the same posts.
        auto const api = world.as_user(ada).get(address_after(second.body, "class=\"posts\"", "data-votes"));
        REQUIRE(api.status == 200);
        CHECK(api.json().at("items").as_array().size() == 5);
    }
    auto const page = reader.get("/board?q=idea&status=open&sort=createdAt").body;
    CHECK(has(page, R"(<input type="hidden" name="status" value="open">)"));
    CHECK(has(page, R"(<input type="hidden" name="sort" value="createdAt">)"));
    CHECK(has(page, "/board?q=idea&amp;status=open&amp;category=bug&amp;sort=createdAt"));
    CHECK(has(page, "value=\"idea\""));
}

TEST_CASE("a merged thread leads to the thread that continues it", "[board]")
{
    World world;
    auto backend = world.as_backend();
    auto reader = world.client();
    turn_on(backend);
    auto const target = add_post(backend, "Target"), source = add_post(backend, "Source");
    REQUIRE(backend.post("/v1/feedbacks/" + source + "/merge", body_of({{"into", target}})).status == 200);
    REQUIRE(testing::eventually([&] { return reader.get("/board").status == 200; }));
    CHECK_FALSE(has(reader.get("/board").body, "Source"));
    auto const r = reader.get("/board/posts/" + source);
    CHECK(r.status == 302);
    CHECK(r.header("location") == "/board/posts/" + target);
}

TEST_CASE("pages have strict headers and metadata", "[board]")
{
    World world;
    auto backend = world.as_backend("demo");
    auto reader = world.client("demo");
    turn_on(backend, {{"boardName", "Acme & Sons"}, {"boardColor", "#FFD500"}});
    auto const id = add_post(backend, "A post", "Its text\nin two lines.");
    REQUIRE(testing::eventually([&] { return has(reader.get("/board").body, "Acme"); }));
    auto const page = reader.get("/board/posts/" + id);
    CHECK(page.header("content-security-policy") ==
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' "
          "http://demo.auth.localhost:8102; img-src 'self' data:; base-uri 'none'; form-action 'self'; "
          "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
    CHECK(page.header("x-frame-options") == "DENY");
    CHECK(page.header("referrer-policy") == "strict-origin");
    CHECK(page.header("content-type") == "text/html; charset=utf-8");
    CHECK(page.header("access-control-allow-origin").empty());
    auto const origin = "http://demo.feedback.localhost";
    for (std::string const part : {"<html lang=\"en\"", "<title>A post – Acme &amp; Sons</title>",
             "<meta property=\"og:title\" content=\"A post\">",
             "<meta property=\"og:site_name\" content=\"Acme &amp; Sons\">",
             "content=\"Its text in two lines.\"", "<meta name=\"theme-color\" content=\"#ffd500\">",
             "<meta name=\"robots\" content=\"index, follow\">",
             "<link rel=\"alternate\" type=\"application/atom+xml\""})
        CHECK(has(page.body, part));
    CHECK(has(
        page.body, std::string("<link rel=\"canonical\" href=\"") + origin + "/board/posts/" + id + "\">"));
    CHECK_FALSE(has(page.body, "<style"));
    CHECK_FALSE(has(page.body, " style="));
    CHECK(count(page.body, "<script") == 1);
    auto const style = reader.get(address_after(page.body, "rel=\"stylesheet\"", "href"));
    CHECK(style.status == 200);
    CHECK(has(style.body, "@media (prefers-color-scheme:dark){:root{--accent:"));
    CHECK(style.header("cache-control") == "public, max-age=31536000, immutable");
    auto const script = reader.get(address_after(page.body, "<script", "src"));
    CHECK(script.header("content-type") == "text/javascript; charset=utf-8");
    CHECK(script.header("cache-control") == "public, max-age=31536000, immutable");
    CHECK(reader.get("/board/assets/board.old.js").header("cache-control") == "no-cache");
    CHECK(reader.get("/board/assets/other.js").status == 404);
    CHECK(has(reader.get("/board?q=x").body, "noindex"));
    auto sandbox = world.as_backend();
    turn_on(sandbox);
    auto sandbox_reader = world.client();
    REQUIRE(testing::eventually([&] { return sandbox_reader.get("/board").status == 200; }));
    CHECK(has(sandbox_reader.get("/board").body, "noindex"));
}

TEST_CASE("a page is cached for all readers, and not after a change", "[board]")
{
    World world;
    auto backend = world.as_backend();
    auto reader = world.client();
    turn_on(backend);
    auto const id = add_post(backend, "First title");
    REQUIRE(testing::eventually([&] { return reader.get("/board").status == 200; }));
    auto const first = reader.get("/board");
    CHECK(first.header("cache-control") == "public, max-age=3");
    auto const tag = first.header("etag");
    REQUIRE_FALSE(tag.empty());
    auto const same = reader.get("/board", {{"If-None-Match", tag}});
    CHECK(same.status == 304);
    CHECK(same.body.empty());
    CHECK(same.header("etag") == tag);
    CHECK(reader.get("/board?unknown=parameter").header("etag") == tag);
    add_post(backend, "Second title");
    CHECK(has(reader.get("/board").body, "Second title"));
    CHECK(reader.get("/board", {{"If-None-Match", tag}}).status == 200);
    REQUIRE(world.as_user(bob).put("/v1/feedbacks/" + id + "/vote", "").status == 200);
    CHECK(has(reader.get("/board/posts/" + id).body, "<span class=\"count\">1</span>"));
    REQUIRE(backend.patch("/v1/feedbacks/" + id, R"({"visibility":"private"})").status == 200);
    CHECK(reader.get("/board/posts/" + id).status == 404);
    CHECK_FALSE(has(reader.get("/board").body, "First title"));
}

TEST_CASE("a page is compressed for readers who accept gzip", "[board]")
{
    World world;
    auto backend = world.as_backend();
    auto reader = world.client();
    turn_on(backend);
    add_post(backend, "A title");
    REQUIRE(testing::eventually([&] { return has(reader.get("/board").body, "A title"); }));
    auto const plain = reader.get("/board");
    CHECK(plain.header("content-encoding").empty());
    CHECK(plain.header("vary") == "Accept-Encoding, Origin");
    auto const zipped = reader.get("/board", {{"Accept-Encoding", "br, gzip"}});
    CHECK(zipped.header("content-encoding") == "gzip");
    CHECK(zipped.header("vary") == "Accept-Encoding, Origin");
    CHECK(zipped.header("etag") != plain.header("etag"));
    CHECK(gunzip(zipped.body) == plain.body);
    auto const again = [&](std::string const& tag, std::string const& accepted) {
        return reader.get("/board", {{"If-None-Match", tag}, {"Accept-Encoding", accepted}}).status;
    };
    CHECK(again(zipped.header("etag"), "gzip") == 304);
    CHECK(again(plain.header("etag"), "identity") == 304);
    CHECK(again(plain.header("etag"), "gzip") == 200);
}

TEST_CASE("name, colour and logo of the board are settings", "[board]")
{
    World world;
    auto backend = world.as_backend();
    auto reader = world.client();
    turn_on(backend);
    auto const fault = [&](char const* settings) {
        auto const r = backend.patch("/v1/settings", settings);
        return r.status == 400 ? text(r.json().at("errors").at(0), "pointer") : std::to_string(r.status);
    };
    CHECK(fault(R"({"boardColor":"red"})") == "/boardColor");
    CHECK(fault(R"({"boardColor":"#12345"})") == "/boardColor");
    CHECK(fault(R"({"boardName":""})") == "/boardName");
    CHECK(fault(R"({"boardName":"a\nb"})") == "/boardName");
    auto const settings = backend.patch("/v1/settings", R"({"boardName":"Teapots","boardColor":"#7C3AED"})");
    REQUIRE(settings.status == 200);
    CHECK(text(settings.json(), "boardColor") == "#7c3aed");
    CHECK(settings.json().at("logo").is_null());
    CHECK(reader.get("/board/logo").status == 404);
    CHECK(backend.put("/v1/settings/logo", "no image", {{"Content-Type", "image/png"}}).status == 400);
    std::string const png(testing::gray_pixel);
    auto const put = backend.put("/v1/settings/logo", png, {{"Content-Type", "image/png"}});
    INFO(put.body);
    REQUIRE(put.status == 200);
    REQUIRE(testing::eventually([&] { return has(reader.get("/board").body, "/board/logo?v="); }));
    auto const logo = reader.get("/board/logo");
    CHECK(logo.body == png);
    CHECK(logo.header("content-type") == "image/png");
    CHECK(world.as_user(ada).put("/v1/settings/logo", png, {{"Content-Type", "image/png"}}).status == 403);
    REQUIRE(backend.del("/v1/settings/logo").status == 200);
    CHECK(testing::eventually([&] { return !has(reader.get("/board").body, "/board/logo?v="); }));
    CHECK(reader.get("/board/logo").status == 404);
}

TEST_CASE("the addresses of the board follow the host and the environment", "[board]")
{
    namespace url = feedback::board_url;
    auto const production = core::Scope::of(core::TenantId{7}, core::Environment::production, "demo");
    auto const sandbox = core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo");
    CHECK(url::origin("feedback.example.com", 8101, production) == "https://demo.feedback.example.com");
    CHECK(url::origin("feedback.localhost", 8101, sandbox) == "http://demo-sandbox.feedback.localhost:8101");
    CHECK(url::origin("feedback.localhost", 0, sandbox) == "http://demo-sandbox.feedback.localhost");
    auto const id = core::Uuid::parse("0190a5d2-0000-7000-8000-00000000ada0").value();
    CHECK(url::post("https://x", id) == "https://x/board/posts/0190a5d2-0000-7000-8000-00000000ada0");
}

TEST_CASE("the feed leaves out characters that XML does not have", "[board]")
{
    feedback::Feedback thread;
    thread.title = "a\x01"
                   "b\xEF\xBF\xBF"
                   "c & <d>";
    auto const feed = feedback::pages::atom_feed("https://x", "A & B", {thread}, {});
    CHECK(has(feed, "<title>abc &amp; &lt;d&gt;</title>"));
    CHECK(has(feed, "<title>A &amp; B</title>"));
}

TEST_CASE("an excerpt is one line and ends at a whole character", "[board]")
{
    using feedback::pages::excerpt_of;
    CHECK(excerpt_of("  one\n\n two\tthree  ", 100) == "one two three");
    CHECK(excerpt_of("ääää", 5) == "ää…");
    CHECK(feedback::pages::day_of(core::Time(std::chrono::hours(24 * 31))) == "1 Feb 1970");
    CHECK(feedback::pages::replies_text(0).empty());
    CHECK(feedback::pages::replies_text(1) == "1 reply");
}
