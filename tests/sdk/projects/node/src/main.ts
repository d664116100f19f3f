import { ApiError, Billing, Feedback, Notify, verifyWebhook, type WebhookEvent } from "@tetrad/client";
import { localhostFetch } from "@tetrad/client/localhost";

const options = { baseUrl: process.env["URL_OF_SERVICE"]!, apiKey: "fbk_1", fetch: localhostFetch };
const feedback = new Feedback(options);

/** What the compiler accepts of the other parts. */
export async function compiled(request: Request, secret: string): Promise<string> {
  const event: WebhookEvent = await verifyWebhook({ body: await request.text(), headers: request.headers, secret });
  if (event.type === "entitlement.changed") return event.data.entitlement.status;
  try {
    const { data, response } = await new Notify(options).getTemplate("t1").withResponse();
    await new Notify(options).updateTemplate("t1", { subject: data.name }, { ifMatch: response.headers.get("ETag")! });
    return (await new Billing(options).checkFeature("ada", "export")).granted ? "yes" : "no";
  } catch (error) {
    if (error instanceof ApiError && error.is("NOT_FOUND")) return error.code satisfies "NOT_FOUND";
    throw error;
  }
}

const { items } = await feedback.listFeedbacks({ status: "open", limit: 10 });
console.log(items[0]!.title);
