import { Auth, Billing, Feedback, Session, type FeedbackComponents } from "@tetrad/client";

type Thread = FeedbackComponents["schemas"]["BoardThread"];

const session = new Session({ auth: new Auth({ baseUrl: import.meta.env.VITE_URL }), storage: "memory" });
const options = { baseUrl: import.meta.env.VITE_URL, tokenProvider: session.tokenProvider };
const feedback = new Feedback(options);
export const billing = new Billing(options);

const threads: Thread[] = [];
for await (const thread of feedback.listBoardThreads({ sort: "votes" })) threads.push(thread);
console.log(threads.map(({ title }) => title).join());
