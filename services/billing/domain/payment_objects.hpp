#pragma once

#include "core/fields.hpp"
#include "domain/event.hpp"
#include "domain/payment_event.hpp"

#include <boost/json/value.hpp>

/// Reads the objects of the payments provider's events, for `parse_payment_event`. Each function fills in
/// `event.data` and the members of `event` that the object states. Faults are added to `f`, whose object is
/// `object`.
namespace billing {

void read_subscription(
    Event& event, core::Fields& f, boost::json::value const& object, PaymentEventType type);

/// The members of a subscription that decide the order of two updates in the same second, as JSON text.
/// `object` is a subscription, or the previous values of its changed members; it may be null.
std::map<std::string, std::string> compared_members(boost::json::value const* object);

void read_invoice(Event& event, core::Fields& f, boost::json::value const& object);

void read_checkout(Event& event, core::Fields& f, boost::json::value const& object, PurchaseEventType type);

/// A charge that was refunded.
void read_refund(Event& event, boost::json::value const& charge);

/// A dispute that was opened or closed.
void read_dispute(Event& event, boost::json::value const& dispute);

/// Adds the ids of the object itself, and of the charge, payment intent and invoice that it names, to
/// `event.references`.
void add_references(Event& event, boost::json::value const& object);

} // namespace billing
