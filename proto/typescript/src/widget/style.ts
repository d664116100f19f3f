// The style sheet of the widget. Sizes are relative to --tetrad-font-size. Distances are logical, because the page may be written from
// right to left. The widget adapts to its own width, not to the window's.

const light = `
  color-scheme: light;
  --ground: var(--tetrad-background, #ffffff);
  --card: var(--tetrad-card, #ffffff);
  --panel: var(--tetrad-panel, #f5f6f9);
  --text: var(--tetrad-text, #16181d);
  --muted: var(--tetrad-muted, #535b6a);
  --line: var(--tetrad-line, #7d8493);
  --hairline: var(--tetrad-hairline, #e2e5eb);
  --accent: var(--tetrad-accent, #1a56c4);
  --error: var(--tetrad-error, #b3141b);
  --open: #0f5f86;
  --open-ground: #e2f1f9;
  --in-progress: #7a4a00;
  --in-progress-ground: #fdf0d5;
  --resolved: #14652f;
  --resolved-ground: #e0f4e5;
  --closed: #4b5260;
  --closed-ground: #eceef2;
  --raised: var(--tetrad-card, #ffffff);
  --toast: #1d2129;
  --toast-text: #ffffff;
  --shadow: 0 1px 2px rgb(16 24 40 / 5%), 0 6px 20px rgb(16 24 40 / 6%);
  --lift: 0 1px 2px rgb(16 24 40 / 16%);`;

const dark = `
  color-scheme: dark;
  --ground: var(--tetrad-background, #14161b);
  --card: var(--tetrad-card, #1a1d23);
  --panel: var(--tetrad-panel, #22262e);
  --text: var(--tetrad-text, #eceef2);
  --muted: var(--tetrad-muted, #b0b7c4);
  --line: var(--tetrad-line, #818997);
  --hairline: var(--tetrad-hairline, #313640);
  --accent: var(--tetrad-accent, #8ab4ff);
  --error: var(--tetrad-error, #ff9a96);
  --open: #8fd0f2;
  --open-ground: #123040;
  --in-progress: #f5c56b;
  --in-progress-ground: #3a2a0c;
  --resolved: #86dca0;
  --resolved-ground: #14341f;
  --closed: #b4bac6;
  --closed-ground: #2b303a;
  --raised: #3a404c;
  --toast: #eceef2;
  --toast-text: #16181d;
  --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 6px 20px rgb(0 0 0 / 24%);
  --lift: 0 1px 2px rgb(0 0 0 / 60%);`;

const frame = `
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
:host { display: block; }
:host([hidden]) { display: none; }

.root {${light}
  --on-accent: var(--tetrad-on-accent, #ffffff);
  --radius: var(--tetrad-radius, 0.75em);
  position: relative;
  container: tetrad / inline-size;
  border: 1px solid var(--hairline);
  border-radius: calc(var(--radius) * 1.35);
  background: var(--ground);
  color: var(--text);
  font: var(--tetrad-font-size, 1rem) / 1.5 var(--tetrad-font, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif);
  text-align: start;
  overflow-wrap: anywhere;
}
@media (prefers-color-scheme: dark) {
  :host(:not([theme="light"])) .root {${dark}
    --on-accent: var(--tetrad-on-accent, #0b1a33);
  }
}
:host([theme="dark"]) .root {${dark}
  --on-accent: var(--tetrad-on-accent, #0b1a33);
}
/* Black or white text on the accent colour of the page, whichever is easier to read. */
@supports (color: oklch(from red l c h)) {
  .root, :host(:not([theme="light"])) .root, :host([theme="dark"]) .root {
    --on-accent: var(--tetrad-on-accent, oklch(from var(--accent) clamp(0, (0.6 - l) * 1000, 1) 0 0));
  }
}

.content { padding: 1.75em; }
.sr {
  position: absolute;
  clip-path: inset(50%);
  width: 1px;
  height: 1px;
  margin: 0;
  overflow: hidden;
  white-space: nowrap;
}
h2, h3, p, ul, ol, fieldset { margin: 0; padding: 0; }
ul, ol { list-style: none; }
svg { flex: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }

.head { display: flex; flex-wrap: wrap; gap: 0.875em 1.5em; align-items: center; justify-content: space-between; }
.head > div { flex: 1 1 18em; min-width: 0; }
.heading { font-size: 1.5em; font-weight: 700; line-height: 1.25; letter-spacing: -0.018em; }
.intro { margin-block-start: 0.2em; color: var(--muted); }
.muted { color: var(--muted); font-size: 0.9375em; }
`;

const controls = `
button, input, textarea { font: inherit; letter-spacing: inherit; }
button { margin: 0; color: inherit; cursor: pointer; }
.primary, .quiet {
  display: inline-flex;
  gap: 0.5em;
  align-items: center;
  justify-content: center;
  min-height: 2.625em;
  padding: 0.375em 1.125em;
  border: 1px solid var(--accent);
  border-radius: var(--radius);
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 600;
  white-space: nowrap;
}
.primary { box-shadow: var(--lift); }
.primary:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); }
.quiet { border-color: color-mix(in srgb, var(--line) 55%, transparent); background: var(--card); color: var(--text); }
.quiet:hover { border-color: var(--line); background: var(--panel); }
.small { min-height: 2.25em; padding-inline: 0.875em; font-size: 0.9375em; }
.icon {
  display: inline-grid;
  place-items: center;
  width: 2em;
  height: 2em;
  padding: 0;
  border: 0;
  border-radius: calc(var(--radius) * 0.66);
  background: none;
  color: var(--muted);
}
.icon:hover { background: color-mix(in srgb, currentColor 12%, transparent); color: var(--text); }

.spinner {
  width: 1em;
  height: 1em;
  border: 2px solid currentColor;
  border-inline-end-color: transparent;
  border-radius: 50%;
}

.sign-in {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5em 1em;
  align-items: center;
  justify-content: space-between;
  margin-block-start: 1.25em;
  padding: 0.625em 0.75em 0.625em 1em;
  border-radius: var(--radius);
  background: color-mix(in srgb, var(--accent) 8%, var(--ground));
}

.toolbar { display: flex; flex-wrap: wrap; gap: 0.75em 1em; align-items: center; margin-block: 1.375em 1em; }
.search { position: relative; display: flex; flex: 1 1 16em; align-items: center; }
.search svg:first-child { position: absolute; inset-inline-start: 0.875em; color: var(--muted); pointer-events: none; }
.search .icon { position: absolute; inset-inline-end: 0.25em; }
input:not([type="radio"]), textarea {
  width: 100%;
  min-height: 2.625em;
  margin: 0;
  padding: 0.5em 0.875em;
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--card);
  color: var(--text);
  appearance: none;
}
input:not([type="radio"]):focus-visible, textarea:focus-visible { border-color: var(--accent); outline-width: 2px; outline-offset: 1px; }
input[aria-invalid], textarea[aria-invalid] { border-color: var(--error); }
.search input[type="search"] { padding-inline: 2.625em 2.5em; }
input[type="search"]::-webkit-search-cancel-button { display: none; }
textarea { display: block; min-height: 8em; resize: vertical; }
::placeholder { color: var(--muted); opacity: 1; }

.segments { display: flex; padding: 0.1875em; border-radius: var(--radius); background: var(--panel); }
.option { min-height: 2.25em; padding: 0.25em 0.875em; border: 1px solid transparent; border-radius: calc(var(--radius) * 0.8); background: none; color: var(--muted); font-size: 0.9375em; font-weight: 550; white-space: nowrap; }
.option:hover { color: var(--text); }
.segments .option[aria-pressed="true"] { background: var(--raised); color: var(--text); box-shadow: var(--lift); font-weight: 600; }
.chips { display: flex; flex-basis: 100%; flex-wrap: wrap; gap: 0.375em; }
.chips .option { min-height: 2em; padding-inline: 0.8125em; border-color: var(--hairline); border-radius: 2em; font-size: 0.875em; }
.chips .option:hover { border-color: var(--line); }
.chips .option[aria-pressed="true"] { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 9%, var(--card)); color: var(--accent); font-weight: 600; }
`;

const list = `
.posts { border: 1px solid var(--hairline); border-radius: calc(var(--radius) * 1.15); background: var(--card); }
.busy .posts { opacity: 0.55; }
.post { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 1.125em; align-items: start; padding: 1.125em 1.25em; }
.post + .post { border-block-start: 1px solid var(--hairline); }
.main { overflow: clip; overflow-clip-margin: 0.375em; }
h3 { font-size: 1.0625em; font-weight: 650; line-height: 1.4; }
.title { display: block; width: 100%; padding: 0; border: 0; border-radius: 0.25em; background: none; font: inherit; text-align: start; overflow-wrap: anywhere; }
.title:hover { color: var(--accent); }
.excerpt {
  display: -webkit-box;
  margin-block-start: 0.1875em;
  overflow: hidden;
  color: var(--muted);
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
  line-clamp: 2;
}
.facts { display: flex; flex-wrap: wrap; gap: 0.25em 0.875em; align-items: center; margin-block-start: 0.625em; color: var(--muted); font-size: 0.875em; }
.replies-count { display: inline-flex; gap: 0.375em; align-items: center; }
.badge { padding: 0.0625em 0.625em; border-radius: 1em; background: var(--closed-ground); color: var(--closed); font-size: 0.9286em; font-weight: 600; white-space: nowrap; }
.badge[data-status="open"] { background: var(--open-ground); color: var(--open); }
.badge[data-status="in-progress"] { background: var(--in-progress-ground); color: var(--in-progress); }
.badge[data-status="resolved"] { background: var(--resolved-ground); color: var(--resolved); }
.badge.team { background: var(--accent); color: var(--on-accent); }
.author { font-weight: 600; }

.vote {
  position: relative;
  display: flex;
  flex-direction: column;
  gap: 0.125em;
  align-items: center;
  justify-content: center;
  min-width: 3.375em;
  min-height: 3.625em;
  padding: 0.375em 0.5em;
  border: 1px solid color-mix(in srgb, var(--line) 70%, transparent);
  border-radius: var(--radius);
  background: var(--card);
  color: var(--text);
  font-weight: 650;
  font-variant-numeric: tabular-nums;
  line-height: 1.2;
}
.vote svg { color: var(--muted); }
.vote:hover { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 7%, var(--card)); }
.vote:hover svg { color: var(--accent); }
.vote[aria-pressed="true"] { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.vote[aria-pressed="true"] svg { color: inherit; }

.details { margin-block-start: 0.75em; }
.text { white-space: pre-wrap; }
.replies { display: grid; gap: 0.625em; margin-block-start: 1em; }
.replies:empty { display: none; }
.replies li { padding: 0.75em 1em; border-radius: var(--radius); background: var(--panel); }
.replies .facts { margin: 0 0 0.25em; }
.replies-foot { margin-block-start: 0.75em; }
.replies-foot:empty { display: none; }
.more { width: 100%; margin-block-start: 1em; }

.panel { display: grid; gap: 0.5em; justify-items: center; padding: 3em 1.25em; border: 1px dashed color-mix(in srgb, var(--line) 60%, transparent); border-radius: calc(var(--radius) * 1.15); text-align: center; }
.panel p { max-width: 32em; color: var(--muted); }
.panel button { margin-block-start: 0.625em; }
.panel-icon { display: grid; place-items: center; width: 3em; height: 3em; margin-block-end: 0.375em; border-radius: 50%; background: var(--panel); color: var(--muted); }
.panel-icon.bad { color: var(--error); }

.bone { width: 85%; height: 0.75em; margin-block: 0.375em 0.625em; border-radius: 0.375em; background: color-mix(in srgb, var(--hairline) 75%, var(--card)); }
.bone.wide { width: 45%; height: 1em; }
.bone.short { width: 30%; margin-block-end: 0; }
.bone.vote-bone { width: 3.375em; height: 3.625em; margin: 0; border-radius: var(--radius); }
`;

const form = `
.card { margin-block-start: 1.25em; padding: 1.375em; border: 1px solid var(--hairline); border-radius: calc(var(--radius) * 1.15); background: var(--card); box-shadow: var(--shadow); }
.form-title { margin-block-end: 0.875em; font-size: 1.1875em; letter-spacing: -0.01em; }
.field { min-width: 0; margin-block-end: 1.125em; border: 0; }
.field label:not(.choice), legend { display: block; margin-block-end: 0.375em; padding: 0; font-weight: 600; }
.hint { margin-block: -0.25em 0.5em; color: var(--muted); font-size: 0.9375em; }
.left { margin-block-start: 0.25em; color: var(--muted); font-size: 0.875em; }
.left:empty, .field .error:empty { display: none; }
.error { margin-block-start: 0.3125em; color: var(--error); font-size: 0.9375em; }
.replies-foot .error { margin-block-end: 0.5em; }
.choices { display: flex; flex-wrap: wrap; gap: 0.375em; }
.choice { position: relative; }
.choice input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.choice span { display: block; padding: 0.3125em 0.9375em; border: 1px solid color-mix(in srgb, var(--line) 55%, transparent); border-radius: 2em; font-size: 0.9375em; }
.choice:hover span { border-color: var(--line); }
.choice input:checked + span { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 9%, var(--card)); color: var(--accent); font-weight: 600; }
.choice input:focus-visible + span { outline: 3px solid var(--accent); outline-offset: 2px; }
.similar { margin-block: 0 1.125em; padding: 0.875em 1em; border: 1px solid color-mix(in srgb, var(--accent) 35%, transparent); border-radius: var(--radius); background: color-mix(in srgb, var(--accent) 6%, var(--card)); }
.similar h3 { font-size: 0.9375em; }
.similar-list li { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0.875em; align-items: center; margin-block-start: 0.625em; }
.similar .vote { flex-direction: row; gap: 0.4375em; min-width: 4em; min-height: 2.375em; }
.similar-title { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-clamp: 2; }
.similar .badge { font-size: 0.8125em; }
.buttons { display: flex; flex-wrap: wrap; gap: 0.625em; justify-content: end; }
[aria-disabled="true"] { cursor: default; opacity: 0.7; }

.toasts { position: sticky; inset-block-end: 1em; z-index: 1; display: grid; align-content: end; justify-items: center; height: 0; padding-inline: 1em; pointer-events: none; }
.toast {
  display: flex;
  gap: 0.625em;
  align-items: center;
  max-width: 34em;
  margin-block-end: 1em;
  padding: 0.5em 0.5em 0.5em 1em;
  border-radius: var(--radius);
  background: var(--toast);
  color: var(--toast-text);
  font-size: 0.9375em;
  box-shadow: 0 8px 30px rgb(0 0 0 / 28%);
  pointer-events: auto;
}
.toast .icon { color: inherit; }
.toast .icon:hover { color: inherit; }
.toast-icon { display: grid; }
.toast[data-kind="error"] { border: 1px solid var(--error); background: var(--card); color: var(--text); }
.toast[data-kind="error"] .toast-icon { color: var(--error); }
/* Without a message it stays in the accessibility tree, so that later messages are announced. */
.toast[data-kind="none"] { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; padding: 0; overflow: hidden; }
.toast[data-kind="none"] button { display: none; }
`;

const variants = `
@container tetrad (max-width: 34em) {
  .content { padding: 1.125em; }
  .head > div { flex: 1 1 18em; min-width: 0; }
.heading { font-size: 1.375em; }
  .new { width: 100%; }
  .segments { flex: 1 1 100%; }
  .segments .option { flex: 1; }
  .chips { gap: 0.25em; }
  .chips .option { padding-inline: 0.5em; font-size: 0.8125em; }
  .post { gap: 0.875em; padding: 1em; }
  .card { padding: 1.125em; }
  .buttons > * { flex: 1; }
  .similar-list li { grid-template-columns: auto minmax(0, 1fr); }
  .similar .badge { display: none; }
}
@media (prefers-reduced-motion: no-preference) {
  button, .choice span { transition: background-color 120ms, border-color 120ms, color 120ms; }
  .spinner { animation: turn 800ms linear infinite; }
  .bone { animation: pulse 1.6s ease-in-out infinite; }
  .composer { animation: appear 160ms ease-out; }
  .toast:not([data-kind="none"]) { animation: appear 160ms ease-out; }
}
@keyframes turn { to { rotate: 360deg; } }
@keyframes pulse { 50% { opacity: 0.5; } }
@keyframes appear { from { opacity: 0; translate: 0 0.375em; } }
@media (forced-colors: active) {
  .vote[aria-pressed="true"], .option[aria-pressed="true"], .choice input:checked + span { outline: 2px solid; }
}
`;

export const css = frame + controls + list + form + variants;
