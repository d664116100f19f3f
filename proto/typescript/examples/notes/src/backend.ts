// Calls of the app's own backend, with the access token of the user.
import { session } from "./sign-in";

export type Colour = "none" | "sun" | "rose" | "sky" | "mint" | "violet";

export interface Note {
  id: string;
  title: string;
  text: string;
  colour: Colour;
  changedAt: string;
}

export interface InboxItem {
  id: string;
  title: string;
  body: string;
  at: string;
  /** Of the push, as notify reports it. */
  status: "queued" | "sent" | "delivered" | "opened" | "failed";
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const send = (token: string | undefined): Promise<Response> =>
    fetch(`/api/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const token = await session.tokenProvider({});
  let response = await send(token);
  if (response.status === 401 && token !== undefined) response = await send(await session.tokenProvider({ rejected: token }));
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return answer;
}

export const backend = {
  listNotes: () => call<Note[]>("GET", "notes"),
  putNote: ({ id, title, text, colour }: Omit<Note, "changedAt">) => call<Note>("PUT", `notes/${id}`, { title, text, colour }),
  deleteNote: (id: string) => call("DELETE", `notes/${id}`),
  remind: (id: string) => call("POST", `notes/${id}/reminder`),
  listInbox: () => call<InboxItem[]>("GET", "inbox"),
  openNotification: (id: string) => call("POST", `inbox/${id}/opened`),
  buyPro: () => call("POST", "checkout"),
};
