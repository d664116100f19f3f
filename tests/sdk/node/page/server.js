// Renders the app as on a server.
import { renderToString } from "react-dom/server";
import { Auth, Billing, Feedback, Session } from "@tetrad/client";
import { app } from "./app.js";

export function html() {
  const auth = new Auth({ baseUrl: "https://auth.example.com" });
  const session = new Session({ auth });
  const clients = {
    auth,
    session,
    feedback: new Feedback({ baseUrl: "https://feedback.example.com" }),
    billing: new Billing({ baseUrl: "https://billing.example.com" }),
  };
  return renderToString(app(clients));
}
