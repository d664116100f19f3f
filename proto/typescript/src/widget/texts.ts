/** The texts of the widget in one language. */
export interface Texts {
  /** The language as BCP 47 tag. */
  lang: string;
  heading: string;
  intro: string;
  newPost: string;
  search: string;
  clearSearch: string;
  sort: string;
  sorts: Record<"votes" | "createdAt", string>;
  status: string;
  all: string;
  statuses: Record<"open" | "in-progress" | "resolved" | "closed", string>;
  category: string;
  categories: Record<"feature" | "bug" | "general" | "support", string>;
  posts: string;
  voteFor: (title: string) => string;
  votes: (count: number) => string;
  replies: (count: number) => string;
  voted: (votes: string) => string;
  withdrawn: (votes: string) => string;
  team: string;
  user: string;
  noReplies: string;
  moreReplies: string;
  loading: string;
  loadMore: string;
  loaded: (count: number) => string;
  found: (count: number, hasMore: boolean) => string;
  nothing: string;
  nothingHint: string;
  nothingFound: string;
  nothingFoundHint: string;
  clearFilters: string;
  signIn: string;
  signInHint: string;
  signInToPost: string;
  title: string;
  titleHint: string;
  body: string;
  bodyHint: string;
  left: (count: number) => string;
  similar: string;
  similarFound: (count: number) => string;
  post: string;
  posting: string;
  cancel: string;
  titleMissing: string;
  bodyMissing: string;
  fieldRefused: string;
  posted: string;
  postedPrivately: string;
  close: string;
  again: string;
  failures: {
    offline: string;
    signIn: string;
    noBoard: string;
    gone: string;
    conflict: string;
    tooFast: (seconds: number) => string;
    forbidden: string;
    invalid: string;
    unavailable: string;
    other: string;
    noAddress: string;
  };
}

const en: Texts = {
  lang: "en",
  heading: "Feedback",
  intro: "Vote for the posts that matter to you, or add a new one.",
  newPost: "New post",
  search: "Search posts",
  clearSearch: "Clear the search",
  sort: "Sort by",
  sorts: { votes: "Most votes", createdAt: "Newest" },
  status: "Status",
  all: "All",
  statuses: { open: "Open", "in-progress": "In progress", resolved: "Done", closed: "Closed" },
  category: "Category",
  categories: { feature: "Feature", bug: "Bug", general: "General", support: "Support" },
  posts: "Posts",
  voteFor: (title) => `Vote for “${title}”`,
  votes: (count) => (count === 1 ? "1 vote" : `${count} votes`),
  replies: (count) => (count === 1 ? "1 reply" : `${count} replies`),
  voted: (votes) => `You voted. The post has ${votes}.`,
  withdrawn: (votes) => `Your vote was taken back. The post has ${votes}.`,
  team: "Team",
  user: "User",
  noReplies: "No replies yet.",
  moreReplies: "More replies",
  loading: "Loading…",
  loadMore: "Load more",
  loaded: (count) => (count === 1 ? "1 more post." : `${count} more posts.`),
  found: (count, hasMore) => (hasMore ? `More than ${count} posts.` : count === 1 ? "1 post." : `${count} posts.`),
  nothing: "No posts yet",
  nothingHint: "Be the first to say what you need.",
  nothingFound: "No posts found",
  nothingFoundHint: "Try other words or another status, or add a new post.",
  clearFilters: "Show all posts",
  signIn: "Sign in",
  signInHint: "Sign in to vote and to post.",
  signInToPost: "Sign in to post. Your name and your email address are not shown.",
  title: "Title",
  titleHint: "Your wish or problem in one sentence",
  body: "Description",
  bodyHint: "Say what you want to do, and what stops you today. Everyone can read a post that the team publishes.",
  left: (count) => (count === 1 ? "1 character left" : `${count} characters left`),
  similar: "Similar posts: vote for one of them instead?",
  similarFound: (count) => (count === 1 ? "There is a similar post." : `There are ${count} similar posts.`),
  post: "Post",
  posting: "Posting…",
  cancel: "Cancel",
  titleMissing: "Enter a title.",
  bodyMissing: "Describe your post.",
  fieldRefused: "This text cannot be used. Shorten or change it.",
  posted: "Thank you. Your post is on the board.",
  postedPrivately: "Thank you. The team has your post. It is on the board after the team has published it.",
  close: "Close",
  again: "Try again",
  failures: {
    offline: "The board cannot be reached. Check your connection, then try again.",
    signIn: "Your sign-in has ended. Sign in, then try again.",
    noBoard: "This board is switched off, so there is nothing to show. Ask the operator of this app.",
    gone: "This post is not on the board any more.",
    conflict: "This post was closed or merged, so it takes no more votes.",
    tooFast: (seconds) => `Too many requests. Try again in ${seconds === 1 ? "1 second" : `${seconds} seconds`}.`,
    forbidden: "You may not do this. Ask the operator of this app.",
    invalid: "The text was refused. Change the marked fields, then try again.",
    unavailable: "The board is not available now. Try again in a few minutes.",
    other: "This has failed. Try again later.",
    noAddress: "The attribute base-url is missing. Set it to the address of the feedback service.",
  },
};

const de: Texts = {
  lang: "de",
  heading: "Feedback",
  intro: "Stimmen Sie für Beiträge ab, die Ihnen wichtig sind, oder schreiben Sie einen neuen.",
  newPost: "Neuer Beitrag",
  search: "Beiträge durchsuchen",
  clearSearch: "Suche löschen",
  sort: "Sortieren",
  sorts: { votes: "Meiste Stimmen", createdAt: "Neueste" },
  status: "Status",
  all: "Alle",
  statuses: { open: "Offen", "in-progress": "In Arbeit", resolved: "Erledigt", closed: "Geschlossen" },
  category: "Kategorie",
  categories: { feature: "Funktion", bug: "Fehler", general: "Allgemein", support: "Hilfe" },
  posts: "Beiträge",
  voteFor: (title) => `Für „${title}“ stimmen`,
  votes: (count) => (count === 1 ? "1 Stimme" : `${count} Stimmen`),
  replies: (count) => (count === 1 ? "1 Antwort" : `${count} Antworten`),
  voted: (votes) => `Sie haben abgestimmt. Der Beitrag hat ${votes}.`,
  withdrawn: (votes) => `Ihre Stimme wurde zurückgenommen. Der Beitrag hat ${votes}.`,
  team: "Team",
  user: "Nutzer",
  noReplies: "Noch keine Antworten.",
  moreReplies: "Weitere Antworten",
  loading: "Wird geladen …",
  loadMore: "Mehr laden",
  loaded: (count) => (count === 1 ? "1 weiterer Beitrag." : `${count} weitere Beiträge.`),
  found: (count, hasMore) => (hasMore ? `Mehr als ${count} Beiträge.` : count === 1 ? "1 Beitrag." : `${count} Beiträge.`),
  nothing: "Noch keine Beiträge",
  nothingHint: "Schreiben Sie als Erste oder Erster, was Sie brauchen.",
  nothingFound: "Keine Beiträge gefunden",
  nothingFoundHint: "Versuchen Sie andere Wörter oder einen anderen Status, oder schreiben Sie einen neuen Beitrag.",
  clearFilters: "Alle Beiträge zeigen",
  signIn: "Anmelden",
  signInHint: "Melden Sie sich an, um abzustimmen und Beiträge zu schreiben.",
  signInToPost: "Melden Sie sich an, um einen Beitrag zu schreiben. Ihr Name und Ihre E-Mail-Adresse werden nicht gezeigt.",
  title: "Titel",
  titleHint: "Ihr Wunsch oder Problem in einem Satz",
  body: "Beschreibung",
  bodyHint: "Was möchten Sie tun, und was hindert Sie heute daran? Alle können einen Beitrag lesen, den das Team veröffentlicht.",
  left: (count) => `Noch ${count} Zeichen`,
  similar: "Ähnliche Beiträge: stattdessen für einen davon stimmen?",
  similarFound: (count) => (count === 1 ? "Es gibt einen ähnlichen Beitrag." : `Es gibt ${count} ähnliche Beiträge.`),
  post: "Veröffentlichen",
  posting: "Wird gesendet …",
  cancel: "Abbrechen",
  titleMissing: "Geben Sie einen Titel ein.",
  bodyMissing: "Beschreiben Sie Ihren Beitrag.",
  fieldRefused: "Dieser Text kann nicht verwendet werden. Kürzen oder ändern Sie ihn.",
  posted: "Danke. Ihr Beitrag ist veröffentlicht.",
  postedPrivately: "Danke. Das Team hat Ihren Beitrag. Er erscheint hier, sobald das Team ihn veröffentlicht hat.",
  close: "Schließen",
  again: "Erneut versuchen",
  failures: {
    offline: "Die Beiträge sind nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
    signIn: "Ihre Anmeldung ist abgelaufen. Melden Sie sich an und versuchen Sie es erneut.",
    noBoard: "Dieses Board ist ausgeschaltet, daher gibt es nichts zu zeigen. Fragen Sie den Betreiber dieser App.",
    gone: "Dieser Beitrag ist nicht mehr vorhanden.",
    conflict: "Dieser Beitrag wurde geschlossen oder zusammengeführt. Er nimmt keine Stimmen mehr an.",
    tooFast: (seconds) => `Zu viele Anfragen. Versuchen Sie es in ${seconds === 1 ? "einer Sekunde" : `${seconds} Sekunden`} erneut.`,
    forbidden: "Das ist Ihnen nicht erlaubt. Fragen Sie den Betreiber dieser App.",
    invalid: "Der Text wurde abgelehnt. Ändern Sie die markierten Felder und versuchen Sie es erneut.",
    unavailable: "Die Beiträge sind gerade nicht verfügbar. Versuchen Sie es in einigen Minuten erneut.",
    other: "Das hat nicht funktioniert. Versuchen Sie es später erneut.",
    noAddress: "Das Attribut base-url fehlt. Setzen Sie es auf die Adresse des Feedback-Dienstes.",
  },
};

/** The texts for a BCP 47 tag. English for every language without texts. */
export const textsFor = (lang: string): Texts => (/^de\b/i.test(lang) ? de : en);

const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** A time for readers: relative to now within the last 30 days, otherwise the date. */
export function shownTime(time: string, lang: string): string {
  const date = new Date(time);
  const seconds = (Date.now() - date.getTime()) / 1000;
  if (seconds > 30 * 86_400) return new Intl.DateTimeFormat(lang, { dateStyle: "medium" }).format(date);
  const [unit, length] = units.find(([, size]) => seconds >= size) ?? (["second", 1] as const);
  const count = unit === "second" ? 0 : Math.floor(seconds / length);
  return new Intl.RelativeTimeFormat(lang, { numeric: "auto" }).format(-count, unit);
}
