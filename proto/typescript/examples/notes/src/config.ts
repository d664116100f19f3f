/** The public configuration of the app. The backend serves it, so that one build runs in every installation. */
export interface Config {
  authUrl: string;
  feedbackUrl: string;
  notifyUrl: string;
  billingUrl: string;
  clientId: string;
  notifyPublishableKey: string;
}

export const config = (await (await fetch("/config.json")).json()) as Config;
