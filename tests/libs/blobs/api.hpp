#pragma once

#include "blobs/attachment_handlers.hpp"
#include "blobs/local_store.hpp"
#include "core/error.hpp"
#include "http/problem.hpp"
#include "http/router.hpp"
#include "http_server/server.hpp"
#include "idempotency/once.hpp"
#include "jobs/queue.hpp"
#include "support/fake_clock.hpp"
#include "support/http_client.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"
#include "tenancy/tenant_rows.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

/// A service that has only attachments, with a real server, database and store.
namespace blobs_test {

namespace asio = boost::asio;

inline core::Scope scope(core::ScopeId id = core::ScopeId{14})
{
    return {core::ScopeId{id}, "demo"};
}

inline core::Caller user(std::string id)
{
    return {.kind = core::Access::user, .id = std::move(id), .email = {}, .session_id = {}, .role = "user"};
}

inline core::Caller key()
{
    return {
        .kind = core::Access::key, .id = "key:fbk_12345678", .email = {}, .session_id = {}, .role = "admin"};
}

/// A database with the tables for attachments.
inline testing::Postgres database()
{
    return testing::Postgres::migrated(
        {&tenancy::migrations(), &jobs::migrations(), &idempotency::migrations(), &blobs::migrations()},
        "blobs");
}

inline blobs::UrlTokens url_tokens()
{
    return blobs::UrlTokens({core::Secret("a secret that tests sign addresses with")});
}

/// The headers X-User, X-Scope and Idempotency-Key set the caller and the scope. Without X-User the caller is
/// an API key.
class Application final : public http::Application {
public:
    explicit Application(blobs::Attachments& attachments) : attachments_(attachments), router_(endpoints()) {}

    asio::awaitable<http::Response> handle(http::Request& request) override
    {
        http::Response response;
        try {
            response = co_await answer(request);
        } catch (core::Error const& error) {
            response = http::problem(error, "test");
        }
        co_return response;
    }

    /// Decides whether a user who did not presign an attachment may read it after it was attached.
    std::function<bool(blobs::Attachment const&)> may_read = [](blobs::Attachment const&) { return false; };

private:
    std::vector<http::Endpoint> endpoints()
    {
        using Handler = std::function<asio::awaitable<http::Response>(http::Request const&)>;
        auto const endpoint = [](http::Method method, std::string_view path, http::RouteOptions options,
                                  Handler h) {
            return http::Endpoint{method, path, core::Access::anonymous, options, std::move(h), 0};
        };
        http::RouteOptions const upload{.tenantless = true, .streams_body = true, .body_limit = 26'214'400};
        return {
            endpoint(http::Method::post, "/v1/attachments/presign", http::idempotent,
                [this](http::Request const& r) { return blobs::presign(r, attachments_); }),
            endpoint(http::Method::get, "/v1/attachments/{attachmentId}", {},
                [this](http::Request const& r) { return attachments_.get(r, rule()); }),
            endpoint(http::Method::put, "/uploads/{token}", upload,
                [this](http::Request const& r) { return blobs::put_upload(r, attachments_); }),
            endpoint(http::Method::get, "/downloads/{token}", http::tenantless,
                [this](http::Request const& r) { return blobs::get_download(r, attachments_); }),
        };
    }

    blobs::MayRead rule()
    {
        return [this](blobs::Attachment const& a) -> asio::awaitable<bool> { co_return may_read(a); };
    }

    asio::awaitable<http::Response> answer(http::Request& request)
    {
        auto const match = router_.match(request);
        if (match.endpoint == nullptr) throw core::Error(core::codes::not_found, "no such route");
        request.context.scope =
            scope(core::ScopeId{std::stoll(std::string(request.header("X-Scope").value_or("14")))});
        auto const user_id = request.header("X-User");
        request.context.caller = user_id ? user(std::string(*user_id)) : key();
        request.context.idempotency_key = std::string(request.header("Idempotency-Key").value_or(""));
        if (!match.endpoint->options.streams_body) {
            co_await request.body_reader->read_all(request.body, match.endpoint->options.body_limit);
        }
        co_return co_await match.endpoint->handler(request);
    }

    blobs::Attachments& attachments_;
    http::Router router_;
};

/// The running service. The test provides the store.
class Api {
public:
    Api(pg::Database& database, blobs::BlobStore& store, core::Clock const& clock,
        blobs::AttachmentsOptions options = {}, http_server::ServerOptions server_options = {})
        : attachments(database, store, clock, std::move(options)), application(attachments),
          server({&ioc_}, std::move(server_options), application), thread_([this] { ioc_.run(); })
    {
    }

    ~Api()
    {
        server.drain();
        server.abort();
        work_.reset();
        thread_.join();
    }

    Api(Api const&) = delete;
    Api& operator=(Api const&) = delete;

    std::string base() const { return "http://127.0.0.1:" + std::to_string(server.port()); }

    testing::HttpClient client() const { return testing::HttpClient(base()); }

private:
    asio::io_context ioc_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(ioc_);

public:
    blobs::Attachments attachments;
    Application application;
    http_server::Server server;

private:
    std::thread thread_;
};

/// The service with a LocalStore and a clock that only the test moves.
struct LocalService {
    testing::Postgres postgres = database();
    pg::Database db{{.url = postgres.service_url(), .application_name = "test_blobs"}};
    testing::FakeClock clock;
    testing::TemporaryDirectory folder{"blobs"};
    blobs::LocalStore store{folder.path(), url_tokens(), clock};
    Api api;

    explicit LocalService(
        blobs::AttachmentsOptions options = {}, http_server::ServerOptions server_options = {})
        : api(db, store, clock, std::move(options), std::move(server_options))
    {
    }

    std::size_t files() const
    {
        std::size_t count = 0;
        for (auto const& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
            if (entry.is_regular_file()) ++count;
        }
        return count;
    }
};

struct Presigned {
    std::string id;
    std::string url;  ///< absolute
    std::string path; ///< of the URL
};

inline Presigned presign(testing::HttpClient& client, std::string const& filename, std::string const& type,
    std::size_t size, testing::HttpClient::Headers const& headers = {})
{
    boost::json::value const body{{"filename", filename}, {"contentType", type}, {"sizeBytes", size}};
    auto const response = client.post("/v1/attachments/presign", boost::json::serialize(body), headers);
    INFO(response.body);
    REQUIRE(response.status == 201);
    auto const json = response.json();
    std::string const url(json.at("uploadUrl").as_string());
    return {std::string(json.at("attachmentId").as_string()), url,
        url.substr(url.find('/', url.find("://") + 3))};
}

inline testing::HttpResponse put(testing::HttpClient& client, Presigned const& presigned,
    std::string const& type, std::string const& bytes)
{
    return client.put(presigned.path, bytes, {{"Content-Type", type}});
}

/// The path of the attachment's download URL.
inline std::string download_path(
    testing::HttpClient& client, std::string const& id, testing::HttpClient::Headers const& headers = {})
{
    auto const response = client.get("/v1/attachments/" + id, headers);
    INFO(response.body);
    REQUIRE(response.status == 200);
    std::string const url(response.json().at("downloadUrl").as_string());
    return url.substr(url.find('/', url.find("://") + 3));
}

/// Uploads a text attachment as that user, or with an API key if the user is empty.
inline std::string upload_text(
    testing::HttpClient& client, std::string const& text, testing::HttpClient::Headers const& headers = {})
{
    auto const presigned = presign(client, "note.txt", "text/plain", text.size(), headers);
    REQUIRE(put(client, presigned, "text/plain", text).status == 200);
    return presigned.id;
}

/// A text member of a JSON object.
inline std::string member(boost::json::value const& json, std::string_view name)
{
    return std::string(json.at(name).as_string());
}

inline std::string code_of(testing::HttpResponse const& response)
{
    return member(response.json(), "error");
}

/// The `pointer` of each error.
inline std::vector<std::string> pointers_of(testing::HttpResponse const& response)
{
    std::vector<std::string> pointers;
    auto const json = response.json();
    for (auto const& fault : json.at("errors").as_array()) {
        pointers.emplace_back(fault.at("pointer").as_string());
    }
    return pointers;
}

} // namespace blobs_test
