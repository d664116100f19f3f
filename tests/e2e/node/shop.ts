// A shop that uses the services: its tenant, its own backend, and test servers for FCM and the purchase provider.
import type { ChildProcess } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import type http from "node:http";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import type { components as FeedbackTypes, paths as FeedbackPaths } from "./clients/feedback.js";
import type { paths as NotifyPaths } from "./clients/notify.js";
import { played, program, type Answer } from "./played.js";
import { ok, Services, source, valuesOf } from "./services.js";

type Reply = FeedbackTypes["schemas"]["Reply"];
export type Push = { token: string; answer: string; body: { message: { notification: object; data: Record<string, string> } } };

const pem = { type: "pkcs8", format: "pem" } as const;
const google = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: pem,
  publicKeyEncoding: { type: "spki", format: "pem" },
});

/** The service account key that authorizes the shop to send pushes through FCM. */
export const serviceAccountKey = {
  type: "service_account",
  project_id: "the-shop",
  private_key: google.privateKey,
  client_email: "push@the-shop.iam.gserviceaccount.com",
} as const;

export class Shop extends Services {
  /** The address of the shop's backend for webhooks. */
  hookUrl = "";
  /** The statuses of the backend's responses. */
  readonly answered: number[] = [];
  /** The errors of the backend. */
  readonly failures: unknown[] = [];
  /** The secret with which feedback signs webhooks. */
  hookSecret = "";
  #fcm = "";
  #purchases = "";
  #hooks: http.Server | undefined;
  readonly #programs: ChildProcess[] = [];

  static async open(): Promise<Shop> {
    const shop = new Shop();
    try {
      await shop.#begin();
    } catch (error) {
      await shop.stop();
      throw error;
    }
    return shop;
  }

  override async stop(): Promise<void> {
    await super.stop();
    for (const child of this.#programs) child.kill();
    this.#hooks?.close();
    this.#hooks?.closeAllConnections();
  }

  async #begin(): Promise<void> {
    const tests = path.join(source, "tests");
    const fcm = await program<{ url: string; control: string }>(path.join(tests, "notify/node/fcm.mjs"), { publicKey: google.publicKey });
    this.#programs.push(fcm.child);
    const purchases = await program<{ port: number }>(path.join(tests, "billing/node/purchases_provider.mjs"));
    this.#programs.push(purchases.child);
    this.#fcm = fcm.where.control;
    this.#purchases = `http://127.0.0.1:${purchases.where.port}`;
    const hooks = await played((request, body) => this.#hear(request.headers as Record<string, string>, body));
    this.#hooks = hooks.server;
    this.hookUrl = hooks.url;
    await this.launch(() => ({
      NOTIFY_FCM_BASE_URL: fcm.where.url,
      NOTIFY_FCM_TOKEN_URL: `${fcm.where.control}/token`,
      BILLING_PURCHASES_API_URL: this.#purchases,
    }));
    this.label = "shop";
    this.keys = valuesOf(await this.script("tenant", "create", "shop", "The Shop"));
  }

  async #hear(headers: Record<string, string>, body: string): Promise<Answer> {
    const status = await this.#tell(headers, body).catch((error: unknown) => {
      this.failures.push(error);
      return 500;
    });
    this.answered.push(status);
    return { status };
  }

  /** The backend's handler for events of feedback: for a public reply by staff, the handler sends a push to the thread's user. */
  async #tell(headers: Record<string, string>, body: string): Promise<number> {
    let event: { type: string; data: Reply };
    try {
      event = new Webhook(this.hookSecret).verify(body, headers) as typeof event;
    } catch {
      return 401;
    }
    const { feedbackId, authorRole, internal, body: text } = event.data;
    if (event.type !== "reply.created" || authorRole === "user" || internal) return 204;
    const feedback = this.client<FeedbackPaths>("feedback", this.keys["FEEDBACK_PRODUCTION_KEY"]);
    const { userId, title } = await ok(feedback.GET("/v1/feedbacks/{feedbackId}", { params: { path: { feedbackId } } }));
    await ok(
      this.client<NotifyPaths>("notify", this.keys["NOTIFY_PRODUCTION_KEY"]).POST("/v1/notifications/send", {
        params: { header: { "Idempotency-Key": headers["webhook-id"]! } }, // the event may be delivered twice, but the push must be sent only once
        body: { templateName: "answer", channel: "push", to: userId!, variables: { title, text }, data: { feedbackId } },
      }),
    );
    return 204;
  }

  /** The pushes that FCM has received so far. */
  async pushes(): Promise<Push[]> {
    return (await (await fetch(`${this.#fcm}/seen`)).json()) as Push[];
  }

  /** Sets the subscriptions that the purchase provider reports for a user. */
  async sold(user: string, subscriptions: Record<string, object>): Promise<void> {
    const document = {
      request_date: new Date().toISOString(),
      subscriber: { original_app_user_id: user, entitlements: {}, non_subscriptions: {}, subscriptions },
    };
    await fetch(`${this.#purchases}/test/answers/${user}`, { method: "PUT", body: JSON.stringify({ document }) });
  }
}
