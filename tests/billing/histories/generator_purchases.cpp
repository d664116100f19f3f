#include "events.hpp"
#include "histories/draft.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace histories {

namespace {

using events::day, events::ms;

constexpr std::int64_t second_ms = 1000, hour_ms = 3600 * second_ms, day_ms = 24 * hour_ms;

/// The members that name the user, as the provider knows them at `at_ms`.
json::object user_members(Draft& draft, Customer const& customer, std::int64_t at_ms)
{
    if (customer.anonymous.empty())
        return {{"app_user_id", customer.id}, {"aliases", json::array{customer.id}},
            {"original_app_user_id", customer.id}};
    if (at_ms < customer.signed_in_ms)
        return {{"app_user_id", customer.anonymous}, {"aliases", json::array{customer.anonymous}},
            {"original_app_user_id", customer.anonymous}};
    // The provider reports some events under the id that the app used last.
    bool const old_device = draft.random.chance(6);
    json::object members{{"app_user_id", old_device ? customer.anonymous : customer.id},
        {"aliases", json::array{customer.anonymous, customer.id}},
        {"original_app_user_id", customer.anonymous}};
    if (draft.random.chance(30)) members["aliases"] = json::array{customer.id};
    return members;
}

void add(Draft& draft, Customer const& customer, std::string_view type, std::int64_t at_ms,
    json::object const& members)
{
    auto const all = events::changed(user_members(draft, customer, at_ms), members);
    auto const with_id =
        events::changed(all, {{"id", draft.id("")}, {"event_timestamp_ms", at_ms}, {"country_code", "NZ"}});
    draft.add_purchase(at_ms, events::purchase(type, with_id));
}

/// A subscription in an app store. Each member function adds the events of one thing that happens to it.
class StoreSubscription {
public:
    StoreSubscription(Draft& draft, Customer const& customer, std::string product, std::string store)
        : draft_(draft), random_(draft.random), customer_(customer), product_(std::move(product)),
          store_(std::move(store)), original_(draft.id("2000")), transaction_(original_),
          period_ms_((product_ == "pro.yearly" ? 365 : 30) * day_ms), now_ms_(ms(random_.below(20 * day)))
    {
    }

    void live()
    {
        buy();
        for (auto steps = random_.between(0, 7); steps > 0; --steps)
            step();
    }

private:
    void buy()
    {
        bool const trial = random_.chance(30);
        period_type_ = trial ? "TRIAL" : random_.chance(15) ? "INTRO" : "NORMAL";
        begin_period(now_ms_, trial ? 7 * day_ms : period_ms_);
        send("INITIAL_PURCHASE");
    }

    void step()
    {
        auto const kind = random_.below(100);
        if (ended_)
            resubscribe();
        else if (cancelled_ && kind < 70)
            kind < 35 ? uncancel() : expire("UNSUBSCRIBE");
        else if (kind < 22)
            renew();
        else if (kind < 36)
            cancel();
        else if (kind < 54)
            fail_to_renew();
        else if (kind < 61)
            pause();
        else if (kind < 68)
            extend();
        else if (kind < 78)
            change_product();
        else if (kind < 92 && !refunded_)
            refund();
        else
            expire("UNKNOWN");
    }

    void renew()
    {
        // The stores renew up to a day before the end of the period, or a few minutes after it.
        auto const renewed = std::max(now_ms_, expires_ms_ + random_.between(-24, 1) * hour_ms / 2);
        now_ms_ = std::max(renewed, random_.chance(90) ? expires_ms_ - day_ms : now_ms_);
        period_type_ = "NORMAL";
        begin_period(std::max(now_ms_, expires_ms_), period_ms_);
        send("RENEWAL");
    }

    void cancel()
    {
        wait_within_period();
        cancelled_ = true;
        auto const& reason =
            random_.pick(std::vector<std::string>{"UNSUBSCRIBE", "PRICE_INCREASE", "UNKNOWN"});
        send("CANCELLATION", {{"cancel_reason", reason}});
    }

    void uncancel()
    {
        wait_within_period();
        cancelled_ = false;
        send("UNCANCELLATION");
    }

    /// The payment fails: a grace period or none, then the payment, an expiration, or nothing yet.
    void fail_to_renew()
    {
        now_ms_ = std::max(now_ms_, expires_ms_ - random_.below(2) * hour_ms);
        json::object grace;
        if (random_.chance(65))
            grace["grace_period_expiration_at_ms"] = now_ms_ + random_.pick(grace_periods);
        auto cancellation = events::changed(grace, {{"cancel_reason", "BILLING_ERROR"}});
        if (random_.chance(30)) cancellation.erase("grace_period_expiration_at_ms");
        bool const cancellation_first = random_.chance(20);
        if (cancellation_first) send("CANCELLATION", cancellation);
        send("BILLING_ISSUE", grace);
        if (!cancellation_first && random_.chance(75)) {
            now_ms_ += random_.below(2); // the provider sends both at once
            send("CANCELLATION", cancellation);
        }
        auto const next = random_.below(100);
        now_ms_ += random_.between(1, 20 * hours_of_day) * hour_ms;
        if (next < 45) {
            begin_period(random_.chance(50) ? now_ms_ : expires_ms_, period_ms_);
            send("RENEWAL");
        } else if (next < 75) {
            end("BILLING_ERROR");
        }
    }

    void pause()
    {
        wait_within_period();
        send("SUBSCRIPTION_PAUSED", {{"auto_resume_at_ms", expires_ms_ + 30 * day_ms}});
        if (random_.chance(60)) expire("SUBSCRIPTION_PAUSED");
    }

    void extend()
    {
        wait_within_period();
        expires_ms_ += random_.between(1, 14) * day_ms;
        cancelled_ = false;
        send("SUBSCRIPTION_EXTENDED");
    }

    void change_product()
    {
        wait_within_period();
        std::string const next = product_ == "pro.monthly" ? "pro.yearly" : "pro.monthly";
        send("PRODUCT_CHANGE", {{"new_product_id", random_.chance(95) ? json::value(next) : nullptr}});
        auto const old = std::exchange(product_, next);
        period_ms_ = (product_ == "pro.yearly" ? 365 : 30) * day_ms;
        auto const old_end = expires_ms_;
        if (random_.chance(60)) { // the change has an effect at once
            now_ms_ += random_.below(3) * second_ms;
            begin_period(now_ms_, period_ms_);
            send("RENEWAL");
        }
        if (random_.chance(50))
            send("EXPIRATION", {{"product_id", old}, {"expiration_at_ms", std::min(old_end, now_ms_)}});
    }

    void refund()
    {
        wait_within_period();
        cancelled_ = refunded_ = true;
        bool const shortens = random_.chance(40);
        if (shortens) expires_ms_ = now_ms_;
        send("CANCELLATION", {{"cancel_reason", "CUSTOMER_SUPPORT"}});
        if (random_.chance(40)) end("CUSTOMER_SUPPORT");
    }

    void expire(std::string_view reason)
    {
        now_ms_ = std::max(now_ms_, expires_ms_ + random_.below(90) * second_ms * 60);
        end(reason);
    }

    void resubscribe()
    {
        now_ms_ += random_.pick(gaps);
        ended_ = cancelled_ = false;
        begin_period(now_ms_, period_ms_);
        send(random_.chance(50) ? "RENEWAL" : "INITIAL_PURCHASE");
    }

    void end(std::string_view reason)
    {
        ended_ = true;
        send("EXPIRATION", {{"expiration_reason", reason}});
    }

    void begin_period(std::int64_t from_ms, std::int64_t length_ms)
    {
        purchased_ms_ = from_ms;
        expires_ms_ = from_ms + length_ms;
        cancelled_ = refunded_ = false;
        if (random_.chance(70)) transaction_ = draft_.id("2000");
    }

    /// Moves on, usually to a time before the end of the period. One event in six comes at the same instant.
    void wait_within_period()
    {
        auto const left = std::max<std::int64_t>(expires_ms_ - now_ms_, hour_ms);
        if (!random_.chance(16)) now_ms_ += random_.below(left);
    }

    void send(std::string_view type, json::object const& members = {})
    {
        json::object const all{{"product_id", product_}, {"store", store_}, {"period_type", period_type_},
            {"purchased_at_ms", purchased_ms_}, {"expiration_at_ms", expires_ms_},
            {"transaction_id", transaction_}, {"original_transaction_id", original_}};
        add(draft_, customer_, type, now_ms_, events::changed(all, members));
    }

    inline static std::vector<std::int64_t> const grace_periods{hour_ms, 3 * day_ms, 6 * day_ms, 16 * day_ms};
    inline static std::vector<std::int64_t> const gaps{0, 1, second_ms, 40 * day_ms};

    Draft& draft_;
    Random& random_;
    Customer const& customer_;
    std::string product_, store_, original_, transaction_, period_type_ = "NORMAL";
    std::int64_t period_ms_ = 0, now_ms_ = 0, purchased_ms_ = 0, expires_ms_ = 0;
    bool cancelled_ = false, refunded_ = false, ended_ = false;
};

} // namespace

void add_store_subscription(
    Draft& draft, Customer const& customer, std::string const& product, std::string const& store)
{
    StoreSubscription(draft, customer, product, store).live();
}

void add_two_stores(Draft& draft, Customer const& customer)
{
    std::string const product = draft.random.chance(80) ? "pro.monthly" : "pro.yearly";
    add_store_subscription(draft, customer, product, "APP_STORE");
    add_store_subscription(draft, customer, product, "PLAY_STORE");
}

void add_consumables(Draft& draft, Customer const& customer)
{
    Random& random = draft.random;
    // A product that other customers subscribe to may also be sold once.
    auto const product =
        random.pick(std::vector<std::string>{"coins", "coins", "gems", "forever", "pro.monthly"});
    auto at_ms = ms(random.below(40 * day));
    for (auto count = random.between(1, 3); count > 0; --count) {
        bool const ends = random.chance(25);
        json::object bought{{"product_id", product}, {"transaction_id", draft.id("7000")},
            {"purchased_at_ms", at_ms}, {"expiration_at_ms", nullptr}, {"store", "PLAY_STORE"}};
        if (ends) bought["expiration_at_ms"] = at_ms + 90 * day_ms;
        bool const is_nameless = random.chance(15);
        if (is_nameless) bought["transaction_id"] = nullptr;
        bought["original_transaction_id"] = bought["transaction_id"];
        add(draft, customer, "NON_RENEWING_PURCHASE", at_ms, bought);
        if (!is_nameless && random.chance(45)) {
            auto const refunded_ms = at_ms + random.below(30 * hours_of_day) * hour_ms;
            bought["cancel_reason"] = random.chance(70) ? "CUSTOMER_SUPPORT" : "UNKNOWN";
            add(draft, customer, "CANCELLATION", refunded_ms, bought);
        } else if (!is_nameless && ends && random.chance(50)) {
            add(draft, customer, "EXPIRATION", at_ms + 90 * day_ms, bought);
        }
        if (!random.chance(15)) at_ms += random.below(20 * hours_of_day) * hour_ms;
    }
}

void add_promotional_grant(Draft& draft, Customer const& customer)
{
    Random& random = draft.random;
    std::string const product = random.chance(75) ? "rc_promo_pro_monthly" : "pro.monthly";
    auto at_ms = ms(random.below(30 * day));
    for (auto count = random.between(1, 2); count > 0; --count) {
        json::object grant{{"product_id", product}, {"store", "PROMOTIONAL"}, {"period_type", "PROMOTIONAL"},
            {"transaction_id", nullptr}, {"original_transaction_id", nullptr}, {"purchased_at_ms", at_ms},
            {"expiration_at_ms", at_ms + random.pick(std::vector<std::int64_t>{7, 30, 73000}) * day_ms},
            {"price", 0}, {"price_in_purchased_currency", 0}};
        add(draft, customer, "NON_RENEWING_PURCHASE", at_ms, grant);
        at_ms += random.between(1, 15 * hours_of_day) * hour_ms;
        if (!random.chance(60)) continue;
        if (random.chance(60)) grant["expiration_at_ms"] = at_ms;
        grant["cancel_reason"] = random.chance(75) ? "CUSTOMER_SUPPORT" : "UNSUBSCRIBE";
        add(draft, customer, "CANCELLATION", at_ms, grant);
        at_ms += random.below(3) * second_ms;
        if (random.chance(70)) add(draft, customer, "EXPIRATION", at_ms, grant);
        at_ms += random.below(3) * hour_ms;
    }
}

void add_unhandled_purchase(Draft& draft, std::vector<Customer> const& customers)
{
    Random& random = draft.random;
    auto const customer = random.pick(customers);
    auto const other = random.pick(customers);
    auto const at_ms = ms(random.below(90 * day));
    auto const kind = random.below(3);
    if (kind == 0) {
        json::object const body{{"id", draft.id("")}, {"type", "TRANSFER"}, {"event_timestamp_ms", at_ms},
            {"store", "APP_STORE"}, {"environment", "SANDBOX"},
            {"transferred_from", json::array{customer.id}}, {"transferred_to", json::array{other.id}}};
        draft.add_purchase(at_ms, {{"api_version", "1.0"}, {"event", body}});
    } else {
        add(draft, customer, kind == 1 ? "SUBSCRIBER_ALIAS" : "SUBSCRIPTION_REVIEWED", at_ms, {});
    }
}

} // namespace histories
