#include "api.hpp"
#include "jobs/worker.hpp"
#include "pg/row.hpp"
#include "support/database_clock.hpp"
#include "support/eventually.hpp"
#include "support/run_awaitable.hpp"

#include <atomic>
#include <thread>

using namespace blobs_test;
using testing::eventually;

namespace {

using Ids = std::vector<std::string>;
using Faults = std::vector<std::pair<std::string, std::string>>;

struct Attaching : LocalService {
    using LocalService::LocalService;

    testing::HttpClient client = api.client();
    blobs::Parent const parent{.type = "feedback", .id = core::Uuid::v7()};

    std::vector<blobs::Attachment> attach(
        Ids const& ids, core::Caller const& caller, core::ScopeId scope_id = core::ScopeId{14})
    {
        return db.transact_blocking(scope_id,
            [&](pg::Tx& tx) { return api.attachments.attach(tx, scope(scope_id), ids, caller, parent); });
    }

    /// Returns the pointer and code of each error, or nothing if the call succeeds.
    Faults faults(Ids const& ids, core::Caller const& caller, core::ScopeId scope_id = core::ScopeId{14})
    {
        Faults found;
        try {
            attach(ids, caller, scope_id);
        } catch (core::Error const& error) {
            CHECK(error.code().name == "VALIDATION_ERROR");
            for (auto const& fault : error.faults())
                found.emplace_back(fault.pointer, fault.code);
        }
        return found;
    }
};

} // namespace

TEST_CASE("uploaded attachments are attached in the order of the list")
{
    Attaching s;
    std::string const a = upload_text(s.client, "a", {{"X-User", "u1"}});
    std::string const b = upload_text(s.client, "bb", {{"X-User", "u1"}});
    auto const attached = s.attach({b, a}, user("u1"));
    REQUIRE(attached.size() == 2);
    CHECK(attached[0].id.to_string() == b);
    CHECK(attached[1].id.to_string() == a);
    CHECK(attached[0].state == blobs::State::attached);
    CHECK(s.postgres.query("SELECT DISTINCT parent_type FROM attachments") == "feedback");
    CHECK(attached[0].parent_id == s.parent.id);
    CHECK(attached[0].size_bytes == 2);
    CHECK(s.client.get(download_path(s.client, b)).body == "bb");
    CHECK(s.attach({}, user("u1")).empty());
}

TEST_CASE("attachments that cannot be attached are reported by index, and no attachment is attached")
{
    Attaching s;
    std::string const good = upload_text(s.client, "a", {{"X-User", "u1"}});
    std::string const other = upload_text(s.client, "a", {{"X-User", "u2"}});
    std::string const staff = upload_text(s.client, "a");
    std::string const used = upload_text(s.client, "a", {{"X-User", "u1"}});
    std::string const waiting = presign(s.client, "a", "text/plain", 1, {{"X-User", "u1"}}).id;
    s.attach({used}, user("u1"));

    CHECK(s.faults({other, good, staff, used, waiting, core::Uuid::v7().to_string()}, user("u1")) ==
          Faults{{"/attachmentIds/0", "not_attachable"}, {"/attachmentIds/2", "not_attachable"},
              {"/attachmentIds/3", "not_attachable"}, {"/attachmentIds/4", "not_attachable"},
              {"/attachmentIds/5", "not_attachable"}});
    CHECK(s.faults({"../x", good, good, ""}, user("u1")) == Faults{{"/attachmentIds/0", "format"},
                                                                {"/attachmentIds/2", "duplicate"},
                                                                {"/attachmentIds/3", "format"}});
    CHECK(s.faults({good}, user("u1"), core::ScopeId{15}) == Faults{{"/attachmentIds/0", "not_attachable"}});
    CHECK(s.faults({"00000000-0000-0000-0000-000000000000"}, user("u1")).size() == 1);
    CHECK(s.faults({good}, user("u1")).empty());
}

TEST_CASE("staff may attach uploads of any user of the scope")
{
    Attaching s;
    std::string const users = upload_text(s.client, "a", {{"X-User", "u1"}});
    std::string const keys = upload_text(s.client, "a");
    CHECK(s.faults({users, keys}, key()).empty());
    CHECK(s.faults({users}, key()) == Faults{{"/attachmentIds/0", "not_attachable"}});
    CHECK(s.faults({upload_text(s.client, "a")}, key(), core::ScopeId{15}) ==
          Faults{{"/attachmentIds/0", "not_attachable"}});
}

TEST_CASE("a transaction that is rolled back leaves the attachment unattached")
{
    Attaching s;
    std::string const id = upload_text(s.client, "a");
    CHECK_THROWS_AS(s.db.transact_blocking(core::ScopeId{14},
                        [&](pg::Tx& tx) -> int {
                            s.api.attachments.attach(tx, scope(), Ids{id}, key(), s.parent);
                            throw std::runtime_error("the reply could not be written");
                        }),
        std::runtime_error);
    CHECK(s.faults({id}, key()).empty());
}

TEST_CASE("exactly one of several parallel transactions attaches the same files, in any order of their ids")
{
    Attaching s;
    for (int round = 0; round < 10; ++round) {
        Ids const forward{upload_text(s.client, "a"), upload_text(s.client, "b"), upload_text(s.client, "c")};
        Ids const backward(forward.rbegin(), forward.rend());
        std::atomic<int> won = 0;
        std::atomic<int> lost = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                try {
                    s.attach(i % 2 == 0 ? forward : backward, key());
                    ++won;
                } catch (core::Error const& error) {
                    if (error.code().status == 400) ++lost;
                }
            });
        }
        for (auto& thread : threads)
            thread.join();
        CHECK(won == 1);
        CHECK(lost == 3);
    }
}

TEST_CASE("reusable attachments can be attached again and keep their first parent")
{
    Attaching s({.reusable = true});
    std::string const id = upload_text(s.client, "a");
    s.attach({id}, key());
    blobs::Parent const second{.type = "notification", .id = core::Uuid::v7(), .internal = true};
    auto const again = s.db.transact_blocking(core::ScopeId{14},
        [&](pg::Tx& tx) { return s.api.attachments.attach(tx, scope(), Ids{id}, key(), second); });
    REQUIRE(again.size() == 1);
    CHECK(again[0].parent_id == s.parent.id);
    CHECK_FALSE(again[0].internal);
    CHECK(s.faults({id}, user("u1")).size() == 1);
}

TEST_CASE("an unattached attachment is deleted after a day, and an attached one is kept")
{
    Attaching s;
    std::string const waiting = presign(s.client, "a", "text/plain", 1).id;
    std::string const uploaded = upload_text(s.client, "uploaded");
    std::string const attached = upload_text(s.client, "attached");
    s.attach({attached}, key());
    // The state after a crash between storing the blob and writing its row.
    auto orphan = [](blobs::LocalStore& store, blobs::Key key) -> asio::awaitable<void> {
        auto incoming = co_await store.receive(std::move(key), "text/plain");
        co_await incoming.commit();
    };
    testing::run_awaitable(orphan(s.store, {core::ScopeId{14}, *core::Uuid::parse(attached), {}}));
    testing::run_awaitable(orphan(s.store, {core::ScopeId{14}, *core::Uuid::parse(waiting), {}}));
    CHECK(s.files() == 4);

    testing::rule_database(s.clock, s.postgres);
    jobs::Worker worker(s.db, s.clock,
        {.queue = blobs::expire_queue, .threads = 2, .poll = std::chrono::milliseconds(10)},
        blobs::expire_handler(s.api.attachments));
    s.clock.advance(std::chrono::hours(24) - std::chrono::seconds(1));
    worker.wake();
    CHECK_FALSE(eventually([&] { return s.files() != 4; }, std::chrono::milliseconds(200)));
    s.clock.advance(std::chrono::seconds(1));
    worker.wake();
    CHECK(eventually(
        [&] { return s.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'blobs.expire'") == "0"; }));
    CHECK(s.postgres.query("SELECT string_agg(attachment_id::text, ' ') FROM attachments") == attached);
    CHECK(s.files() == 1);
    CHECK(s.client.get("/v1/attachments/" + uploaded).status == 404);
    CHECK(s.client.get(download_path(s.client, attached)).body == "attached");
    s.api.attachments.expire(core::ScopeId{14}, *core::Uuid::parse(attached));
    s.api.attachments.expire(core::ScopeId{14}, *core::Uuid::parse(uploaded));
    CHECK(s.files() == 1);
}

TEST_CASE("an attachment without an upload is deleted after an hour, and one with an upload is not")
{
    Attaching s;
    auto const waiting = presign(s.client, "a", "text/plain", 1);
    std::string const uploaded = upload_text(s.client, "uploaded");
    auto const settle = [&](std::string const& id) {
        return s.api.attachments.settle(core::ScopeId{14}, *core::Uuid::parse(id));
    };
    auto const presigned_at = s.clock.now();
    CHECK(settle(waiting.id) == presigned_at + std::chrono::hours(1));
    CHECK(settle(uploaded) == std::nullopt);
    s.clock.advance(std::chrono::hours(1) - std::chrono::seconds(1));
    CHECK(settle(waiting.id) == presigned_at + std::chrono::hours(1));
    CHECK(s.client.get("/v1/attachments/" + waiting.id).status == 200);

    s.clock.advance(std::chrono::seconds(1));
    jobs::Worker const worker(s.db, s.clock,
        {.queue = blobs::settle_queue, .threads = 2, .poll = std::chrono::milliseconds(10)},
        blobs::settle_handler(s.api.attachments));
    CHECK(eventually(
        [&] { return s.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'blobs.settle'") == "0"; }));
    CHECK(s.client.get("/v1/attachments/" + waiting.id).status == 404);
    CHECK(s.client.get(download_path(s.client, uploaded)).body == "uploaded");
    CHECK(s.files() == 1);
    CHECK(settle(waiting.id) == std::nullopt);
}

TEST_CASE("rows are isolated by scope")
{
    Attaching s;
    upload_text(s.client, "a");
    auto const seen = [&](pg::Scopes const& scopes) {
        return s.db.transact_blocking(scopes, [](pg::Tx& tx) {
            return pg::RowReader(tx.run("SELECT count(*) FROM attachments").front()).integer();
        });
    };
    CHECK(seen(core::ScopeId{14}) == 1);
    CHECK(seen(core::ScopeId{15}) == 0);
    CHECK(seen({}) == 0);
}

TEST_CASE("a store that detects its uploads itself needs no confirmation")
{
    Attaching s;
    std::string const waiting = presign(s.client, "a", "text/plain", 1).id;
    Ids const ids{waiting, "nonsense"};
    testing::run_awaitable(s.api.attachments.confirm_uploads(scope(), ids));
    CHECK(s.postgres.query("SELECT state FROM attachments") == "presigned");
}
