// All screens of the console, with an address for each, and the routes that the source of the console has.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const { SOURCE } = process.env;
const unknown = "00000000-0000-7000-8000-000000000000";

/**
 * The screens by route. A function gets the data of `fill` (seed.mjs) and the environment, and returns an address, or several ones for states that look
 * different. A route of the console without an entry here fails console_screens.
 */
export const screens = {
  "/console": () => "/console",
  "/console/feedback": () => ["/console/feedback", "/console/feedback?status=all&deleted=true"],
  "/console/feedback/statistics": () => "/console/feedback/statistics",
  "/console/feedback/board": () => "/console/feedback/board",
  "/console/feedback/:id": ({ threads }) => ["html", "long", "merged", "deleted", "stranger", "anonymous"].map((name) => `/console/feedback/${threads[name].feedbackId}`),
  "/console/users": () => "/console/users",
  "/console/users/erasures": () => "/console/users/erasures",
  "/console/users/erasures/:id": ({ erasureId }) => `/console/users/erasures/${erasureId}`,
  "/console/users/:id": ({ users, strangerId }, { members }) => [
    `/console/users/${members.user.userId}`,
    ...["invited", "disabled", "long"].map((name) => `/console/users/${users[name].userId}`),
    `/console/users/${encodeURIComponent(strangerId)}`,
  ],
  "/console/notify": () => "/console/notify",
  "/console/notify/deliveries/:id": ({ notificationId, laterId }) => [notificationId, laterId].map((id) => `/console/notify/deliveries/${id}`),
  "/console/notify/templates": () => "/console/notify/templates",
  "/console/notify/templates/new": () => "/console/notify/templates/new",
  "/console/notify/templates/:id": ({ templateIds }) => templateIds.map((id) => `/console/notify/templates/${id}`),
  "/console/notify/broadcasts": () => "/console/notify/broadcasts",
  "/console/notify/broadcasts/new": () => "/console/notify/broadcasts/new",
  "/console/notify/broadcasts/:id": ({ broadcastId }) => `/console/notify/broadcasts/${broadcastId}`,
  "/console/notify/devices": ({ strangerId }, { members }) => ["/console/notify/devices", ...[members.user.userId, strangerId].map((id) => `/console/notify/devices?user=${encodeURIComponent(id)}`)],
  "/console/notify/suppressions": () => "/console/notify/suppressions",
  "/console/notify/domain": () => "/console/notify/domain",
  "/console/notify/push": () => "/console/notify/push",
  "/console/billing": () => "/console/billing",
  "/console/billing/subscribers": () => "/console/billing/subscribers",
  "/console/billing/users/:id": (_data, { members }) => `/console/billing/users/${members.user.userId}`,
  "/console/billing/products": () => "/console/billing/products",
  "/console/billing/events": () => "/console/billing/events",
  "/console/billing/sync": () => "/console/billing/sync",
  "/console/billing/settings": () => "/console/billing/settings",
  "/console/developers": () => "/console/developers",
  "/console/developers/webhooks": () => "/console/developers/webhooks",
  "/console/developers/webhooks/:service/:id": ({ webhookIds }) => Object.entries(webhookIds).map(([service, id]) => `/console/developers/webhooks/${service}/${id}`),
  "/console/developers/origins": () => "/console/developers/origins",
  "/console/developers/audit": () => "/console/developers/audit",
  "/console/developers/examples": () => "/console/developers/examples",
};

/** The addresses of all screens: `[route, address]`. */
export const addressesOf = (data, place) => Object.entries(screens).flatMap(([route, of]) => [of(data, place)].flat().map((address) => [route, address]));

/** Addresses with an identifier that the environment does not have, and of no page. */
export const unknownAddresses = [
  ...Object.keys(screens).filter((route) => route.includes(":id") && !/\/users\/:id$/.test(route)).map((route) => route.replace(":service", "notify").replace(":id", unknown)),
  "/console/nothing",
  "/console/billing/nothing",
];

const areas = path.join(SOURCE, "libs/console/web/src/areas");

/** The routes in the source of an area: `path: "…"`, `path: root` and `path: `${root}/…``, where `root` is a constant of the file. */
function routesOfArea(name) {
  const file = path.join(areas, name, "index.tsx");
  if (!existsSync(file)) return [];
  const source = readFileSync(file, "utf8");
  const constants = Object.fromEntries([...source.matchAll(/const (\w+) = "(\/console[^"]*)"/g)].map(([, constant, value]) => [constant, value]));
  const found = [...source.matchAll(/\bpath: ?(?:"([^"]+)"|`([^`]+)`|(\w+))/g)].map(
    ([, plain, template, constant]) => plain ?? (constant ? constants[constant] : template.replace(/\$\{(\w+)\}/g, (_, inner) => constants[inner])),
  );
  if (found.some((route) => !route?.startsWith("/console"))) throw new Error(`${file}: a route that this test does not understand`);
  return found;
}

/** All routes of the console: those of the areas, and the address of each area without a table of routes. */
export function routesOfSource() {
  const shell = readFileSync(path.join(SOURCE, "libs/console/web/src/shell/areas.tsx"), "utf8");
  const listed = [...shell.matchAll(/href: "(\/console[^"]*)"[^\n]*import\("\.\.\/areas\/(\w+)\/index\.tsx"\)/g)].map(([, href, name]) => ({ href, name }));
  const missing = readdirSync(areas).filter((name) => existsSync(path.join(areas, name, "index.tsx")) && !listed.some((area) => area.name === name));
  if (missing.length > 0) throw new Error(`areas that are not in the navigation: ${missing.join(", ")}`);
  return listed.flatMap(({ href, name }) => {
    const found = routesOfArea(name);
    return found.length > 0 ? found : [href];
  });
}
