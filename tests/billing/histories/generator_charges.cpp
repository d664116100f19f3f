#include "events.hpp"
#include "histories/draft.hpp"

#include <utility>

namespace histories {

namespace {

using events::day, events::s;

void add(Draft& draft, std::string_view type, std::int64_t at_s, json::object object)
{
    json::object const envelope{{"id", draft.id("evt_")}, {"created", at_s}};
    draft.add_payment(at_s, events::payment(type, std::move(object), envelope));
}

json::object checkout_session(Draft& draft, json::object const& changes)
{
    json::object const fields{{"id", draft.id("cs_test_")}, {"object", "checkout.session"},
        {"amount_total", 4900}, {"currency", "nzd"}, {"customer", nullptr}, {"livemode", false},
        {"metadata", json::object()}, {"mode", "payment"}, {"payment_intent", nullptr},
        {"payment_status", "paid"}, {"status", "complete"}, {"subscription", nullptr}};
    return events::changed(fields, changes);
}

/// A charge of a payment after a refund.
json::object refunded_charge(Payment const& payment, std::int64_t refunded, bool names_invoice)
{
    json::object charge{{"id", payment.charge}, {"object", "charge"}, {"amount", payment.amount},
        {"amount_refunded", refunded}, {"currency", "nzd"}, {"customer", "cus_1"}, {"livemode", false},
        {"metadata", json::object()}, {"paid", true}, {"payment_intent", payment.intent},
        {"refunded", refunded == payment.amount}, {"status", "succeeded"}};
    if (names_invoice)
        charge["invoice"] = payment.invoice.empty() ? json::value() : json::value(payment.invoice);
    return charge;
}

/// What may happen to the payment of a checkout later.
void add_reversals(Draft& draft, std::int64_t paid_s, Payment const& payment)
{
    Random& random = draft.random;
    auto const at_s = paid_s + random.between(1, 40 * hours_of_day) * 3600;
    auto const kind = random.below(100);
    bool const old_shape = random.chance(40);
    if (kind < 25) {
        if (random.chance(30)) add_refund(draft, at_s - 60, payment, false, old_shape);
        add_refund(draft, at_s, payment, true, old_shape);
    } else if (kind < 35) {
        add_refund(draft, at_s, payment, false, old_shape);
    } else if (kind < 50) {
        add_dispute(draft, at_s, at_s + 20 * day, payment, random.chance(60) ? "lost" : "won");
    }
}

void add_checkout(Draft& draft, std::string const& user, std::int64_t at_s)
{
    constexpr char const* completed = "checkout.session.completed";
    Random& random = draft.random;
    auto const product = random.pick(std::vector<std::string>{"coins", "gems", "forever", "forever"});
    json::object changes{{"metadata", json::object{{"userId", user}, {"productId", product}}}};
    auto const kind = random.below(100);
    if (kind < 5) {
        changes["metadata"] = json::object{{"productId", product}};
    } else if (kind < 10) {
        changes["metadata"] = json::object{{"userId", user}, {"productId", "pro.monthly"}};
    } else if (kind < 14) {
        changes["mode"] = "setup";
        changes["payment_status"] = "no_payment_required";
    } else if (kind < 24) {
        changes["payment_status"] = "no_payment_required";
    }
    auto const payment = new_payment(draft, false);
    if (kind >= 24 || kind < 10) changes["payment_intent"] = payment.intent;
    bool const is_slow = kind >= 24 && random.chance(30); // a bank transfer
    if (is_slow) changes["payment_status"] = "unpaid";
    auto session = checkout_session(draft, changes);
    add(draft, completed, at_s, session);
    auto paid_s = at_s;
    if (is_slow) {
        paid_s += random.chance(20) ? 0 : random.between(1, 5 * hours_of_day) * 3600;
        bool const succeeds = random.chance(75);
        if (succeeds) session["payment_status"] = "paid";
        add(draft,
            succeeds ? "checkout.session.async_payment_succeeded" : "checkout.session.async_payment_failed",
            paid_s, session);
    }
    if (kind >= 24) add_reversals(draft, paid_s, payment);
}

} // namespace

Payment new_payment(Draft& draft, bool of_invoice)
{
    Payment payment;
    if (of_invoice) payment.invoice = draft.id("in_");
    payment.intent = draft.id("pi_");
    payment.charge = draft.id("ch_");
    return payment;
}

void add_refund(Draft& draft, std::int64_t at_s, Payment const& payment, bool full, bool names_invoice)
{
    auto const refunded = full ? payment.amount : payment.amount / 3;
    add(draft, "charge.refunded", at_s, refunded_charge(payment, refunded, names_invoice));
}

void add_dispute(
    Draft& draft, std::int64_t at_s, std::int64_t closed_s, Payment const& payment, std::string_view status)
{
    json::object dispute{{"id", draft.id("dp_")}, {"object", "dispute"}, {"amount", payment.amount},
        {"charge", payment.charge}, {"currency", "nzd"}, {"livemode", false}, {"metadata", json::object()},
        {"payment_intent", payment.intent}, {"reason", "fraudulent"}, {"status", "needs_response"}};
    add(draft, "charge.dispute.created", at_s, dispute);
    dispute["status"] = status;
    add(draft, "charge.dispute.closed", closed_s, std::move(dispute));
}

void add_invoice_payment(Draft& draft, std::int64_t at_s, Payment const& payment)
{
    json::object const how{{"type", "payment_intent"}, {"payment_intent", payment.intent}};
    add(draft, "invoice_payment.paid", at_s,
        {{"id", draft.id("inpay_")}, {"object", "invoice_payment"}, {"amount_paid", payment.amount},
            {"amount_requested", payment.amount}, {"currency", "nzd"}, {"invoice", payment.invoice},
            {"is_default", true}, {"livemode", false}, {"payment", how}, {"status", "paid"}});
}

void add_checkouts(Draft& draft, std::string const& user)
{
    auto at_s = s(draft.random.below(40 * day));
    for (auto count = draft.random.between(1, 3); count > 0; --count) {
        add_checkout(draft, user, at_s);
        at_s += draft.random.below(3) * draft.random.below(10 * day);
    }
}

void add_unhandled_payment(Draft& draft)
{
    auto const at_s = s(draft.random.below(90 * day));
    auto const kind = draft.random.below(4);
    auto const payment = new_payment(draft, true);
    if (kind == 0)
        add_refund(draft, at_s, payment, true, draft.random.chance(50));
    else if (kind == 1)
        add_dispute(draft, at_s, at_s + day, payment, "lost");
    else if (kind == 2)
        add(draft, "invoice.paid", at_s,
            events::invoice(basic_price, {{"id", payment.invoice}, {"parent", nullptr}}));
    else
        add(draft, "customer.created", at_s,
            {{"id", draft.id("cus_")}, {"object", "customer"}, {"livemode", false}});
}

} // namespace histories
