// Compares Stripe's own package with billing's code (argv[2]: a JSON file). {sign: [{payload, secret, timestamp?}]} prints the headers that
// the package would send, in order; {verify: [{payload, header, secret, tolerance?}]} prints whether it accepts each given header.
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
