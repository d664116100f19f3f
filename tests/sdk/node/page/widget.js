// A page with the web component, under a strict Content Security Policy. The attributes of the element come from the address. Without
// `auth`, the page has tokens of its own: `globalThis.token`.
import { Auth, Session } from "@tetrad/client";
import "@tetrad/client/widget";

const parameters = new URLSearchParams(location.search);
const element = document.createElement("tetrad-feedback");
for (const [name, value] of parameters) if (name !== "auth") element.setAttribute(name, value);
if (parameters.has("auth")) {
  const auth = new Auth({ baseUrl: parameters.get("auth") });
  const session = new Session({ auth, name: "widget" });
  element.session = session;
  globalThis.signIn = async (credentials) => void session.start(await auth.login(credentials));
  globalThis.signOut = () => session.end();
} else {
  element.tokenProvider = () => globalThis.token;
}
globalThis.events = [];
for (const type of ["tetrad-sign-in", "tetrad-voted", "tetrad-posted"])
  document.addEventListener(type, ({ detail }) => events.push({ type, detail }));
document.querySelector("main").append(element);
