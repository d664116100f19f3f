import { config } from "./config";
import { signIn } from "./sign-in";
import { useAction } from "./useAction";

const samples = [
  ["sun", "Saturday market", "Tomatoes\nBasil\nThe good bread\nFlowers for Mara"],
  ["sky", "Ideas for the talk", "Begin with the broken clock. End with the open question."],
  ["mint", "Books to read", "The Periodic Table\nThe Summer Book"],
] as const;

/** The page for visitors who are not signed in. */
export function Welcome({ failure }: { failure: string | undefined }) {
  const start = useAction(() => signIn());
  return (
    <div className="welcome">
      <header className="bar">
        <Logo />
        <nav aria-label="Links">
          <a className="quiet" href={`${config.feedbackUrl}/board`}>
            Public board
          </a>
        </nav>
      </header>
      <main className="hero">
        <div className="pitch">
          <h1>Write it down. Find it again.</h1>
          <p className="lead">Notes keeps your thoughts in one calm place, on every device, and reminds you of them when it matters.</p>
          <button type="button" className="primary large" onClick={() => void start.run()} disabled={start.isBusy}>
            Sign in or create an account
          </button>
          <p className="muted small">No password needed next time: add a passkey.</p>
          <p className="error" role="alert">
            {start.error || failure}
          </p>
        </div>
        <div className="samples" aria-hidden="true">
          {samples.map(([colour, title, text]) => (
            <div className="note" data-colour={colour} key={title}>
              <p className="note-title">{title}</p>
              <p className="note-text">{text}</p>
            </div>
          ))}
        </div>
      </main>
      <footer className="foot muted small">Notes is the example app of @tetrad/client.</footer>
    </div>
  );
}

export function Logo() {
  return (
    <span className="logo">
      <img src="/icon.svg" alt="" width="28" height="28" />
      Notes
    </span>
  );
}
