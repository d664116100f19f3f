import { eventTypes, type Service } from "./model.ts";

/** A request that an example shows. */
interface Sample {
  method: "GET" | "POST";
  path: string;
  body?: Record<string, unknown>;
  /** The call with `@tetrad/client`: its arguments in the source text, and what to do with the result. */
  call: string;
  print: string;
}

export const sampleIds = { auth: ["members", "invite"], feedback: ["create", "open"], notify: ["send", "deliveries"], billing: ["feature", "entitlements"] } as const;
export type SampleId = (typeof sampleIds)[Service][number];

const invitation = { email: "ada@example.com", invite: true };
const thread = { category: "bug", title: "Export does nothing", body: "A click on Export has no effect." };
const notification = { templateName: "welcome", channel: "email", to: "ada@example.com", variables: { name: "Ada" } };

const samples: Record<SampleId, Sample> = {
  members: { method: "GET", path: "/v1/members?limit=10", call: "listMembers({ limit: 10 })", print: "result.items" },
  invite: { method: "POST", path: "/v1/members", body: invitation, call: `createMember(${literal(invitation)})`, print: "result.userId" },
  create: { method: "POST", path: "/v1/feedbacks", body: thread, call: `createFeedback(${literal(thread)})`, print: "result.feedbackId" },
  open: { method: "GET", path: "/v1/feedbacks?status=open", call: 'listFeedbacks({ status: "open" })', print: "result.items" },
  send: { method: "POST", path: "/v1/notifications/send", body: notification, call: `sendNotification(${literal(notification)})`, print: "result.notificationId" },
  deliveries: { method: "GET", path: "/v1/notifications?limit=10", call: "listNotifications({ limit: 10 })", print: "result.notifications" },
  feature: { method: "GET", path: "/v1/users/user-1/features/export", call: 'checkFeature("user-1", "export")', print: "result.granted" },
  entitlements: { method: "GET", path: "/v1/users/user-1/entitlements", call: 'getUserEntitlements("user-1")', print: "result.entitlements" },
};

/** The variable with the key of the service. */
export const keyVariable = (service: Service): string => `${service.toUpperCase()}_KEY`;

const prefixes: Record<Service, string> = { auth: "aut", feedback: "fbk", notify: "ntf", billing: "bil" };

/** An object as JavaScript writes it. */
function literal(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`).join(", ")} }`;
}

/** The command that makes the key known to the examples. */
export const exportOf = (service: Service): string => `export ${keyVariable(service)}='${prefixes[service]}_…'`;

/** A request with curl. `url`: the address of the service for the tenant's environment. */
export function curlOf(service: Service, id: SampleId, url: string): string {
  const { method, path, body } = samples[id];
  const lines = [`curl '${url}${path}'`, `-H "Authorization: Bearer $${keyVariable(service)}"`];
  // The same key for a repetition of the request keeps the service from acting twice.
  if (method === "POST") lines.push('-H "Idempotency-Key: $(openssl rand -hex 16)"', "-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`);
  return lines.join(" \\\n  ");
}

/** Node.js does not find names below .localhost, which local trials use. */
const isLocal = (url: string): boolean => new URL(url).hostname.endsWith(".localhost");

/** A request with `@tetrad/client` in Node.js. */
export function nodeOf(service: Service, id: SampleId, url: string): string {
  const { call, print } = samples[id];
  const name = service[0]!.toUpperCase() + service.slice(1);
  const local = isLocal(url);
  return `import { ${name} } from "@tetrad/client";
${local ? 'import { localhostFetch } from "@tetrad/client/localhost";\n' : ""}
const ${service} = new ${name}({
  baseUrl: "${url}",
  apiKey: process.env.${keyVariable(service)},${local ? "\n  fetch: localhostFetch, // for a trial on this machine" : ""}
});

const result = await ${service}.${call};
console.log(${print});`;
}

/** A server in Node.js that receives the events of a service. */
export const receiverOf = (service: Service): string => `import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { verifyWebhook } from "@tetrad/client";

const secret = process.env.WEBHOOK_SECRET; // whsec_…

createServer(async (request, response) => {
  try {
    // Pass the body as it was received: a parsed body has another signature.
    const event = await verifyWebhook({ body: await buffer(request), headers: request.headers, secret });
    // The same event can arrive again, with the same event.id.
    if (event.type === "${eventTypes[service][0]}") console.log(event.id, event.data);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(400).end(String(error));
  }
}).listen(8080);`;
