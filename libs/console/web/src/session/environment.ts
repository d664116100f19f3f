export type Environment = "production" | "sandbox";

const suffix = "-sandbox";

/** The first label of the host names the tenant's environment: `acme` or `acme-sandbox`. */
export const tenantLabel = (hostname: string): string => hostname.split(".")[0]!;

export const environmentOf = (label: string): Environment => (label.endsWith(suffix) ? "sandbox" : "production");

export const slugOf = (label: string): string => (label.endsWith(suffix) ? label.slice(0, -suffix.length) : label);

/** The address of the console of the other environment, on the same page of the console, without identifiers. */
export function otherEnvironmentUrl(href: string): string {
  const url = new URL(href);
  const label = tenantLabel(url.hostname);
  const other = environmentOf(label) === "sandbox" ? slugOf(label) : label + suffix;
  url.hostname = other + url.hostname.slice(label.length);
  // Identifiers of one environment mean nothing in the other one.
  const area = /^\/console(\/[a-z]+)?/.exec(url.pathname)?.[0] ?? "/console";
  return `${url.origin}${area}`;
}

export interface Tenant {
  /** Host label: `acme` or `acme-sandbox`. */
  label: string;
  slug: string;
  environment: Environment;
}

/** The tenant that the address of the page names. */
export function currentTenant(): Tenant {
  const label = tenantLabel(location.hostname);
  return { label, slug: slugOf(label), environment: environmentOf(label) };
}
