// Verifies the DKIM signatures of a message. argv[2] is a JSON file {message, dns}: `message` in latin1, `dns` as ip:port of
// the DNS server with the keys. Prints the results, an empty list for an unsigned message: [{result, comment, domain,
// selector, aligned, algorithm, canonicalization, bits, headers}].
import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";

const { message, dns } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const resolver = new Resolver();
resolver.setServers([dns]);
const { results } = await dkimVerify(Buffer.from(message, "latin1"), {
  resolver: (name, type) => resolver.resolve(name, type),
});
const signed = results.filter((r) => r.signingDomain); // without a signature there is one result, without a domain
console.log(
  JSON.stringify(
    signed.map((r) => ({
      result: r.status.result,
      comment: r.status.comment ?? null,
      domain: r.signingDomain,
      selector: r.selector,
      aligned: r.status.aligned || null,
      algorithm: r.algo,
      canonicalization: r.format,
      bits: r.modulusLength ?? null,
      headers: (r.signingHeaders?.keys ?? "").split(/:\s*/).filter(Boolean),
    })),
  ),
);
