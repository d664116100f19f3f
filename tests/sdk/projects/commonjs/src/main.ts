import { Feedback } from "@tetrad/client";
import localhost = require("@tetrad/client/localhost");

async function main(): Promise<void> {
  const feedback = new Feedback({ baseUrl: process.env["URL_OF_SERVICE"]!, apiKey: "fbk_1", fetch: localhost.localhostFetch });
  for await (const thread of feedback.listFeedbacks()) console.log(thread.title);
}

void main();
