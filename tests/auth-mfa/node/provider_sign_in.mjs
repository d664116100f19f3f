// A user's browser at oidc-provider, for the scripts that run this provider.

/**
 * Follows the authorization request `start` as the browser of the user `login`: follows redirects, keeps cookies, and fills in the
 * forms of login and consent. Returns the address below `redirectUri` to which the provider sends the browser.
 */
export async function signIn({ issuer, redirectUri, login, start }) {
  const jar = new Map();
  const visit = async (url, form) => {
    const response = await fetch(new URL(url, issuer), {
      method: form ? "POST" : "GET",
      body: form && new URLSearchParams(form),
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      redirect: "manual",
    });
    // Debian's fetch has no getSetCookie(). It joins the headers with commas, and dates contain commas too.
    for (const cookie of (response.headers.get("set-cookie") ?? "").split(/, (?=[^;, ]+=)/)) {
      const [name, value] = cookie.split(";")[0].split(/=(.*)/s);
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    return response;
  };
  let url = start;
  for (let step = 0; step < 12; ++step) {
    const response = await visit(url);
    const next = response.headers.get("location");
    if (next?.startsWith(redirectUri)) return next;
    if (next) {
      url = next;
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (!prompt) throw new Error(`${url}: ${response.status} ${page}`);
    url = (await visit(url, { prompt, login, password: "any" })).headers.get("location");
  }
  throw new Error("the sign-in did not end within 12 steps");
}
