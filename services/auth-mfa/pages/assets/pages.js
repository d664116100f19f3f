// The script of the hosted pages. The pages work without it, except passkeys. Attributes in the templates say what an element does:
//
// data-passkey on a form: its submit button uses or makes a passkey, and the form is sent with the field `credential`. The value is that
//   of POST /passkey/options: sign-in, verify, confirm or register. data-failed and data-known are texts for errors.
// data-copy on a button: copies the element with this id. data-done and data-failed are texts for the element .status beside it.
// data-download on a button: saves the element with this id as the file data-file, below the line data-heading.
// data-leave on an element: the browser asks before the user leaves the page without having copied or saved the element.
// .reveal on a button: shows and hides the password beside it. data-show and data-hide are its texts.

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// --- the address and the focus ---------------------------------------------------------------------------------------------------

const address = new URL(location.href);
if (address.searchParams.has("token")) {
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

const [invalid] = all('[aria-invalid="true"]');
invalid?.focus();
invalid?.select?.();

// --- forms -----------------------------------------------------------------------------------------------------------------------

function setBusy(form, busy) {
  if (busy) form.setAttribute("aria-busy", "true");
  else form.removeAttribute("aria-busy");
  // Later, because the browser does not send disabled buttons.
  setTimeout(() => {
    for (const button of all('button[type="submit"]', form)) button.disabled = form.hasAttribute("aria-busy");
  });
}

for (const form of all("form"))
  form.addEventListener("submit", (event) => {
    if (form.hasAttribute("aria-busy")) return event.preventDefault();
    setBusy(form, true);
    // The user may have stopped the request. A form with data-passkey knows when its request ends.
    if (!form.dataset.passkey) setTimeout(() => setBusy(form, false), 10_000);
  });

// The browser may show the page again as the user left it.
addEventListener("pageshow", () => all("form").forEach((form) => setBusy(form, false)));

for (const button of all(".reveal")) {
  const input = button.parentElement.querySelector("input");
  const show = (visible) => {
    input.type = visible ? "text" : "password";
    button.textContent = visible ? button.dataset.hide : button.dataset.show;
  };
  button.hidden = false;
  button.setAttribute("aria-controls", input.id);
  button.addEventListener("click", () => show(input.type === "password"));
  input.form.addEventListener("submit", () => show(false)); // so that the browser offers to save the password
}

// --- times -----------------------------------------------------------------------------------------------------------------------

/** Shows the times of lists in the user's time zone. */
const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
const inOwnZone = (_, day, time) => format.format(new Date(`${day}T${time}Z`));
for (const paragraph of all(".entries p"))
  for (const node of paragraph.childNodes)
    if (node.nodeType === Node.TEXT_NODE) node.data = node.data.replace(/(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/, inOwnZone);

// --- copies ----------------------------------------------------------------------------------------------------------------------

/** The text of an element: data-text, or a line for each item of a list. */
function textOf(id) {
  const element = document.getElementById(id);
  return element.dataset.text ?? all("li", element).map((item) => `${item.textContent.trim()}\n`).join("");
}

const say = (button, text) => (button.closest(".tools").querySelector(".status").textContent = text);

/** The elements with data-leave that the user has not copied or saved. */
const unsaved = new Set(all("[data-leave]").map((element) => element.id));
addEventListener("beforeunload", (event) => unsaved.size > 0 && event.preventDefault());
for (const link of all("main a.button")) link.addEventListener("click", () => unsaved.clear());

for (const button of all("[data-copy]")) {
  const { copy, done, failed } = button.dataset;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(textOf(copy));
      unsaved.delete(copy);
      say(button, done);
    } catch {
      getSelection().selectAllChildren(document.getElementById(copy));
      say(button, failed);
    }
  });
}

for (const button of all("[data-download]")) {
  const { download, file, heading, done } = button.dataset;
  button.hidden = false;
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${heading}\n\n`, textOf(download)], { type: "text/plain" }));
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    unsaved.delete(download);
    say(button, done);
  });
}

// --- passkeys --------------------------------------------------------------------------------------------------------------------

const decode = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
const encode = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** The options as the browser wants them, from their JSON form (WebAuthn Level 3). */
function parseOptions(json) {
  const options = { ...json, challenge: decode(json.challenge) };
  for (const name of ["allowCredentials", "excludeCredentials"])
    if (json[name]) options[name] = json[name].map((each) => ({ ...each, id: decode(each.id) }));
  if (json.user) options.user = { ...json.user, id: decode(json.user.id) };
  return options;
}

/** The JSON form of a credential. Not all browsers and password managers have toJSON. */
function toJson({ id, rawId, type, response }) {
  const members = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"])
    if (response[name]) members[name] = encode(response[name]);
  if (response.getTransports) members.transports = response.getTransports();
  return JSON.stringify({ id, rawId: encode(rawId), type, response: members, clientExtensionResults: {} });
}

/** An error with a text for the user. */
class Refused extends Error {}

/** Returns the options for a form. Goes to another page and never returns if the server wants that. */
async function fetchOptions(form) {
  const { csrf, next } = form.elements;
  const body = new URLSearchParams({ csrf: csrf.value, for: form.dataset.passkey, next: next?.value ?? "" });
  const response = await fetch("/passkey/options", { method: "POST", body, cache: "no-store" });
  const answer = await response.json();
  if (response.ok) return parseOptions(answer);
  if (!answer.location) throw new Refused(answer.message);
  location.assign(answer.location);
  return new Promise(() => {});
}

function send(form, credential) {
  form.elements.credential.value = toJson(credential);
  setBusy(form, true);
  form.submit();
}

/** The request for a passkey that the browser shows in the field for the email address. */
let offered = new AbortController();

/** Begins this request, in place of an earlier one. */
async function offerPasskeys(form) {
  offered.abort();
  const { signal } = (offered = new AbortController());
  if (!(await window.PublicKeyCredential?.isConditionalMediationAvailable?.())) return;
  try {
    const publicKey = await fetchOptions(form);
    if (!signal.aborted) send(form, await navigator.credentials.get({ publicKey, signal, mediation: "conditional" }));
  } catch {
    // The user chose no passkey, or another request ended this one. The page has other ways to sign in.
  }
}

async function usePasskey(form) {
  offered.abort();
  const publicKey = await fetchOptions(form);
  send(form, await navigator.credentials[form.dataset.passkey === "register" ? "create" : "get"]({ publicKey }));
}

function textFor(error, { failed, known }) {
  if (error instanceof Refused) return error.message;
  return error.name === "InvalidStateError" && known ? known : failed;
}

for (const form of all("form[data-passkey]")) {
  const place = form.querySelector('[role="alert"]');
  const signsIn = form.dataset.passkey === "sign-in";
  form.addEventListener("submit", async (event) => {
    if (event.defaultPrevented) return; // the form is busy
    event.preventDefault();
    place.textContent = "";
    try {
      await usePasskey(form);
    } catch (error) {
      place.textContent = textFor(error, form.dataset);
      setBusy(form, false);
      setTimeout(() => form.querySelector('button[type="submit"]').focus());
      if (signsIn) offerPasskeys(form);
    }
  });
  if (window.PublicKeyCredential) form.hidden = false;
  if (signsIn) {
    offerPasskeys(form);
    // The server accepts a passkey for five minutes after it made the options.
    setInterval(() => document.hidden || form.hasAttribute("aria-busy") || offerPasskeys(form), 240_000);
  }
}
