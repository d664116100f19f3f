// The pages to which the links in mails lead: choose a password, confirm an address, undo a change of the address. A link
// changes nothing before a button is pressed, because programs that check mails open links, too. The script removes the
// token from the page's URL and keeps it only in the variable `token`.
const { brand, page } = document.body.dataset;
const main = document.querySelector("main");
const byId = (id) => document.getElementById(id);
let token = "";
let busy = false;

/// What each page says and calls. A page with `field` asks for a password and sends it under that name.
const pages = {
  reset: {
    path: "/v1/auth/password/reset",
    field: "newPassword",
    text: "Choose a new password for your account.",
    button: "Save new password",
    done: () => [
      "Your password is changed",
      "You are now signed out on all devices. Go back to the app and sign in with the new password.",
    ],
    expired: "Request a new link, and use it within 30 minutes.",
  },
  invite: {
    path: "/v1/auth/invitations/accept",
    field: "password",
    text: `You are invited to ${brand}. Choose a password for your account.`,
    button: "Accept invitation",
    done: () => ["Your account is ready", "Go to the app and sign in with your email address and the new password."],
    expired: "If you have already accepted the invitation, sign in to the app. Otherwise, ask for a new invitation.",
  },
  "verify-email": {
    path: "/v1/auth/email/verify",
    text: "Press the button to confirm that this email address is yours.",
    button: "Confirm email address",
    done: () => ["Your email address is confirmed", "You can close this page and go back to the app."],
    expired: "If your address is not confirmed yet, sign in to the app and ask for a new email.",
  },
  "confirm-email": {
    path: "/v1/auth/email/confirm",
    text: "Press the button to use this email address for your account from now on.",
    button: "Use this address",
    done: ({ email }) => ["Your email address is changed", `From now on, sign in with ${email}.`],
    expired: "If your address has not changed, sign in to the app and change it again.",
  },
  "revert-email": {
    path: "/v1/auth/email/revert",
    text: "Press the button to restore the previous email address of your account. This signs you out on all devices.",
    button: "Restore previous address",
    done: ({ email }) => [
      "Your email address is restored",
      `Your account uses ${email} again, and you are signed out on all devices. If you did not change the address, someone ` +
        "may know your password. Choose a new one now.",
    ],
    expired: `The link works for 3 days after the change. If your address is still wrong, contact ${brand} support.`,
  },
};
const current = pages[page];

const secondFactor = [
  "Your account is ready",
  `Go to the app and sign in with the new password. ${brand} will ask you to set up a second factor.`,
];

/// The title and text for problems after which the page cannot continue.
const stops = {
  TENANT_SUSPENDED: ["You cannot continue here", `${brand} is not available at the moment. Try again later.`],
  TENANT_NOT_FOUND: ["This link does not work", "It leads to an app that does not exist."],
  ACCOUNT_DISABLED: ["This account is disabled", `Contact ${brand} support.`],
  CONFLICT: ["You cannot use this address", "Another account uses this email address by now."],
};

function later({ retryAfter }) {
  if (!(retryAfter > 1)) return "Try again in a moment.";
  if (retryAfter <= 90) return `Try again in ${retryAfter} seconds.`;
  const minutes = Math.ceil(retryAfter / 60);
  return minutes <= 90 ? `Try again in ${minutes} minutes.` : `Try again in ${Math.ceil(minutes / 60)} hours.`;
}

/// Shows only this section, under this title and icon, and sets the focus to its field or else to the title.
function show(section, title, icon = "") {
  for (const each of document.querySelectorAll("section")) each.hidden = each.id !== section;
  for (const each of document.querySelectorAll(".icon")) each.toggleAttribute("hidden", each.id !== icon);
  byId("title").textContent = title;
  document.title = `${title} – ${brand}`;
  (section === "password" || section === "forgot" ? byId(`${section}-input`) : byId("title")).focus();
}

function finish([title, text]) {
  token = "";
  byId("password-input").value = "";
  byId("done-text").textContent = text;
  byId("done-reset").hidden = page !== "revert-email";
  show("done", title, "good");
}

function stop([title, text], mayRequest = false) {
  token = "";
  byId("password-input").value = "";
  byId("stopped-text").textContent = text;
  byId("request").hidden = !mayRequest;
  show("stopped", title, "bad");
}

const expire = () =>
  stop(
    ["This link no longer works", `It has been used, it has expired, or it is not complete. ${current.expired}`],
    page === "reset",
  );

const askForEmail = () => {
  complain("forgot", "");
  show("forgot", "Reset your password");
};

/// Shows `text` as the error of a section. An empty text clears the error.
function complain(section, text) {
  const field = byId(`${section}-input`);
  byId(`${section}-error`).textContent = text;
  field.removeAttribute("aria-invalid");
  if (!text) return;
  if (field.matches("input")) {
    field.setAttribute("aria-invalid", "true");
    field.select();
  }
  field.focus();
}

/// Shows the problem of a response. `name` is the name of the section's field in the request and `label` is its name for
/// people; both are undefined if the section has only a button.
function explain(section, problem, name, label) {
  const fault = problem.errors?.find(({ pointer }) => pointer === `/${name}`);
  if (problem.error === "VALIDATION_ERROR" && fault) complain(section, `The ${label} ${fault.detail}.`);
  else if (problem.error === "RATE_LIMITED" || problem.error === "MFA_RATE_LIMITED")
    complain(section, "Too many attempts. " + later(problem));
  else complain(section, "The service is not available at the moment. " + later(problem));
}

/// Calls the API. Returns {answer} or {problem}, and undefined while another call is in progress.
async function call(section, path, body) {
  if (busy) return undefined;
  busy = true;
  main.setAttribute("aria-busy", "true");
  complain(section, "");
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
    });
    const answer = await response.json();
    if (response.ok) return { answer };
    return { problem: { ...answer, retryAfter: Number(response.headers.get("Retry-After")) } };
  } catch {
    return { problem: { error: "UNAVAILABLE" } }; // the response is missing or not JSON
  } finally {
    busy = false;
    main.removeAttribute("aria-busy");
  }
}

function onSubmit(section, handler) {
  byId(section)
    .querySelector("form")
    .addEventListener("submit", (event) => {
      event.preventDefault();
      handler();
    });
}

/// Uses the token up, with the password if the page asks for one.
async function use(section, password) {
  const body = current.field ? { token, [current.field]: password } : { token };
  const result = await call(section, current.path, body);
  if (!result) return;
  const { answer, problem } = result;
  if (answer) finish(current.done(answer));
  else if (page === "invite" && ["mfa_enrollment_required", "mfa_required"].includes(problem.error)) finish(secondFactor);
  else if (problem.error === "TOKEN_EXPIRED" || problem.errors?.some(({ pointer }) => pointer === "/token")) expire();
  else if (stops[problem.error]) stop(stops[problem.error]);
  else explain(section, problem, current.field, "password");
}

onSubmit("confirm", () => use("confirm"));

onSubmit("password", () => {
  const password = byId("password-input").value;
  reveal(false); // browsers offer to save a password only from a field of the type password
  if (!password) return complain("password", "Enter a password.");
  if ([...password.normalize("NFC")].length < 8) return complain("password", "The password must be at least 8 characters.");
  use("password", password);
});

onSubmit("forgot", async () => {
  const email = byId("forgot-input").value.trim();
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return complain("forgot", "Enter an email address, for example ada@example.com.");
  const result = await call("forgot", "/v1/auth/password/forgot", { email });
  if (!result) return;
  const { answer, problem } = result;
  if (answer) {
    byId("sent-email").textContent = email;
    show("sent", "Check your email", "sent-icon");
  } else if (stops[problem.error]) stop(stops[problem.error]);
  else explain("forgot", problem, "email", "email address");
});

function reveal(visible) {
  byId("password-input").type = visible ? "text" : "password";
  byId("reveal").textContent = visible ? "Hide" : "Show";
  byId("reveal").ariaLabel = `${byId("reveal").textContent} password`;
}

byId("reveal").addEventListener("click", () => {
  reveal(byId("password-input").type === "password");
  byId("password-input").focus();
});
byId("again").addEventListener("click", askForEmail);
byId("request").addEventListener("click", askForEmail);

function start() {
  token = new URLSearchParams(location.search).get("token") ?? "";
  if (location.search || location.hash) history.replaceState(null, "", location.pathname);
  if (!token) return page === "reset" ? askForEmail() : expire();
  const section = current.field ? "password" : "confirm";
  byId(`${section}-text`).textContent = current.text;
  byId(section === "password" ? "password-button" : "confirm-input").textContent = current.button;
  show(section, byId("title").textContent);
}

start();
