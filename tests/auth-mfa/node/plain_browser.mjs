// A browser without JavaScript: it keeps cookies, follows redirects and fills in forms. It finds hosts below `localhost` on this
// machine, as browsers do. The resolver of the machine may not know them.
import http from "node:http";

/** For the option `lookup` of node:http. The servers of the tests listen on 127.0.0.1. */
export function lookup(_host, options, callback) {
  const [address, family] = ["127.0.0.1", 4];
  if (options.all) callback(null, [{ address, family }]);
  else callback(null, address, family);
}

/** The response to one request: {status, headers, body}. `form` is sent as a form, `json` as JSON. */
export function request(url, { method, headers = {}, form, json } = {}) {
  const body = form ? String(new URLSearchParams(form)) : json && JSON.stringify(json);
  const type = form ? "application/x-www-form-urlencoded" : "application/json";
  return new Promise((resolve, reject) => {
    const sent = http.request(
      url,
      {
        lookup,
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: { ...(body === undefined ? {} : { "content-type": type }), ...headers },
      },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on("error", reject);
    sent.setTimeout(60_000, () => sent.destroy(new Error(`${url} does not answer`)));
    sent.end(body);
  });
}

const characters = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&amp;": "&" };
const unescaped = (text) => text.replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (name) => characters[name]);

/** The attributes of a start tag. */
function attributesOf(tag) {
  const found = {};
  for (const [, name, value] of tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)) found[name] = unescaped(value ?? "");
  return found;
}

/** The forms of a page: their action and the fields that they send, in order. */
function formsOf(page) {
  return [...page.body.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, tag, content]) => {
    const fields = {};
    for (const [input] of content.matchAll(/<input\b[^>]*>/g)) {
      const { name, type, value, checked } = attributesOf(input);
      if (name && !(["checkbox", "radio"].includes(type) && checked === undefined)) fields[name] = value ?? "";
    }
    return { action: attributesOf(tag).action || page.url, fields };
  });
}

let networks = 0;

/** A page is {url, status, headers, body}. A page that the browser was told not to open has no body. */
export class PlainBrowser {
  constructor() {
    this.cookies = new Map(); // by host, which is without its port
    this.network = `10.77.${++networks & 255}.1`;
  }

  #cookiesOf(url) {
    const { hostname } = new URL(url);
    if (!this.cookies.has(hostname)) this.cookies.set(hostname, new Map());
    return this.cookies.get(hostname);
  }

  #keep(url, headers) {
    for (const cookie of headers["set-cookie"] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      if (value === "" || /; *max-age=0\b/i.test(cookie) || /; *expires=Thu, 01[ -]Jan[ -]1970/i.test(cookie))
        this.#cookiesOf(url).delete(name);
      else this.#cookiesOf(url).set(name, value);
    }
  }

  /** Opens the URL and follows redirects, except to URLs that begin with `until`. */
  async open(url, { until, form } = {}) {
    let body = form;
    let origin = form && new URL(url).origin;
    for (let redirects = 0; redirects < 20; ++redirects) {
      if (until && url.startsWith(until)) return { url };
      const cookie = [...this.#cookiesOf(url)].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { accept: "text/html", "x-forwarded-for": this.network };
      Object.assign(headers, cookie && { cookie }, origin && { origin });
      const answer = await request(url, { headers, form: body });
      this.#keep(url, answer.headers);
      if (answer.status < 300 || answer.status > 399) return { url, ...answer };
      url = new URL(answer.headers.location, url).href;
      body = origin = undefined;
    }
    throw new Error(`more than 20 redirects, the last one to ${url}`);
  }

  /** The fields of the page's first form that has all these names; undefined if there is none. */
  static fieldsOf(page, ...names) {
    return formsOf(page).find(({ fields }) => names.every((name) => name in fields))?.fields;
  }

  /** Sends the page's first form that has all these fields. */
  submit(page, fields, options) {
    const form = formsOf(page).find((one) => Object.keys(fields).every((name) => name in one.fields));
    if (!form) throw new Error(`${page.url} has no form with ${Object.keys(fields)}: ${page.status} ${page.body}`);
    return this.open(new URL(form.action, page.url).href, { ...options, form: { ...form.fields, ...fields } });
  }

  /** Follows the page's first link whose address contains `part`. */
  follow(page, part, options) {
    const links = [...page.body.matchAll(/<a\b([^>]*)>/g)].map(([, tag]) => attributesOf(tag).href ?? "");
    const link = links.find((href) => href.includes(part));
    if (!link) throw new Error(`${page.url} has no link to ${part}: ${page.body}`);
    return this.open(new URL(link, page.url).href, options);
  }
}
