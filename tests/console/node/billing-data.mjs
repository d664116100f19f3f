// Data for the walk through the billing area: products, and what the two providers know and report.
import { createHmac } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { hostile, localhostFetch } from "./stack.mjs";

export const dayMs = 86_400_000;

/** Adds products beside Pro, which the steps create in the console. Returns them by name. */
export async function addProducts(billing) {
  const products = {
    team: { providerProductId: "price_team", name: "Team", kind: "subscription", features: ["export", "sync", "share"], grants: [] },
    coins: { providerProductId: "com.example.coins", name: "Coins", kind: "consumable", features: [], grants: [{ name: "coins", quantity: 100 }] },
    html: { providerProductId: hostile.html, name: hostile.html, kind: "subscription", features: [hostile.html, hostile.rtl, "x".repeat(100)], grants: [{ name: hostile.html, quantity: 3 }] },
    formula: { providerProductId: hostile.formula, name: hostile.formula, kind: "lifetime", features: [hostile.formula, hostile.emoji], grants: [{ name: hostile.formula, quantity: 1 }] },
    rtl: { providerProductId: `rtl ${hostile.rtl}`, name: `${hostile.rtl} ${hostile.emoji}`, kind: "subscription", features: [hostile.rtl], grants: [] },
    long: { providerProductId: hostile.long(255), name: hostile.long(100), kind: "lifetime", features: [hostile.long(100)], grants: [{ name: hostile.long(100), quantity: 9_007_199_254_740_991 }] },
  };
  for (const [name, product] of Object.entries(products)) products[name] = await billing.createProduct(product);
  return products;
}

/**
 * An event of RevenueCat about the product Pro. `at` is its time, `until` the end of the period, both in milliseconds since 1970. `more` replaces or
 * adds members.
 */
export const purchase = (id, userId, { at, until = null, type = "INITIAL_PURCHASE", environment = "PRODUCTION", ...more }) => ({
  api_version: "1.0",
  event: {
    id,
    type,
    event_timestamp_ms: at,
    app_user_id: userId,
    product_id: "com.example.pro.monthly",
    environment,
    store: "APP_STORE",
    transaction_id: `${userId}-1`.slice(0, 255),
    period_type: "NORMAL",
    price_in_purchased_currency: 9.99,
    currency: "EUR",
    purchased_at_ms: at,
    expiration_at_ms: until,
    ...more,
  },
});

/** The history of a user: trial, two paid months, cancellation, end, a second subscription whose last payment failed. `now`: milliseconds since 1970. */
export function historyOf(userId, now) {
  const day = (count) => now + count * dayMs;
  const second = { transaction_id: `${userId}-2`, store: "PLAY_STORE" };
  return [
    purchase(`${userId}-h1`, userId, { at: day(-100), until: day(-93), period_type: "TRIAL", price_in_purchased_currency: 0 }),
    purchase(`${userId}-h2`, userId, { type: "RENEWAL", at: day(-93), until: day(-63) }),
    purchase(`${userId}-h3`, userId, { type: "RENEWAL", at: day(-63), until: day(-33) }),
    purchase(`${userId}-h4`, userId, { type: "CANCELLATION", at: day(-40), until: day(-33), cancel_reason: "UNSUBSCRIBE" }),
    purchase(`${userId}-h5`, userId, { type: "EXPIRATION", at: day(-33), until: day(-33) }),
    purchase(`${userId}-h6`, userId, { at: day(-31), until: day(-1), ...second }),
    purchase(`${userId}-h7`, userId, { type: "BILLING_ISSUE", at: day(-1), until: day(-1), grace_period_expiration_at_ms: day(5), ...second }),
  ];
}

/** The document of a subscriber at RevenueCat, with one purchase of the product Pro. `more` replaces or adds members of the purchase. */
export const subscriber = (now, more = {}) => ({
  request_date: new Date(now).toISOString(),
  subscriber: {
    first_seen: new Date(now - 90 * dayMs).toISOString(),
    entitlements: {},
    non_subscriptions: {},
    subscriptions: {
      "com.example.pro.monthly": {
        purchase_date: new Date(now - dayMs).toISOString(),
        original_purchase_date: new Date(now - dayMs).toISOString(),
        expires_date: new Date(now + 29 * dayMs).toISOString(),
        is_sandbox: false,
        store: "app_store",
        period_type: "normal",
        ...more,
      },
    },
  },
});

/** A subscription of the product Team at Stripe. `at` is its begin in milliseconds since 1970. `more` replaces or adds members. */
export function subscription(id, userId, at, more = {}) {
  const begin = Math.floor(at / 1000);
  const price = { id: "price_team", product: "prod_team", unit_amount: 2500, currency: "usd", recurring: { interval: "month", interval_count: 1 } };
  const item = { id: `si_${id}`, object: "subscription_item", quantity: 2, current_period_start: begin, current_period_end: begin + 30 * 86_400, price };
  return {
    id: `sub_${id}`,
    object: "subscription",
    status: "active",
    livemode: true,
    customer: `cus_${id}`,
    metadata: { userId },
    created: begin,
    start_date: begin,
    cancel_at_period_end: false,
    items: { object: "list", has_more: false, data: [item] },
    ...more,
  };
}

/** An event of Stripe about an object. */
export const payment = (id, type, object, at) => ({ id, object: "event", type, created: Math.floor(at / 1000), livemode: object.livemode, data: { object } });

/** Value of the header `Stripe-Signature` for a body. */
export function signature(body, secret) {
  const at = Math.floor(Date.now() / 1000);
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;
}

/** Sends an event of a provider to billing. `provider`: `purchases` or `payments`. Returns the response: `{status, result, …}`. */
export async function tell(place, provider, event, headers) {
  const body = JSON.stringify(event);
  const response = await localhostFetch(new Request(`${place.url("billing")}/webhooks/${provider}`, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body }));
  return { status: response.status, ...(await response.json()) };
}

/** What the stand-ins of the providers know (scripts/standins.mjs). */
export class Providers {
  /** `env`: the variables of scripts/run. */
  constructor(env) {
    this.purchases = env.PURCHASES_SUBSCRIBERS;
    this.payments = env.PAYMENTS_OBJECTS;
    for (const folder of [this.purchases, this.payments]) mkdirSync(folder, { recursive: true });
  }

  /** RevenueCat knows this document of the user. */
  knowSubscriber(userId, document) {
    writeFileSync(path.join(this.purchases, `${userId}.json`), typeof document === "string" ? document : JSON.stringify(document));
  }

  /** Stripe has this object. */
  knowObject(object) {
    writeFileSync(path.join(this.payments, `${object.id}.json`), JSON.stringify(object));
  }

  /** Stripe has no objects. */
  forgetObjects() {
    for (const name of readdirSync(this.payments)) rmSync(path.join(this.payments, name));
  }
}
