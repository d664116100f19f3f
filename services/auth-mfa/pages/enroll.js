// Enrols a phone in three steps: number, code, recovery codes. The script removes the access token from the page's URL and
// keeps it only in the variable `token`.
const brand = document.body.dataset.brand;
const main = document.querySelector("main");
const byId = (id) => document.getElementById(id);
let token = "";
let phone = "";
let busy = false;

const alreadyProtected = "Your account is already protected by codes sent to your phone. There is nothing left to do.";

/// The reason to stop when the sign-in is too old, or too weak because the account has a second factor.
const signInAgain = ({ available_methods: methods }) =>
  methods?.includes("sms") ? alreadyProtected : "Please sign in again in the app, then open this page from there.";

const ended = "Your sign-in has ended. Go back to the app, sign in and open this page again.";
const stops = {
  UNAUTHORIZED: ended,
  FORBIDDEN: ended,
  MFA_PASSWORD_REQUIRED:
    "Your account has no password, because you sign in through another provider. Set up the second factor there.",
  MFA_ALREADY_ENABLED: alreadyProtected,
  TENANT_SUSPENDED: `${brand} is not available at the moment. Try again later.`,
  TENANT_NOT_FOUND: "This link is not valid. Go back to the app and open this page again.",
};
const words = {
  VALIDATION_ERROR: (step) =>
    step === "phone"
      ? "This is not a phone number. Write it with the country code, for example +1 201 555 0123."
      : "The code has 6 digits.",
  MFA_INVALID_CODE: (_, problem) =>
    "This code is wrong. " +
    (problem.attemptsRemaining === 1 ? "You have one try left." : "Check it and try again."),
  MFA_SETUP_REQUIRED: () => "This code is too old. Send a new one.",
  MFA_CHALLENGE_EXPIRED: () => "This code is too old. Send a new one.",
  MFA_RATE_LIMITED: (step, problem) =>
    (step === "code" ? "Too many codes were sent, or too many were wrong. " : "Too many codes were sent. ") + later(problem),
  RATE_LIMITED: (_, problem) => "Too many attempts. " + later(problem),
  MFA_SMS_UNDELIVERABLE: () =>
    "No message can be sent to this number. If you once replied STOP, reply START to that message; otherwise use another number.",
  UNAVAILABLE: (_, problem) => "The service is not available at the moment. " + later(problem),
};

function later({ retryAfter }) {
  if (!(retryAfter > 1)) return "Try again in a moment.";
  if (retryAfter <= 90) return `Try again in ${retryAfter} seconds.`;
  const minutes = Math.ceil(retryAfter / 60);
  return minutes <= 90 ? `Try again in ${minutes} minutes.` : `Try again in ${Math.ceil(minutes / 60)} hours.`;
}

/// Shows only this step and sets the focus to its first element.
function show(step) {
  for (const section of document.querySelectorAll("section")) section.hidden = section.id !== step;
  const title = byId(`${step}-title`);
  document.title = `${title.textContent} – ${brand}`;
  (byId(`${step}-input`) ?? title).focus();
}

function stop(text) {
  token = "";
  show("stopped");
  byId("stopped-text").textContent = text;
}

/// Shows `text` as the error of a step's field. An empty text clears the error.
function complain(step, text) {
  const field = byId(`${step}-input`) ?? byId("saved");
  byId(`${step}-error`).textContent = text;
  field.removeAttribute("aria-invalid");
  if (!text) return;
  field.setAttribute("aria-invalid", "true");
  field.focus();
  field.select();
}

/// Calls the API. Returns the response body, or null after showing the error in `step`. Also returns null while
/// another call is in progress.
async function call(step, path, body) {
  if (busy) return null;
  busy = true;
  main.setAttribute("aria-busy", "true");
  complain(step, "");
  let problem = { error: "UNAVAILABLE" };
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      credentials: "omit",
      cache: "no-store",
    });
    const answer = await response.json();
    if (response.ok) return answer;
    problem = { ...answer, retryAfter: Number(response.headers.get("Retry-After")) };
  } catch {
    // The response is missing or not JSON, so the page shows the error UNAVAILABLE.
  } finally {
    busy = false;
    main.removeAttribute("aria-busy");
  }
  const reason = problem.error === "REAUTHENTICATION_REQUIRED" ? signInAgain(problem) : stops[problem.error];
  if (reason) stop(reason);
  else complain(step, (words[problem.error] ?? words.UNAVAILABLE)(step, problem));
  return null;
}

const sendCode = (step) => call(step, "/v1/auth/mfa/sms/setup", { phone });

function showCodes(codes) {
  if (codes.length === 0) {
    byId("kept").hidden = false;
    return show("done");
  }
  byId("codes").replaceChildren(
    ...codes.map((code) => {
      const item = document.createElement("li");
      item.textContent = code;
      return item;
    }),
  );
  show("recovery");
}

const codesAsText = () => [...byId("codes").children].map((item) => item.textContent + "\n").join("");

function onSubmit(step, handler) {
  byId(step)
    .querySelector("form")
    .addEventListener("submit", (event) => {
      event.preventDefault();
      handler();
    });
}

onSubmit("phone", async () => {
  phone = byId("phone-input")
    .value.replace(/[\s().\/-]/g, "")
    .replace(/^00/, "+");
  if (!/^\+[1-9]\d{1,14}$/.test(phone)) return complain("phone", words.VALIDATION_ERROR("phone"));
  if (!(await sendCode("phone"))) return;
  byId("code-phone").textContent = phone;
  byId("code-input").value = "";
  byId("code-status").textContent = "";
  complain("code", "");
  show("code");
});

onSubmit("code", async () => {
  const code = byId("code-input").value.replace(/[\s-]/g, "");
  if (!/^\d{6}$/.test(code)) return complain("code", words.VALIDATION_ERROR("code"));
  const answer = await call("code", "/v1/auth/mfa/sms/confirm", { code });
  if (!answer) return;
  token = "";
  showCodes(answer.recoveryCodes);
});

byId("resend").addEventListener("click", async () => {
  byId("code-status").textContent = "";
  if (!(await sendCode("code"))) return;
  byId("code-input").value = "";
  byId("code-status").textContent = "A new code is on its way. The previous code no longer works.";
});

byId("change").addEventListener("click", () => !busy && show("phone"));

byId("copy").addEventListener("click", async () => {
  let said = "Copied.";
  try {
    await navigator.clipboard.writeText(codesAsText());
  } catch {
    getSelection().selectAllChildren(byId("codes"));
    said = "Your browser does not let this page copy. The codes are selected: copy them yourself.";
  }
  byId("recovery-status").textContent = said;
});

byId("download").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`Recovery codes for ${brand}\n\n`, codesAsText()], { type: "text/plain" }));
  link.download = "recovery-codes.txt";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  byId("recovery-status").textContent = "Downloaded.";
});

onSubmit("recovery", () => {
  if (!byId("saved").checked) return complain("recovery", "Save the codes first, then tick the box.");
  byId("codes").replaceChildren();
  show("done");
});

addEventListener("beforeunload", (event) => {
  if (!byId("recovery").hidden) event.preventDefault();
});

function start() {
  const given = new URLSearchParams(location.hash.slice(1)).get("access_token");
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  if (!given) return stop("Open this page from the app. It was opened without your sign-in.");
  token = given;
  show("phone");
}

addEventListener("hashchange", () => location.hash.includes("access_token=") && start());
start();
