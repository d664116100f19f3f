/** The response of `GET /console/config.json`. The URL of a service is empty if the operator has not configured it. */
export interface ConsoleConfig {
  feedbackUrl: string;
  notifyUrl: string;
  billingUrl: string;
  /** Name of the tenant. */
  displayName: string;
}

/** A service beside auth-mfa. Without its URL, its area is not shown. */
export type ServiceUrl = "feedbackUrl" | "notifyUrl" | "billingUrl";

/** Reads a configuration. Unknown members are ignored. */
export function parseConfig(value: unknown): ConsoleConfig {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const text = (name: string): string => (typeof given[name] === "string" ? (given[name] as string) : "");
  return { feedbackUrl: text("feedbackUrl"), notifyUrl: text("notifyUrl"), billingUrl: text("billingUrl"), displayName: text("displayName") };
}

export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch("/console/config.json", { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`GET /console/config.json returned the status ${response.status}.`);
  return parseConfig(await response.json());
}
