// Stripe's own package against us (argv[2]: a file with JSON). {sign: [{payload, secret, timestamp?}]} prints the headers it would
// send, in order; {verify: [{payload, header, secret, tolerance?}]} whether it takes each of ours.
import { readFileSync } from "node:fs";
import Stripe from "stripe";

const { webhooks } = new Stripe("sk_test_none");
const { sign = [], verify = [] } = JSON.parse(readFileSync(process.argv[2], "utf8"));

function takes({ payload, header, secret, tolerance }) {
  try {
    return webhooks.constructEvent(payload, header, secret, tolerance).id === JSON.parse(payload).id;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

console.log(
  JSON.stringify({
    headers: sign.map((one) => webhooks.generateTestHeaderString(one)),
    taken: verify.map(takes),
  }),
);
