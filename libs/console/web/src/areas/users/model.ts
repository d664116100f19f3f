import type { AuthComponents, BillingComponents, FeedbackComponents, NotifyComponents } from "@tetrad/client";

export type Member = AuthComponents["schemas"]["User"];
export type Activity = AuthComponents["schemas"]["Activity"];
export type Erasure = AuthComponents["schemas"]["Erasure"];
export type ErasureTarget = AuthComponents["schemas"]["ErasureTarget"];
export type Identity = AuthComponents["schemas"]["Identity"];
export type Thread = FeedbackComponents["schemas"]["Feedback"];
export type Notification = NotifyComponents["schemas"]["Notification"];
export type Device = NotifyComponents["schemas"]["Device"];
export type Entitlement = BillingComponents["schemas"]["Entitlement"];

export const roles = ["user", "admin", "owner"] as const;
export type Role = (typeof roles)[number];
export const statuses = ["active", "invited", "disabled"] as const;
export type Status = (typeof statuses)[number];
export const services = ["auth", "feedback", "notify", "billing"] as const;
export type Service = (typeof services)[number];
/** The services that erase a user when auth-mfa has deleted the account. */
export type OtherService = Exclude<Service, "auth">;

/** What the list shows. The address has it, so that it can be shared. */
export interface Filter {
  q: string;
  role: Role | "";
  status: Status | "";
}

export function readFilter(params: URLSearchParams): Filter {
  return {
    q: params.get("q") ?? "",
    role: roles.find((one) => one === params.get("role")) ?? "",
    status: statuses.find((one) => one === params.get("status")) ?? "",
  };
}

/** Query parameters of `listMembers`. */
export function queryOf({ q, role, status }: Filter): { q?: string; role?: Role; status?: Status } {
  const text = q.trim();
  return { ...(text && { q: text }), ...(role && { role }), ...(status && { status }) };
}

export const userHref = (id: string): string => `/console/users/${encodeURIComponent(id)}`;
export const erasureHref = (id: string): string => `/console/users/erasures/${id}`;

/** Whether a text is an identifier of auth-mfa. Other services also know users of other systems. */
export const isAccountId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text.trim());

/** What the signed-in user may do with a member, by the rules of the API. */
export interface Allowed {
  /** The member is the signed-in user. The page of the own account changes it. */
  own: boolean;
  changeRole: boolean;
  changeStatus: boolean;
  endSessions: boolean;
  resetFactors: boolean;
  erase: boolean;
}

export function allowedFor(member: { userId: string; role: string }, me: { sub: string; role: string }): Allowed {
  const own = member.userId === me.sub;
  const isOwner = me.role === "owner";
  const staffMayChange = !own && (isOwner || (me.role === "admin" && member.role !== "owner"));
  return { own, changeRole: isOwner && !own, changeStatus: isOwner && !own, endSessions: isOwner && !own, resetFactors: staffMayChange, erase: staffMayChange };
}

/** A session of the export of an account. */
export interface AccountSession {
  sessionId: string;
  clientId: string | null;
  amr: string[];
  userAgent: string;
  address: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
  endedAt: string | null;
}

export interface AccountPasskey {
  passkeyId: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

/** How a member signs in: the parts of the account's export that no list of the API has. */
export interface SignIn {
  sms: boolean;
  totp: boolean;
  recoveryCodesLeft: number;
  passkeys: AccountPasskey[];
  identities: Identity[];
  /** Sessions that have neither ended nor expired, newest first. */
  sessions: AccountSession[];
  trustedDevices: number;
  /** The last use of a session, also of one that has ended in the last 7 days. */
  lastActive: string | null;
}

interface Line {
  type?: string;
  [member: string]: unknown;
}

/** The bound of the list of sessions. */
const maxSessions = 200;

/** Reads the first parts of the account's export, and leaves out the activities, which follow them. */
export async function readSignIn(lines: AsyncIterable<Line>, now: number): Promise<SignIn> {
  const found: SignIn = { sms: false, totp: false, recoveryCodesLeft: 0, passkeys: [], identities: [], sessions: [], trustedDevices: 0, lastActive: null };
  for await (const { type, ...line } of lines) {
    if (type === "activity") break;
    if (type === "account") Object.assign(found, { sms: line["phoneVerified"] === true, totp: line["totp"] === true, recoveryCodesLeft: Number(line["recoveryCodesLeft"] ?? 0) });
    else if (type === "passkey") found.passkeys.push(line as unknown as AccountPasskey);
    else if (type === "identity") found.identities.push(line as unknown as Identity);
    else if (type === "trusted_device" && !isPast(line["expiresAt"], now)) found.trustedDevices += 1;
    else if (type === "session") addSession(found, line as unknown as AccountSession, now);
  }
  return found;
}

function addSession(found: SignIn, session: AccountSession, now: number): void {
  if (found.lastActive === null || session.lastUsedAt > found.lastActive) found.lastActive = session.lastUsedAt;
  if (found.sessions.length < maxSessions && session.endedAt === null && !isPast(session.expiresAt, now)) found.sessions.push(session);
}

const isPast = (time: unknown, now: number): boolean => typeof time === "string" && Date.parse(time) <= now;

const browsers: [RegExp, string][] = [[/\bEdgA?\//, "Edge"], [/\bOPR\//, "Opera"], [/\bSamsungBrowser\//, "Samsung Internet"], [/\b(Firefox|FxiOS)\//, "Firefox"], [/\b(Chrome|CriOS|HeadlessChrome)\//, "Chrome"], [/\bSafari\//, "Safari"], [/^curl\//, "curl"]];
const systems: [RegExp, string][] = [[/iPhone|iPad/, "iOS"], [/Android/, "Android"], [/CrOS/, "ChromeOS"], [/Mac OS X|Macintosh/, "macOS"], [/Windows/, "Windows"], [/Linux/, "Linux"]];

/** Browser and system of a `User-Agent`. Unknown ones are cut to 40 characters; an empty text stays empty. */
export function nameOfAgent(userAgent: string): string {
  const names = [browsers, systems].map((list) => list.find(([pattern]) => pattern.test(userAgent))?.[1]).filter(Boolean);
  return names.length > 0 ? names.join(" · ") : userAgent.length > 40 ? `${userAgent.slice(0, 40)}…` : userAgent;
}

/** Whether the progress of an erasure can still change. */
export const isRunning = ({ completedAt, targets }: Erasure): boolean =>
  completedAt === null && (targets.some(({ status }) => status === "pending") || targets.every(({ status }) => status === "done"));

/** The parts of an erasure that are done: the account, which auth-mfa deletes at once, and the other services. */
export const progressOf = ({ targets }: Erasure): { done: number; all: number } => ({ done: 1 + targets.filter(({ status }) => status === "done").length, all: 1 + targets.length });

export type ErasureState = "running" | "done" | "failed";
export const stateOf = (erasure: Erasure): ErasureState => (erasure.completedAt !== null ? "done" : erasure.targets.some((target) => target.status === "failed") ? "failed" : "running");

/** Milliseconds until the next read of an erasure; false if it is finished. Services that are down are asked again after minutes, so late reads are rare. */
export function pollInterval(erasure: Erasure | undefined, now: number): number | false {
  if (!erasure) return 2000;
  if (!isRunning(erasure)) return false;
  return now - Date.parse(erasure.requestedAt) < 120_000 ? 2000 : 15_000;
}

/** Adds the name of the service to each line of an export, so that one file can have the lines of all services. */
export const tagLines = (text: string, service: string): string => text.replace(/^\{(?=(\s*\})?)/gm, (_brace, empty: string | undefined) => `{"service":${JSON.stringify(service)}${empty === undefined ? "," : ""}`);
