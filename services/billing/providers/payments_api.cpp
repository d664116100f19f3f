#include "providers/payments_api.hpp"

#include "core/backoff.hpp"
#include "core/id.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "crypto/random.hpp"
#include "domain/event_fields.hpp"
#include "domain/payment_event.hpp"
#include "domain/payment_fields.hpp"
#include "providers/payments_responses.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

namespace billing {

namespace {

namespace json = boost::json;
using Kind = ProviderApiError::Kind;
using Steady = std::chrono::steady_clock;
using payments_responses::Page, payments_responses::malformed, payments_responses::id_of;
using std::chrono::milliseconds;

/// Adds a parameter to a query. `name` may contain brackets. An empty `value` adds nothing.
void add(std::string& target, std::string_view name, std::string_view value)
{
    if (value.empty()) return;
    target += target.find('?') == std::string::npos ? '?' : '&';
    target += core::percent_encode(name) + '=' + core::percent_encode(value);
}

/// The pause before the next attempt; nullopt if there is none. `attempt` counts from 0.
std::optional<milliseconds> pause_after(
    ProviderApiError const& error, unsigned attempt, PaymentsCall const& call)
{
    auto const& retries = call.retries;
    bool const may_pass = error.kind() == Kind::throttled || error.kind() == Kind::unavailable;
    auto const stated = error.retry_after().value_or(std::chrono::seconds(0));
    if (!may_pass || attempt + 1 >= retries.attempts || stated > retries.longest_retry_after)
        return std::nullopt;
    milliseconds const pause = std::max<milliseconds>(
        stated, core::backoff(attempt, retries.first_pause, retries.longest_pause, crypto::random_u64()));
    return pause < call.deadline - Steady::now() ? std::optional(pause) : std::nullopt;
}

void wait(milliseconds pause, std::stop_token const& stop)
{
    std::mutex mutex;
    std::condition_variable_any wakeup;
    std::unique_lock lock(mutex);
    wakeup.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested()) throw ProviderApiError(Kind::stopped, "a stop was requested");
}

milliseconds time_limit(PaymentsCall const& call)
{
    auto const left = std::chrono::duration_cast<milliseconds>(call.deadline - Steady::now());
    if (left <= milliseconds(0))
        throw ProviderApiError(Kind::unavailable, "the time for the call has passed");
    return std::min(ProviderClient::timeout, left);
}

/// Sends a GET request, and repeats it as `call.retries` allow. Returns `read(response)`.
template <class Read>
auto get(ProviderClient const& client, std::string const& target, PaymentsCall const& call, Read const& read)
{
    std::string const idempotency_key = core::Uuid::v7().to_string(); // of all attempts
    for (unsigned attempt = 0;; ++attempt) {
        milliseconds pause{0};
        try {
            return client.get({.target = target,
                                  .api_key = call.api_key,
                                  .headers = {{"Stripe-Version", PaymentsApi::version},
                                      {"Idempotency-Key", idempotency_key}},
                                  .timeout = time_limit(call),
                                  .stop = call.stop,
                                  .traceparent = call.traceparent},
                read);
        } catch (ProviderApiError const& e) {
            auto const next = pause_after(e, attempt, call);
            if (!next) throw;
            pause = *next;
        }
        wait(pause, call.stop);
    }
}

/// Sets the provider's time back from its response to the request, because the content of the response may
/// be as old as the request.
template <class Timed> void set_back(Timed& response, Steady::time_point requested)
{
    if (response.platform_time)
        *response.platform_time -= std::chrono::ceil<core::Time::duration>(Steady::now() - requested);
}

/// A page whose last object is the cursor that led to the page would repeat for ever.
void check_progress(Page const& page, std::string const& starting_after)
{
    if (page.has_more && page.last_id == starting_after) malformed("a page that repeats");
}

Page list_page(ProviderClient const& client, PaymentsApi::ListQuery const& query, PaymentsCall const& call)
{
    std::string target = "/v1/subscriptions?status=all";
    add(target, "limit", std::to_string(query.limit));
    if (query.since) add(target, "created[gte]", std::to_string(core::unix_seconds(*query.since)));
    add(target, "customer", query.customer);
    add(target, "starting_after", query.starting_after);
    auto const requested = Steady::now();
    auto page = get(client, target, call, payments_responses::read_subscriptions);
    set_back(page, requested);
    check_progress(page, query.starting_after);
    return page;
}

bool has_ended(json::value const& subscription)
{
    auto const status =
        core::parse_enum<SubscriptionStatus>(event_fields::text_if_any(subscription, "status").value_or(""));
    return status && is_final(*status);
}

template <class T> void append(std::vector<T>& to, std::vector<T>&& more)
{
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Adds the user's subscriptions in a page to the result.
void add_page(PaymentsApi::Subscriptions& to, Page&& page, bool is_first, core::UserId const& user_id)
{
    std::erase_if(page.data, [&](auto const& subscription) { return !belongs_to(subscription, user_id); });
    append(to.subscriptions, std::move(page.data));
    to.has_more = page.has_more;
    if (is_first) to.platform_time = page.platform_time;
}

} // namespace

PaymentsApi::PaymentsApi(std::string base_url, http_client::Client& client, observe::Metrics& metrics)
    : client_(std::move(base_url), client, metrics, "payments")
{
}

PaymentsApi::Subscriptions PaymentsApi::list(ListQuery const& query, PaymentsCall const& call) const
{
    auto page = list_page(client_, query, call);
    for (auto& subscription : page.data)
        complete_items(subscription, call);
    return {std::move(page.data), page.has_more, page.platform_time};
}

PaymentsApi::Subscriptions PaymentsApi::search(core::UserId const& user_id, PaymentsCall const& call) const
{
    Subscriptions found;
    std::string cursor;
    for (unsigned n = 0; n < max_search_pages; ++n) {
        std::string target = "/v1/subscriptions/search";
        add(target, "query", search_query(user_id));
        add(target, "limit", std::to_string(page_size));
        add(target, "page", cursor);
        auto const requested = Steady::now();
        auto page = get(client_, target, call, payments_responses::read_search);
        if (!page) return list_of(user_id, call);
        set_back(*page, requested);
        cursor = page->next_page;
        add_page(found, *std::move(page), n == 0, user_id);
        if (!found.has_more) break;
    }
    refresh(found, user_id, call);
    return found;
}

PaymentsApi::Subscriptions PaymentsApi::list_of(core::UserId const& user_id, PaymentsCall const& call) const
{
    Subscriptions found;
    std::string last_id;
    for (unsigned n = 0; n < max_list_pages; ++n) {
        auto page = list_page(client_, {.starting_after = last_id}, call);
        last_id = page.last_id;
        add_page(found, std::move(page), n == 0, user_id);
        if (!found.has_more) break;
    }
    for (auto& subscription : found.subscriptions)
        complete_items(subscription, call);
    return found;
}

/// Subscriptions that have ended never change, so they are not fetched.
void PaymentsApi::refresh(Subscriptions& found, core::UserId const& user_id, PaymentsCall const& call) const
{
    std::vector<json::value> fresh;
    for (auto& subscription : found.subscriptions) {
        if (has_ended(subscription)) {
            complete_items(subscription, call);
            fresh.push_back(std::move(subscription));
        } else if (auto fetched = retrieve(id_of(subscription, "subscription"), call)) {
            if (belongs_to(fetched->subscription, user_id)) fresh.push_back(std::move(fetched->subscription));
        }
    }
    found.subscriptions = std::move(fresh);
}

std::optional<PaymentsApi::FetchedSubscription> PaymentsApi::retrieve(
    std::string const& subscription_id, PaymentsCall const& call) const
{
    auto const read = [&](http_client::Response const& response) -> std::optional<FetchedSubscription> {
        if (response.status == 404 && payments_responses::is_missing(response)) return std::nullopt;
        FetchedSubscription fetched{
            payments_responses::read_object(response), payments_responses::date_of(response)};
        if (id_of(fetched.subscription, "subscription") != subscription_id) malformed("another subscription");
        return fetched;
    };
    auto const requested = Steady::now();
    auto fetched = get(client_, "/v1/subscriptions/" + path_segment(subscription_id), call, read);
    if (!fetched) return std::nullopt;
    set_back(*fetched, requested);
    complete_items(fetched->subscription, call);
    return fetched;
}

std::optional<std::vector<json::value>> PaymentsApi::items(
    std::string const& subscription_id, PaymentsCall const& call) const
{
    std::vector<json::value> found;
    std::string last_id;
    for (unsigned n = 0; n < max_item_pages; ++n) {
        std::string target = "/v1/subscription_items";
        add(target, "subscription", subscription_id);
        add(target, "limit", std::to_string(page_size));
        add(target, "starting_after", last_id);
        auto page = get(client_, target, call, payments_responses::read_items);
        if (!page) return std::nullopt;
        check_progress(*page, last_id);
        append(found, std::move(page->data));
        if (!page->has_more) return found;
        last_id = page->last_id;
    }
    malformed("a subscription with too many items");
}

/// If the provider does not list the items, the subscription stays incomplete: `items.has_more` stays true.
void PaymentsApi::complete_items(json::value& subscription, PaymentsCall const& call) const
{
    auto& members = subscription.get_object();
    auto* list = members.contains("items") ? members["items"].if_object() : nullptr;
    auto const* has_more = list == nullptr ? nullptr : list->if_contains("has_more");
    if (has_more == nullptr || *has_more != true) return;
    auto all = items(id_of(subscription, "subscription"), call);
    if (!all) return;
    (*list)["data"] = json::array(std::move_iterator(all->begin()), std::move_iterator(all->end()));
    (*list)["has_more"] = false;
}

std::optional<std::string> PaymentsApi::invoice_of(
    std::string const& payment_intent_id, PaymentsCall const& call) const
{
    std::string target = "/v1/invoice_payments";
    add(target, "payment[type]", "payment_intent");
    add(target, "payment[payment_intent]", payment_intent_id);
    add(target, "limit", std::to_string(page_size));
    return get(client_, target, call, [&](http_client::Response const& response) {
        return payments_responses::read_invoice(response, payment_intent_id);
    });
}

bool belongs_to(json::value const& subscription, core::UserId const& user_id)
{
    auto const* id = payment_fields::find(&subscription, {"metadata", "userId"});
    return id != nullptr && id->is_string() && id->get_string() == user_id.text();
}

std::string search_query(core::UserId const& user_id)
{
    std::string query = "metadata['userId']:'";
    for (char const c : user_id.text()) {
        if (c == '\'' || c == '"' || c == '\\') query += '\\';
        query += c;
    }
    return query + '\'';
}

} // namespace billing
