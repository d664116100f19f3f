// Signs and verifies events with Stripe's own package, so that tests can compare the package with billing's code.
// argv[2] names a JSON file: {sign: [{payload, secret, timestamp?}], verify: [{payload, header, secret, tolerance?}]}.
// Prints {headers, taken}: the headers that the package would send for `sign`, in order, and for each element of
// `verify` whether the package accepts its header.
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
