import { Billing, Feedback, Notify } from "@tetrad/client";
import { config } from "./config";
import { session } from "./sign-in";

const { tokenProvider } = session;

/** The clients that the hooks of `@tetrad/client/react` use. They send the access token of the user. */
export const clients = {
  session,
  feedback: new Feedback({ baseUrl: config.feedbackUrl, tokenProvider }),
  billing: new Billing({ baseUrl: config.billingUrl, tokenProvider }),
};

/** A publishable key may be public: it only registers and removes devices. */
export const notify = new Notify({ baseUrl: config.notifyUrl, apiKey: config.notifyPublishableKey });
