// A tab of an app. The test calls the functions of `globalThis.tab`.
import { ApiError, Auth, ConnectionError, Session } from "@tetrad/client";

let auth;
let session;
const seen = [];

globalThis.tab = {
  /** Opens the session that all tabs share. */
  open(url) {
    // The client uses the session that uses the client.
    auth = new Auth({ baseUrl: url, retries: 0, tokenProvider: (hint) => session.tokenProvider(hint) });
    session = new Session({ auth, name: "notes" });
    session.subscribe(() => seen.push(session.user?.email ?? null));
  },
  async signIn(credentials) {
    session.start(await auth.login(credentials));
  },
  /** Changes the stored tokens. All tabs see the change. */
  store(changes) {
    localStorage.setItem("tetrad:notes", JSON.stringify({ ...JSON.parse(localStorage.getItem("tetrad:notes")), ...changes }));
  },
  stored: () => JSON.parse(localStorage.getItem("tetrad:notes")),
  /** Calls the service: `email`, `401` or `offline`. */
  call: () =>
    auth.getMe().then(
      ({ email }) => email,
      (error) => (error instanceof ConnectionError ? "offline" : error instanceof ApiError ? String(error.status) : String(error)),
    ),
  user: () => session.user?.email ?? null,
  seen: () => seen,
  end: () => session.end(),
};
