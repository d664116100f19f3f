// The script of the board. Pages can be read without it. It signs users in at the tenant's auth host (authorization code with PKCE,
// RFC 7636, as the public client tetrad-board), and calls the API with their access token. Attributes in the templates:
//
// data-auth on <body>: the origin of the auth host.
// data-id on a .vote button: the post to vote for.
// data-votes on a list: the address of these posts in the API, which then says for which of them the user has voted.
// data-vote on an element: the same for one post.

const find = (selector) => document.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
const auth = document.body.dataset.auth;
const client = "tetrad-board";
const callback = `${location.origin}/board/callback`;

/** Announces the text in an element with role="status", also if it has the same text already. */
function announce(status, text) {
  status.textContent = "";
  requestAnimationFrame(() => (status.textContent = text));
}

let shown;
/** Shows the message for a while, because it covers the page. */
function say(text) {
  announce(find("#message"), text);
  clearTimeout(shown);
  shown = setTimeout(() => (find("#message").textContent = ""), 10_000);
}

// --- the storage of this tab -----------------------------------------------------------------------------------------------------

const stored = (name) => `board.${name}`;
function remember(name, value) {
  if (value === undefined) sessionStorage.removeItem(stored(name));
  else sessionStorage.setItem(stored(name), JSON.stringify(value));
}
function recall(name) {
  try {
    return JSON.parse(sessionStorage.getItem(stored(name))) ?? undefined;
  } catch {
    return undefined;
  }
}
/** The value, which is forgotten. */
function take(name) {
  const value = recall(name);
  remember(name);
  return value;
}

// --- signing in ------------------------------------------------------------------------------------------------------------------

const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** The claims of a JWT. They come from the auth host over TLS, so the signature needs no check here. */
function claimsOf(token) {
  const bytes = Uint8Array.from(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** The session, unless its token is about to expire. */
function session() {
  const current = recall("session");
  return current && current.expires > Date.now() + 10_000 ? current : undefined;
}

/** Leaves the page for the auth host. Afterwards the user is on this page again, and votes for the post `vote`. */
async function signIn(vote) {
  if (!crypto.subtle) return say("Signing in needs a secure connection. Open this board with https.");
  const request = { state: random(), nonce: random(), verifier: random(), next: location.pathname + location.search, vote };
  remember("request", request);
  const challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(request.verifier));
  location.assign(
    `${auth}/oauth/authorize?${new URLSearchParams({
      response_type: "code",
      client_id: client,
      redirect_uri: callback,
      scope: "openid email",
      state: request.state,
      nonce: request.nonce,
      code_challenge: base64url(challenge),
      code_challenge_method: "S256",
    })}`,
  );
}

/** Ends the session here and at the auth host. */
function signOut() {
  const hint = recall("session")?.idToken;
  remember("session");
  const back = { client_id: client, post_logout_redirect_uri: `${location.origin}/board` };
  location.assign(`${auth}/oauth/logout?${new URLSearchParams(hint ? { ...back, id_token_hint: hint } : back)}`);
}

/** Exchanges the code of the address for a session. Returns the request that led here. Throws an Error with a text for the user. */
async function finishSignIn() {
  const answer = new URLSearchParams(location.search);
  history.replaceState(null, "", location.pathname); // the code is not kept in the history
  const request = take("request");
  if (!request || answer.get("state") !== request.state || (answer.has("iss") && new URL(answer.get("iss")).origin !== auth))
    throw new Error("This sign-in was not started in this tab. Go back to the board and sign in again.");
  if (answer.has("error")) {
    if (answer.get("error") === "access_denied") throw new Error("You did not sign in.");
    throw new Error("Signing in has failed. Go back to the board and try again.");
  }
  const response = await fetch(`${auth}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: answer.get("code") ?? "",
      redirect_uri: callback,
      client_id: client,
      code_verifier: request.verifier,
    }),
  });
  if (!response.ok) throw new Error("Signing in has failed. Go back to the board and try again.");
  const tokens = await response.json();
  if (claimsOf(tokens.id_token).nonce !== request.nonce) throw new Error("Signing in has failed. Go back to the board and try again.");
  remember("session", {
    token: tokens.access_token,
    idToken: tokens.id_token,
    email: claimsOf(tokens.access_token).email,
    expires: Date.now() + tokens.expires_in * 1000,
  });
  return request;
}

// --- the API ---------------------------------------------------------------------------------------------------------------------

/** Calls the API. Returns the JSON, or undefined if the user must sign in first. Throws an Error with a text for the user. */
async function call(method, path, body, signal) {
  const current = session();
  const headers = current ? { Authorization: `Bearer ${current.token}` } : {};
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method, headers, signal, body: body && JSON.stringify(body) }).catch((failure) => {
    if (failure.name === "AbortError") throw failure;
    throw new Error("The board cannot be reached. Check your connection and try again.");
  });
  if (response.status === 401) {
    remember("session");
    return undefined;
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const texts = {
    404: "This post is not on the board any more.",
    409: "This post was merged or deleted, so it takes no more votes.",
    429: "Too many requests. Wait a moment and try again.",
  };
  throw Object.assign(new Error(texts[response.status] ?? "This has failed. Try again later."), { answer });
}

// --- voting ----------------------------------------------------------------------------------------------------------------------

const buttonsOf = (id) => findAll(`.vote[data-id="${CSS.escape(id)}"]`);

function show(id, { voted, voteCount }) {
  for (const button of buttonsOf(id)) {
    if (voted !== undefined) button.setAttribute("aria-pressed", String(voted));
    if (voteCount !== undefined) button.querySelector(".count").textContent = voteCount;
  }
}

async function vote(id, wanted) {
  if (!session()) return signIn(id);
  for (const button of buttonsOf(id)) button.setAttribute("aria-busy", "true");
  try {
    const answer = await call(wanted ? "PUT" : "DELETE", `/v1/feedbacks/${encodeURIComponent(id)}/vote`);
    if (!answer) return await signIn(id);
    show(id, answer);
    const votes = `${answer.voteCount} ${answer.voteCount === 1 ? "vote" : "votes"}`;
    say(answer.voted ? `You voted. The post has ${votes}.` : `Your vote was taken back. The post has ${votes}.`);
  } catch (failure) {
    say(failure.message);
  } finally {
    for (const button of buttonsOf(id)) button.removeAttribute("aria-busy");
  }
}

function enable(button) {
  button.disabled = false;
  button.removeAttribute("title");
  button.querySelector(".needs-script")?.remove();
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-busy") !== "true") vote(button.dataset.id, button.getAttribute("aria-pressed") !== "true");
  });
}
findAll(".vote").forEach(enable);

/** Shows for which posts of the page the user has voted. */
async function showVotes() {
  const lists = findAll("[data-votes]").map((list) => call("GET", list.dataset.votes).then((page) => page?.items ?? []));
  const single = findAll("[data-vote]").map((post) => call("GET", post.dataset.vote).then((found) => (found ? [found] : [])));
  for (const answer of await Promise.allSettled([...lists, ...single]))
    if (answer.status === "fulfilled") for (const post of answer.value) show(post.feedbackId, post);
}

// --- a new post ------------------------------------------------------------------------------------------------------------------

const form = find("#new");

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const arrow = () => {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" })) svg.setAttribute(key, value);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", "M8 3.5 14 12H2z");
  svg.append(path);
  return svg;
};

function similarPost({ feedbackId, title, voteCount }) {
  const button = element(
    "button",
    { type: "button", class: "vote", "data-id": feedbackId, "aria-pressed": "false" },
    arrow(),
    element("span", { class: "sr" }, `Vote for “${title}”. Votes: `),
    element("span", { class: "count" }, String(voteCount)),
  );
  enable(button);
  const link = element("a", { href: `/board/posts/${encodeURIComponent(feedbackId)}`, target: "_blank", dir: "auto" }, title);
  return element("li", {}, button, link);
}

let search;
let timer;
async function showSimilar() {
  const title = form.elements.title.value.trim();
  search?.abort();
  search = new AbortController();
  const box = find("#similar");
  if (title.length < 3) return void (box.hidden = true);
  try {
    const answer = await call("GET", `/v1/feedbacks/similar?${new URLSearchParams({ title })}`, undefined, search.signal);
    const found = (answer?.items ?? []).slice(0, 5);
    find("#similar-list").replaceChildren(...found.map(similarPost));
    if (found.length > 0 && box.hidden)
      announce(find("#similar-status"), found.length === 1 ? "There is a similar post." : `There are ${found.length} similar posts.`);
    box.hidden = found.length === 0;
  } catch {
    // The user does not need the suggestions to post.
  }
}

function refuse(field, text) {
  const input = form.elements[field];
  input.setAttribute("aria-invalid", "true");
  find(`#${field}-error`).textContent = text;
  return input;
}

/** The first field with an error; undefined if there is none. */
function checkFields() {
  const wrong = [];
  for (const [field, text] of [["title", "Enter a title."], ["body", "Describe your post."]]) {
    form.elements[field].removeAttribute("aria-invalid");
    find(`#${field}-error`).textContent = "";
    if (!form.elements[field].value.trim()) wrong.push(refuse(field, text));
  }
  return wrong[0];
}

async function post() {
  const wrong = checkFields();
  if (wrong) return wrong.focus();
  const { title, body, category } = form.elements;
  const draft = { title: title.value.trim(), body: body.value.trim(), category: category.value };
  remember("draft", draft);
  const made = session() && (await call("POST", "/v1/feedbacks", draft));
  if (!made) return signIn();
  remember("draft");
  if (made.visibility === "public") {
    remember("notice", "Your post is on the board.");
    return location.assign(`/board/posts/${encodeURIComponent(made.feedbackId)}`);
  }
  form.hidden = true;
  find("#sent").hidden = false;
  find("#sent").focus();
}

function startForm() {
  const entry = find("#gate-sign-in");
  entry.disabled = false;
  entry.addEventListener("click", () => signIn());
  if (!session()) return;
  find("#gate").hidden = true;
  form.hidden = false;
  for (const [field, value] of Object.entries(recall("draft") ?? {})) form.elements[field].value = value;
  form.elements.title.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(showSimilar, 300);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("[type=submit]");
    if (button.disabled) return;
    button.disabled = true;
    clearTimeout(timer);
    try {
      await post();
    } catch (failure) {
      const named = (failure.answer?.errors ?? []).filter(({ pointer }) => /^\/(title|body)$/.test(pointer ?? ""));
      for (const { pointer } of named) refuse(pointer.slice(1), "This text cannot be used. Shorten or change it.").focus();
      say(failure.message);
    } finally {
      button.disabled = false;
    }
  });
}

// --- the page --------------------------------------------------------------------------------------------------------------------

async function arrive() {
  try {
    const { next, vote: wish } = await finishSignIn();
    if (wish) remember("vote", wish);
    location.replace(next);
  } catch (failure) {
    find("#callback h1").textContent = "Not signed in";
    find("#callback-text").textContent = failure instanceof TypeError ? "The sign-in page cannot be reached. Try again later." : failure.message;
  }
}

async function start() {
  const current = session();
  find("#sign-in").hidden = Boolean(current);
  find("#sign-out").hidden = find("#who").hidden = !current;
  find("#who").textContent = current?.email ?? "";
  find("#sign-in").addEventListener("click", () => signIn());
  find("#sign-out").addEventListener("click", signOut);
  if (form) startForm();
  const notice = take("notice");
  if (notice) say(notice);
  if (!current) return;
  const wish = take("vote");
  await showVotes();
  if (wish) await vote(wish, true);
}

if (find("#callback")) arrive();
else start();
