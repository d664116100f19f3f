#include "api/templates.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "http/etag.hpp"
#include "http/query.hpp"
#include "idempotency/once.hpp"
#include "paging/cursor.hpp"
#include "storage/templates.hpp"

#include <algorithm>

namespace notify {

namespace {

namespace json = boost::json;

asio::awaitable<Template> get_named(http::Request const& req, Deps& deps)
{
    auto const id = req.uuid_param("templateId");
    co_return co_await deps.db.read(req.scope(),
        [&](pg::Tx& tx) { return core::require_found(templates::get(tx, req.scope(), id), "template"); });
}

/// Locks the template for a change and checks If-Match.
Template lock_named(pg::Tx& tx, http::Request const& req)
{
    auto t = core::require_found(templates::lock(tx, req.scope(), req.uuid_param("templateId")), "template");
    http::check_if_match(req, t.version);
    return t;
}

// --- reading

Template parse_template(http::Request const& req)
{
    core::Fields f(req.json());
    Template t;
    t.id = core::Uuid::v7();
    t.name = f.text("name", 1, max_template_name);
    auto const channel = f.optional_one_of<Channel>("channel");
    if (!channel) f.fault("channel", "required", "is required"); // an earlier error of the field is kept
    auto const format = f.optional_one_of<Format>("format");
    t.subject = f.optional_text("subject", 0, max_template_subject).value_or("");
    t.body = f.text("body", 1, max_template_body);
    t.push = parse_push_settings(f);
    t.channel = channel.value_or(Channel::email);
    t.format = format.value_or(default_format(t.channel));
    for (auto const& fault : faults_of(t)) {
        // Without a valid channel, only errors that do not depend on the channel are reported.
        if (channel || fault.code == "format") f.fault(fault.pointer.substr(1), fault.code, fault.detail);
    }
    f.check();
    return t;
}

/// The fields that a PATCH may contain.
struct Changes {
    core::Change<std::string> name, subject, body;
    core::Change<Channel> channel;
    core::Change<Format> format;
    core::Change<PushSettings> push;

    static Changes parse(http::Request const& req)
    {
        static constexpr std::array<std::string_view, 6> names{
            "name", "channel", "subject", "body", "format", "push"};
        core::Fields f(req.json());
        Changes c;
        for (auto const* required : {"name", "body"})
            if (f.is_null(required)) f.fault(required, "required", "must not be null");
        c.name = f.change_text("name", 1, max_template_name);
        c.channel = f.change_one_of<Channel>("channel", false);
        c.subject = f.change_text("subject", 0, max_template_subject);
        c.body = f.change_text("body", 1, max_template_body);
        c.format = f.change_one_of<Format>("format", true);
        c.push = {f.has("push"), parse_push_settings(f)};
        f.check_any_of(names);
        return c;
    }

    /// Throws VALIDATION_ERROR if the result is not a valid template.
    void apply(Template& t) const
    {
        if (name) t.name = *name.value;
        if (subject) t.subject = subject.value.value_or("");
        if (body) t.body = *body.value;
        if (push) t.push = push.value;
        Channel const before = t.channel;
        if (channel) t.channel = *channel.value;
        if (format || t.channel != before) t.format = format.value.value_or(default_format(t.channel));
        auto faults = faults_of(t);
        if (!faults.empty()) throw core::Error::validation(std::move(faults));
    }
};

// --- writing

/// Writes the member `push`: an object, or null.
void write_push(core::JsonWriter& w, Template const& t)
{
    w.key("push");
    t.push ? w.raw(to_json(*t.push)) : w.null();
}

void write(core::JsonWriter& w, Template const& t)
{
    w.begin_object()
        .member("templateId", t.id.to_string())
        .member("name", t.name)
        .member("channel", to_string(t.channel))
        .member("subject", t.subject)
        .member("body", t.body)
        .member("format", to_string(t.format));
    write_push(w, t);
    w.member("placeholders", placeholders_of(t))
        .member("version", t.version)
        .member("createdAt", t.created_at)
        .member("updatedAt", t.updated_at)
        .end_object();
}

http::Response answer(unsigned status, Template const& t)
{
    core::JsonWriter w(512 + t.body.size());
    write(w, t);
    return http::Response{.status = status, .body = std::move(w).str()}.header("ETag", http::etag(t.version));
}

json::object to_object(Template const& t)
{
    return {{"name", t.name}, {"channel", to_string(t.channel)}, {"subject", t.subject}, {"body", t.body},
        {"format", to_string(t.format)},
        {"push", t.push ? json::parse(to_json(*t.push)) : json::value(nullptr)}};
}

/// Removes the members that are equal in both objects, because bodies are long and most changes concern one
/// member.
void keep_differences(json::object& a, json::object& b)
{
    json::object const all = a;
    for (auto const& member : all) {
        if (b.at(member.key()) != member.value()) continue;
        a.erase(member.key());
        b.erase(member.key());
    }
}

// --- lists

constexpr std::size_t stream_page = 20; ///< templates in memory at once when all are listed

void append(core::JsonWriter& w, std::span<Template const> rows)
{
    for (auto const& t : rows)
        write(w, t);
}

/// `{"templates":[…],"nextCursor":…}`
std::string to_json(paging::Page<Template> const& page)
{
    core::JsonWriter w;
    w.begin_object().key("templates").begin_array();
    append(w, page.items);
    w.end_array().member("nextCursor", page.cursor).end_object();
    return std::move(w).str();
}

/// Streams all templates, page by page. The object outlives the request, so it has its own copy of the scope.
class AllTemplates {
public:
    AllTemplates(pg::Database& db, core::Scope scope) : db_(db), scope_(std::move(scope)) {}

    /// Reads the first page, so that a database error becomes an error response instead of a broken stream.
    asio::awaitable<void> begin() { ahead_ = co_await read(); }

    asio::awaitable<std::string> next()
    {
        if (!ahead_.empty()) co_return std::exchange(ahead_, {});
        co_return co_await read();
    }

private:
    /// The next piece of the response body; empty after the last page.
    asio::awaitable<std::string> read()
    {
        if (done_) co_return std::string();
        auto const rows = co_await db_.read(
            scope_, [this](pg::Tx& tx) { return templates::list(tx, scope_, after_, stream_page); });
        done_ = rows.size() < stream_page;
        std::string text;
        if (!after_)
            text = R"({"templates":[)";
        else if (!rows.empty())
            text = ",";
        core::JsonWriter w;
        append(w, rows);
        text += std::move(w).str();
        if (done_) text += "]}";
        if (!rows.empty()) after_ = paging::ByCreation()(rows.back());
        co_return text;
    }

    pg::Database& db_;
    core::Scope scope_;
    std::optional<paging::Position> after_;
    std::string ahead_;
    bool done_ = false;
};

asio::awaitable<http::Response> answer_all(http::Request const& req, Deps& deps)
{
    auto source = std::make_shared<AllTemplates>(deps.db, req.scope());
    co_await source->begin();
    http::Response response;
    response.stream = [source] { return source->next(); };
    co_return response;
}

} // namespace

Variables parse_variables(core::Fields& f)
{
    Variables variables;
    auto const* given = f.optional_object("variables");
    if (given == nullptr) return variables;
    if (given->get_object().size() > max_variables) {
        f.fault("variables", "too_long", "must have at most " + std::to_string(max_variables) + " members");
        return variables;
    }
    core::Fields nested(*given, "/variables");
    for (auto const& member : given->get_object())
        variables.emplace(member.key(), nested.entry(member.key(), 0, max_rendered_body));
    f.absorb(nested);
    return variables;
}

asio::awaitable<http::Response> create_template(http::Request const& req, Deps& deps)
{
    Template const draft = parse_template(req);
    co_return co_await idempotency::once(deps.db, req, [&](pg::Tx& tx) {
        Template t = draft;
        templates::insert(tx, req.scope(), t);
        audit::record(tx, req.context, audit::created("template", t.id, to_object(t)));
        return answer(201, t).header("Location", "/v1/templates/" + t.id.to_string());
    });
}

asio::awaitable<http::Response> list_templates(http::Request const& req, Deps& deps)
{
    auto const hash = paging::FilterHash().add("list", "templates").value();
    http::Query query(req);
    auto const limit = static_cast<std::size_t>(query.integer("limit", 0, 1, 100)); // 0 if not given
    auto const after = paging::read_cursor(query, hash);
    query.check();
    if (limit == 0 && !after) co_return co_await answer_all(req, deps);

    paging::PageRequest const asked{limit == 0 ? 20 : limit, after, hash};
    auto rows = co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return templates::list(tx, req.scope(), asked.after, asked.rows()); });
    co_return http::Response::ok(to_json(asked.page(std::move(rows))));
}

asio::awaitable<http::Response> get_template(http::Request const& req, Deps& deps)
{
    co_return answer(200, co_await get_named(req, deps));
}

asio::awaitable<http::Response> update_template(http::Request const& req, Deps& deps)
{
    Changes const changes = Changes::parse(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Template t = lock_named(tx, req);
        auto before = to_object(t);
        changes.apply(t);
        templates::update(tx, req.scope(), t);
        auto after = to_object(t);
        keep_differences(before, after);
        audit::record(tx, req.context, audit::updated("template", t.id, std::move(before), std::move(after)));
        return answer(200, t);
    });
}

asio::awaitable<http::Response> delete_template(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Template const t = lock_named(tx, req);
        templates::remove(tx, req.scope(), t.id);
        audit::record(tx, req.context, audit::deleted("template", t.id, to_object(t)));
        return http::Response::deleted();
    });
}

namespace {

Variables parse_preview(http::Request const& req)
{
    core::Fields f(req.json());
    Variables variables = parse_variables(f);
    f.check();
    return variables;
}

} // namespace

asio::awaitable<http::Response> preview_template(http::Request const& req, Deps& deps)
{
    Variables const variables = parse_preview(req);
    Template const t = co_await get_named(req, deps);
    Rendering const rendering = render(t, variables);
    if (!rendering.faults.empty()) throw core::Error::validation(rendering.faults);
    core::JsonWriter w(256 + rendering.content.body.size());
    w.begin_object()
        .member("channel", to_string(t.channel))
        .member("subject", rendering.content.subject)
        .member("body", rendering.content.body)
        .member("format", to_string(t.format));
    write_push(w, t);
    w.end_object();
    co_return http::Response::ok(std::move(w).str());
}

} // namespace notify
