#include "domain/csv.hpp"
#include "support/process.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <fstream>
#include <sstream>

using namespace std::chrono_literals;

namespace {

namespace json = boost::json;

/// The rows of a CSV document, as Python's parser reads them.
json::array parse_csv(World const& world, std::string const& document)
{
    auto const path = world.directory.path() + "/export.csv";
    std::ofstream(path, std::ios::binary) << document;
    auto const script = "import csv, json, sys\n"
                        "with open(sys.argv[1], newline='', encoding='utf-8') as file:\n"
                        "    print(json.dumps(list(csv.reader(file, strict=True))))";
    return json::parse(testing::output_of({"python3", "-c", script, path}, 60s)).as_array();
}

/// The rows as objects, by the names in the first row.
std::vector<json::object> records_of(json::array const& rows)
{
    std::vector<json::object> records;
    auto const& header = rows.at(0).as_array();
    for (std::size_t r = 1; r < rows.size(); ++r) {
        auto const& cells = rows[r].as_array();
        REQUIRE(cells.size() == header.size());
        json::object record;
        for (std::size_t c = 0; c < header.size(); ++c)
            record[header[c].as_string()] = cells[c];
        records.push_back(std::move(record));
    }
    return records;
}

std::vector<json::object> lines_of(std::string const& body)
{
    std::vector<json::object> lines;
    std::istringstream in(body);
    for (std::string line; std::getline(in, line);)
        lines.push_back(json::parse(line).as_object());
    return lines;
}

/// The cell that the export must contain for this member.
std::string cell_of(json::value const& value)
{
    if (value.is_null()) return {};
    std::string cell = value.is_string() ? std::string(value.as_string()) : json::serialize(value);
    if (!cell.empty() && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos)
        cell.insert(0, "'");
    return cell;
}

/// Checks that the CSV export has the same lines as the NDJSON export.
void check_same(World const& world, testing::HttpClient& client, std::string const& query)
{
    auto const csv = client.get("/v1/feedbacks/export?format=csv" + query);
    REQUIRE(csv.status == 200);
    auto const records = records_of(parse_csv(world, csv.body));
    auto const lines = lines_of(client.get("/v1/feedbacks/export?format=ndjson" + query).body);
    REQUIRE(records.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        CHECK(records[i].at("type") == (lines[i].contains("replyId") ? "reply" : "feedback"));
        for (auto const& [name, value] : lines[i])
            CHECK(text(records[i], name) == cell_of(value));
        for (auto const& [name, value] : records[i])
            if (name != "type" && !lines[i].contains(name)) CHECK(value == "");
    }
}

std::string thread_with(testing::HttpClient& client, json::object thread)
{
    thread.emplace("category", "bug");
    thread.emplace("body", "x");
    auto const r = client.post("/v1/feedbacks", testing::body(thread));
    REQUIRE(r.status == 201);
    return text(r.json(), "feedbackId");
}

void reply(
    testing::HttpClient& client, std::string const& thread, std::string const& body, bool internal = false)
{
    REQUIRE(client
                .post("/v1/feedbacks/" + thread + "/replies",
                    testing::body({{"body", body}, {"internal", internal}}))
                .status == 201);
}

} // namespace

TEST_CASE("cells of CSV are quoted as in RFC 4180, and no cell is a formula", "[feedback]")
{
    auto const cell = [](std::string_view text) {
        std::string row;
        feedback::csv::add_cell(row, text, true);
        return row;
    };
    CHECK(cell("") == "");
    CHECK(cell("plain text") == "plain text");
    CHECK(cell("a,b") == "\"a,b\"");
    CHECK(cell("say \"hi\"") == "\"say \"\"hi\"\"\"");
    CHECK(cell("two\nlines") == "\"two\nlines\"");
    CHECK(cell("=1+1") == "'=1+1");
    CHECK(cell("+1") == "'+1");
    CHECK(cell("-1") == "'-1");
    CHECK(cell("@x") == "'@x");
    CHECK(cell("\tx") == "'\tx");
    CHECK(cell("\rx") == "\"'\rx\"");
    CHECK(cell("=\"a\",1") == "\"'=\"\"a\"\",1\"");
    std::string row;
    feedback::csv::add_cell(row, "a", true);
    feedback::csv::add_cell(row, "");
    feedback::csv::end_row(row);
    CHECK(row == "a,\r\n");
}

TEST_CASE("an export as CSV contains the same data as NDJSON", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), user = world.as_user(ada);
    for (auto const* title : {"=cmd()", "+1", "-1", "@x", "\tx", "\rx", "a,b", "say \"hi\"", "two\r\nlines",
             "Grüße 🙂", "'quoted'", " space "}) {
        auto const thread = thread_with(
            user, {{"title", title}, {"tags", {"=tag", "a,b"}}, {"appContext", {{"os", "=iOS"}}}});
        reply(user, thread, title);
        reply(backend, thread, title, true);
    }
    thread_with(backend, {{"title", "without anything"}, {"priority", "high"}});
    check_same(world, backend, "");
    check_same(world, backend, "&include=replies");
    check_same(world, backend, "&include=replies&sort=lastReplyAt&priority=high");

    auto const csv = backend.get("/v1/feedbacks/export?format=csv&include=replies");
    CHECK(csv.header("content-type") == "text/csv; charset=utf-8; header=present");
    CHECK(csv.header("content-disposition") == "attachment; filename=\"feedback.csv\"");
    CHECK(csv.body.starts_with("type,feedbackId,status,"));
    CHECK(csv.body.ends_with("\r\n"));
    auto const header = csv.body.substr(0, csv.body.find("\r\n"));
    for (auto const* name : {",replyId", ",authorId", ",authorRole", ",internal", ",editedAt"})
        CHECK(header.find(name) != std::string::npos);
    CHECK(header.find("feedbackId", header.find("feedbackId") + 1) == std::string::npos);
    auto const without = backend.get("/v1/feedbacks/export?format=csv").body;
    CHECK(without.substr(0, without.find("\r\n")).find("replyId") == std::string::npos);
}

TEST_CASE("staff export all threads and internal notes in each format, and users may not", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), user = world.as_user(ada);
    auto const thread = thread_with(user, {{"title", "Ada's title"}});
    thread_with(backend, {{"title", "Another title"}});
    reply(user, thread, "A public reply");
    reply(backend, thread, "An internal note", true);
    for (std::string const format : {"", "?format=ndjson", "?format=csv"}) {
        for (bool const with_replies : {false, true}) {
            auto const path =
                "/v1/feedbacks/export" + format +
                (with_replies ? (format.empty() ? "?" : "&") + std::string("include=replies") : "");
            CAPTURE(path);
            auto const expected = backend.get(path);
            for (auto const* title : {"Ada's title", "Another title"})
                CHECK_THAT(expected.body, Catch::Contains(title));
            for (auto const* words : {"A public reply", "An internal note"})
                CHECK((expected.body.find(words) != std::string::npos) == with_replies);
            for (auto& [name, id, client] : all_staff(world)) {
                CAPTURE(name);
                auto const r = client.get(path);
                CHECK(r.status == 200);
                CHECK(r.body == expected.body);
                CHECK(r.header("content-type") == expected.header("content-type"));
            }
            auto const refused = user.get(path);
            CHECK(refused.status == 403);
            CHECK(testing::error_of(refused) == "FORBIDDEN");
            CHECK(refused.body.find("Ada's title") == std::string::npos);
        }
    }
}

TEST_CASE(
    "an export contains the replies of each thread after the thread, also of long threads", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    constexpr int threads = 45;
    for (int i = 0; i < threads; ++i)
        new_thread(backend, std::to_string(i));
    // The numbers of replies are around the sizes of the pages.
    world.postgres.query(R"(
        INSERT INTO replies (scope_id, feedback_id, reply_id, created_at, body, author_id, author_role, internal)
        SELECT f.scope_id, f.feedback_id, gen_random_uuid(), f.created_at + n * interval '1 ms', n::text, 'master',
            'owner', n % 2 = 0
        FROM feedbacks f, generate_series(1, (ARRAY[0, 1, 9, 10, 11, 110, 111, 310, 20])[1 + f.title::integer % 9]) n)");
    auto const lines = lines_of(backend.get("/v1/feedbacks/export?include=replies").body);
    std::string thread;
    int count = 0, replies = 0;
    for (auto const& line : lines) {
        if (line.at("type") == "feedback") {
            thread = text(line, "feedbackId");
            CHECK(text(line, "title") == std::to_string(threads - ++count));
            replies = 0;
        } else {
            CHECK(line.at("type") == "reply");
            CHECK(text(line, "feedbackId") == thread);
            CHECK(text(line, "body") == std::to_string(++replies));
        }
    }
    CHECK(count == threads);
    CHECK(std::to_string(lines.size() - threads) == world.postgres.query("SELECT count(*) FROM replies"));
    check_same(world, backend, "&include=replies");
}

TEST_CASE("an empty export as CSV has a header, and as NDJSON nothing", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    CHECK(parse_csv(world, backend.get("/v1/feedbacks/export?format=csv").body).size() == 1);
    CHECK(backend.get("/v1/feedbacks/export?include=replies").body.empty());
    new_thread(backend);
    auto const line = lines_of(backend.get("/v1/feedbacks/export").body).at(0);
    CHECK_FALSE(line.contains("type"));
    for (auto const* bad : {"format=xlsx", "include=votes", "format=", "sort=votes"}) {
        CAPTURE(bad);
        CHECK(backend.get(std::string("/v1/feedbacks/export?") + bad).status == 400);
    }
}

TEST_CASE("a user does not see the email address of the assignee", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), user = world.as_user(ada);
    auto const path = "/v1/feedbacks/" + new_thread(user);
    REQUIRE(backend.patch(path, R"({"assigneeId":"g","assigneeEmail":"grace@example.com"})").status == 200);
    CHECK(text(backend.get(path).json(), "assigneeEmail") == "grace@example.com");
    CHECK(user.get(path).json().at("assigneeEmail").is_null());
    CHECK(text(user.get(path).json(), "assigneeId") == "g");
    for (auto const& list : {std::string("/v1/feedbacks"), std::string("/v1/feedbacks?sort=lastReplyAt"),
             "/v1/users/" + std::string(ada) + "/export"}) {
        CAPTURE(list);
        auto const shown = user.get(list);
        CHECK(shown.status == 200);
        CHECK(shown.body.find(text(user.get(path).json(), "feedbackId")) != std::string::npos);
        CHECK(shown.body.find("grace@example.com") == std::string::npos);
    }
}
