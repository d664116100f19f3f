#include "api.hpp"
#include "blobs/attachment_rows.hpp"
#include "blobs/erasure.hpp"
#include "jobs/worker.hpp"
#include "support/database_clock.hpp"
#include "support/eventually.hpp"

using namespace blobs_test;
using testing::eventually;

namespace {

using Ids = std::vector<core::Uuid>;

struct Erasing : LocalService {
    Erasing() { testing::rule_database(clock, postgres); }

    template <class Work> auto in_transaction(Work work)
    {
        return db.transact_blocking(core::ScopeId{14}, work);
    }

    core::Uuid upload(std::string const& owner, testing::HttpClient::Headers headers = {})
    {
        headers.emplace_back("X-User", owner);
        return *core::Uuid::parse(upload_text(client, "text", headers));
    }

    void attach(core::Uuid const& id, core::Uuid const& parent)
    {
        std::vector<std::string> const ids{id.to_string()};
        in_transaction([&](pg::Tx& tx) {
            return api.attachments.attach(tx, scope(), ids, key(), {.type = "feedback", .id = parent}).size();
        });
    }

    /// Runs the jobs that delete blobs.
    bool expire()
    {
        jobs::Worker const worker(db, clock,
            {.queue = blobs::expire_queue, .threads = 2, .poll = std::chrono::milliseconds(10)},
            blobs::expire_handler(api.attachments));
        return eventually([&] {
            return postgres.query(
                       "SELECT count(*) FROM jobs WHERE queue = 'blobs.expire' AND run_at <= jobs_now()") ==
                   "0";
        });
    }

    testing::HttpClient client = api.client();
};

} // namespace

TEST_CASE("the attachments of a user are listed in the order of their ids, page by page")
{
    Erasing s;
    Ids ids;
    for (int i = 0; i < 5; ++i)
        ids.push_back(s.upload("ada"));
    s.upload("bob");
    upload_text(s.client, "of a key");
    s.upload("ada", {{"X-Scope", "15"}});
    std::ranges::sort(ids);
    Ids listed;
    core::Uuid after;
    for (std::size_t size = 2; size == 2;) {
        auto const page = s.in_transaction([&](pg::Tx& tx) {
            return blobs::attachment_rows::list_of_owner(
                tx, core::ScopeId{14}, core::UserId("ada"), after, 2);
        });
        size = page.size();
        for (auto const& attachment : page)
            listed.push_back(after = attachment.id);
    }
    CHECK(listed == ids);
}

TEST_CASE("erased attachments lose their rows at once and their blobs soon afterwards, in all states")
{
    Erasing s;
    auto const parent = core::Uuid::v7(), other = core::Uuid::v7();
    auto const attached = s.upload("ada"), unattached = s.upload("ada"), elsewhere = s.upload("ada");
    auto const waiting = *core::Uuid::parse(presign(s.client, "a", "text/plain", 1, {{"X-User", "ada"}}).id);
    auto const kept = s.upload("bob");
    s.attach(attached, parent);
    s.attach(elsewhere, other);
    Ids const ids{attached, unattached, elsewhere, waiting, core::Uuid::v7()}, parents{parent};
    auto erased = s.in_transaction(
        [&](pg::Tx& tx) { return blobs::erase_attachments(tx, core::ScopeId{14}, ids, parents); });
    std::ranges::sort(erased);
    Ids expected{attached, unattached, waiting};
    std::ranges::sort(expected);
    CHECK(erased == expected);
    CHECK(s.postgres.query("SELECT count(*) FROM attachments") == "2");
    CHECK(s.files() == 4);
    REQUIRE(s.expire());
    CHECK(eventually([&] { return s.files() == 2; }));
    CHECK(s.client.get(download_path(s.client, kept.to_string())).body == "text");
}

TEST_CASE("all attachments of parents are erased, in steps, whoever presigned them")
{
    Erasing s;
    Ids const parents{core::Uuid::v7(), core::Uuid::v7()};
    auto const other = core::Uuid::v7();
    for (auto const* owner : {"ada", "bob"})
        for (auto const& parent : {parents[0], parents[1], other})
            s.attach(s.upload(owner), parent);
    auto const erase = [&](std::size_t limit) {
        return s.in_transaction([&](pg::Tx& tx) {
            return blobs::erase_attachments_of(tx, core::ScopeId{14}, parents, limit).size();
        });
    };
    CHECK(erase(3) == 3);
    CHECK(erase(3) == 1);
    CHECK(erase(3) == 0);
    REQUIRE(s.expire());
    CHECK(eventually([&] { return s.files() == 2; }));
    CHECK(s.postgres.query(
              "SELECT count(*) FROM attachments WHERE parent_id = '" + other.to_string() + "'") == "2");
}

TEST_CASE("an erasure that is rolled back erases nothing")
{
    Erasing s;
    Ids const ids{s.upload("ada")};
    CHECK_THROWS(s.in_transaction([&](pg::Tx& tx) -> int {
        blobs::erase_attachments(tx, core::ScopeId{14}, ids, std::nullopt);
        throw std::runtime_error("no");
    }));
    REQUIRE(s.expire());
    CHECK(s.files() == 1);
    CHECK(s.client.get(download_path(s.client, ids[0].to_string())).status == 200);
}

TEST_CASE("attachments of another scope are not erased")
{
    Erasing s;
    Ids const ids{s.upload("ada", {{"X-Scope", "15"}})};
    auto const erased = s.in_transaction(
        [&](pg::Tx& tx) { return blobs::erase_attachments(tx, core::ScopeId{14}, ids, std::nullopt); });
    CHECK(erased.empty());
    CHECK(s.postgres.query("SELECT count(*) FROM attachments") == "1");
}
