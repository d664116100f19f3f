// The objects of the payments provider's stand-in (payments_provider.mjs), in the shapes that Stripe documents for API
// versions before and since 2025-03-31.basil.

const day = 24 * 3600;
/** The number of items that a subscription contains. The provider lists further items only in /v1/subscription_items. */
const embeddedItems = 20;

/** Whether an API version, such as `2025-03-31.basil`, has the periods in the items of a subscription. */
export const hasPeriodsInItems = (version) => version >= "2025-03-31";

export const listOf = (url, data, hasMore = false) => ({ object: "list", data, has_more: hasMore, url });

/** A price with all documented members. `given` is an object with some of them, or the id of the price. */
function price(given, created, version, livemode) {
  const fields = typeof given === "string" ? { id: given } : given;
  const amount = fields.unit_amount ?? 999;
  const old = hasPeriodsInItems(version) ? {} : { aggregate_usage: null };
  const recurring = { ...old, interval: "month", interval_count: 1, meter: null, trial_period_days: null, usage_type: "licensed" };
  return {
    object: "price",
    active: true,
    billing_scheme: "per_unit",
    created,
    currency: "usd",
    custom_unit_amount: null,
    livemode,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: `prod_${fields.id}`,
    tax_behavior: "unspecified",
    tiers_mode: null,
    transform_quantity: null,
    type: "recurring",
    unit_amount: amount,
    unit_amount_decimal: String(amount),
    ...fields,
    recurring: { ...recurring, ...fields.recurring },
  };
}

/** The plan that belongs to a price. Items of all versions contain it. */
function plan(of) {
  const { interval, interval_count, meter, trial_period_days, usage_type, ...old } = of.recurring;
  return {
    ...old,
    id: of.id,
    object: "plan",
    active: of.active,
    amount: of.unit_amount,
    amount_decimal: of.unit_amount_decimal,
    billing_scheme: of.billing_scheme,
    created: of.created,
    currency: of.currency,
    interval,
    interval_count,
    livemode: of.livemode,
    metadata: of.metadata,
    meter,
    nickname: of.nickname,
    product: of.product,
    tiers_mode: of.tiers_mode,
    transform_usage: null,
    trial_period_days,
    usage_type,
  };
}

const periodOf = ({ current_period_start, current_period_end }, otherwise) => ({
  current_period_start: current_period_start ?? otherwise.current_period_start,
  current_period_end: current_period_end ?? otherwise.current_period_end,
});

/** The items of a stored subscription, as API version `version` shows them. */
export function itemsOf(stored, version, livemode) {
  const created = stored.created;
  const period = periodOf(stored, { current_period_start: created, current_period_end: created + 30 * day });
  return (stored.items?.data ?? stored.items ?? []).map((given, index) => {
    const { current_period_start, current_period_end, ...fields } = given;
    const ofItem = price(fields.price ?? "price_pro", created, version, stored.livemode ?? livemode);
    return {
      id: `si_${stored.id}_${index}`,
      object: "subscription_item",
      created,
      ...(hasPeriodsInItems(version) ? periodOf(given, period) : { billing_thresholds: null }),
      discounts: [],
      metadata: {},
      plan: plan(ofItem),
      quantity: 1,
      tax_rates: [],
      ...fields,
      price: ofItem,
      subscription: stored.id,
    };
  });
}

/**
 * A stored subscription as API version `version` shows it, with all documented members. A stored subscription has an `id`
 * and `created`, and any other members. Its periods may be in the subscription or in its items.
 */
export function subscription(stored, version, livemode) {
  const { current_period_start, current_period_end, items, ...fields } = stored;
  const shown = itemsOf(stored, version, livemode);
  const url = `/v1/subscription_items?subscription=${stored.id}`;
  const first = itemsOf(stored, "2025-03-31.basil", livemode)[0] ?? { current_period_start, current_period_end };
  const old = { billing_thresholds: null, ...periodOf(stored, first), discount: null };
  return {
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: { enabled: false, liability: null, ...(hasPeriodsInItems(version) && { disabled_reason: null }) },
    billing_cycle_anchor: stored.created,
    billing_cycle_anchor_config: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    collection_method: "charge_automatically",
    currency: shown[0]?.price.currency ?? "usd",
    days_until_due: null,
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: { account_tax_ids: null, issuer: { type: "self" } },
    latest_invoice: null,
    livemode,
    metadata: {},
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: { payment_method_options: null, payment_method_types: null, save_default_payment_method: "off" },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: stored.created,
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: { end_behavior: { missing_payment_method: "create_invoice" } },
    trial_start: null,
    ...(hasPeriodsInItems(version) ? {} : old),
    ...fields,
    items: listOf(url, shown.slice(0, embeddedItems), shown.length > embeddedItems),
  };
}

/** A payment of an invoice. `given` has `invoice` and `payment_intent`, and any members of the documented object. */
export function invoicePayment({ payment_intent, ...given }, index, livemode) {
  const { status = "paid", amount_requested = 999, created = 1_767_225_600 } = given;
  return {
    id: `inpay_${index}`,
    object: "invoice_payment",
    amount_paid: status === "paid" ? amount_requested : null,
    amount_requested,
    created,
    currency: "usd",
    is_default: true,
    livemode,
    payment: { payment_intent, type: "payment_intent" },
    status,
    status_transitions: { canceled_at: status === "canceled" ? created : null, paid_at: status === "paid" ? created : null },
    ...given,
  };
}

/** A number from 0 to 999 that depends on its arguments only. */
function noise(seed, index, use) {
  let x = Math.imul(seed * 31 + use + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 15), 0xc2b2ae35);
  return ((x ^ (x >>> 13)) >>> 0) % 1000;
}

const prices = ["price_basic", "price_pro", "price_team"];

/** Generated subscription number `index`; number 0 is the newest. Pairs have the same `created`. */
export function generated(index, { seed = 1, count, users = count, newest = 1_767_225_600 }) {
  const created = newest - Math.floor(index / 2) * 60;
  const status = ["canceled", "past_due", "trialing"][noise(seed, index, 1) >> 6] ?? "active"; // about 6% each
  const ended = status === "canceled" ? created + day : null;
  return {
    id: `sub_${seed}_${String(index).padStart(6, "0")}`,
    created,
    status,
    canceled_at: ended,
    ended_at: ended,
    trial_end: status === "trialing" ? created + 7 * day : null,
    customer: `cus_${seed}_${index % users}`,
    metadata: { userId: `user-${index % users}` },
    items: [{ price: prices[noise(seed, index, 2) % prices.length], quantity: 1 + (noise(seed, index, 3) % 4) }],
  };
}
