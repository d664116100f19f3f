import type { Channel, Format, PushOptions, Template } from "./model.ts";

/** The fields of a template in the editor. Numbers are texts while the user types. */
export interface Draft {
  name: string;
  channel: Channel;
  subject: string;
  body: string;
  format: Format;
  push: PushDraft;
}

export interface PushDraft {
  ttlSeconds: string;
  priority: "" | "high" | "normal";
  collapseKey: string;
  image: string;
  link: string;
  badge: string;
  sound: string;
  channelId: string;
  background: boolean;
}

const textOptions = ["collapseKey", "image", "link", "sound", "channelId"] as const;
const numberOptions = ["ttlSeconds", "badge"] as const;

export const noPush: PushDraft = { ttlSeconds: "", priority: "", collapseKey: "", image: "", link: "", badge: "", sound: "", channelId: "", background: false };
export const newDraft: Draft = { name: "", channel: "email", subject: "", body: "", format: "html", push: noPush };

function pushDraftOf(push: PushOptions | null): PushDraft {
  const draft = { ...noPush, priority: push?.priority ?? "", background: push?.background ?? false } as PushDraft;
  for (const name of textOptions) draft[name] = push?.[name] ?? "";
  for (const name of numberOptions) draft[name] = push?.[name] == null ? "" : String(push[name]);
  return draft;
}

export const draftOf = ({ name, channel, subject, body, format, push }: Template): Draft => ({ name, channel, subject, body, format, push: pushDraftOf(push) });

/** The push options in the form of the service; null if all have their default value. */
export function pushOf(draft: PushDraft): PushOptions | null {
  const push: PushOptions = {};
  for (const name of textOptions) if (draft[name].trim()) push[name] = draft[name].trim();
  for (const name of numberOptions) if (draft[name].trim()) push[name] = Number(draft[name]);
  if (draft.priority) push.priority = draft.priority;
  if (draft.background) push.background = true;
  return Object.keys(push).length > 0 ? push : null;
}

/** The body of `createTemplate` and `updateTemplate`. */
export const requestOf = (draft: Draft): { name: string; channel: Channel; subject: string | null; body: string; format: Format; push: PushOptions | null } => ({
  name: draft.name.trim(),
  channel: draft.channel,
  subject: draft.channel === "sms" || !draft.subject ? null : draft.subject,
  body: draft.body,
  format: draft.channel === "email" ? draft.format : "text",
  push: draft.channel === "push" ? pushOf(draft.push) : null,
});
