// STAND-IN OF THE CARD PROVIDER, for local trials only. In production, the backend creates a checkout session at the provider (Stripe)
// with this metadata and sends the browser to its page. After the payment, the provider sends this event to billing, and this file goes.
import { createHmac, randomUUID } from "node:crypto";
import { localhostFetch } from "@tetrad/client/localhost";
import { pro } from "./product.mjs";
import { settings } from "./settings.mjs";

/** Sends the event of a paid checkout to billing, signed as the provider signs it. @param {string} userId */
export async function pay(userId) {
  const now = Math.floor(Date.now() / 1000);
  const id = randomUUID().replaceAll("-", "");
  const session = {
    id: `cs_test_${id}`,
    object: "checkout.session",
    mode: "payment",
    payment_status: "paid",
    payment_intent: `pi_${id}`,
    livemode: false,
    created: now,
    amount_total: pro.price.amount,
    currency: pro.price.currency,
    metadata: { userId, productId: pro.providerProductId },
  };
  const body = JSON.stringify({ id: `evt_${id}`, object: "event", type: "checkout.session.completed", created: now, livemode: false, data: { object: session } });
  const signature = createHmac("sha256", settings.paymentsSigningSecret).update(`${now}.${body}`).digest("hex");
  const headers = { "Content-Type": "application/json", "Stripe-Signature": `t=${now},v1=${signature}` };
  const response = await localhostFetch(new Request(`${settings.billingUrl}/webhooks/payments`, { method: "POST", headers, body }));
  const answer = await response.json();
  if (!response.ok || answer.result !== "applied") throw new Error(`billing refused the purchase: ${response.status} ${JSON.stringify(answer)}`);
  return { paid: true };
}
