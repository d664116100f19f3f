// The app in a browser, over the markup of the server.
import { hydrateRoot } from "react-dom/client";
import { version } from "react";
import { Auth, Billing, Feedback, Session } from "@tetrad/client";
import { app } from "./app.js";

globalThis.start = (urls) => {
  const auth = new Auth({ baseUrl: urls["auth-mfa"] });
  const session = new Session({ auth, name: "react" });
  const { tokenProvider } = session;
  const options = { tokenProvider, retries: 0 };
  const clients = {
    auth,
    session,
    feedback: new Feedback({ baseUrl: urls.feedback, ...options }),
    billing: new Billing({ baseUrl: urls.billing, ...options }),
  };
  const root = hydrateRoot(document.getElementById("root"), app(clients));
  globalThis.signIn = async (credentials) => void session.start(await auth.login(credentials));
  globalThis.stop = () => root.unmount();
  return version;
};
