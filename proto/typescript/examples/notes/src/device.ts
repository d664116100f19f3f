import { notify } from "./clients";

const deviceKey = "notes:device";

type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/**
 * STAND-IN OF THE PUSH SERVICE, for local trials only: a subscription with keys of its own, at an address that does not exist. The local
 * stack writes pushes to a file. In production, a service worker subscribes:
 *
 *     const { publicKey } = await (a client with the user's token).getWebPushKey();
 *     const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
 */
async function subscribe(): Promise<Subscription> {
  const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const secret = crypto.getRandomValues(new Uint8Array(16));
  const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/stand-in-${crypto.randomUUID()}`;
  return { endpoint, keys: { p256dh: base64(publicKey), auth: base64(secret) } };
}

/** Registers this browser for the pushes of the user. The device moves to this user if another one was signed in before. */
export async function registerDevice(userId: string): Promise<void> {
  const stored = localStorage.getItem(deviceKey);
  const { subscription } = stored ? (JSON.parse(stored) as { subscription: Subscription }) : { subscription: await subscribe() };
  const { token } = await notify.registerDevice({ userId, platform: "web", subscription });
  localStorage.setItem(deviceKey, JSON.stringify({ subscription, token }));
}

/** Removes this browser. Pushes for the user then no longer come here. Never rejects. */
export async function removeDevice(): Promise<void> {
  const stored = localStorage.getItem(deviceKey);
  if (stored === null) return;
  localStorage.removeItem(deviceKey);
  const { token } = JSON.parse(stored) as { token: string };
  await notify.unregisterDevice(token).catch(console.error);
}
