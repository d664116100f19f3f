import { useFeatures, type SessionUser } from "@tetrad/client/react";
import { useEffect, useState } from "react";
import { Account } from "./Account";
import { backend, type Note } from "./backend";
import { registerDevice } from "./device";
import { FeedbackPanel } from "./FeedbackPanel";
import { Icon } from "./icons";
import { Inbox, useInbox } from "./Inbox";
import { Editor, NoteCard } from "./Notes";
import { signIn } from "./sign-in";
import { Upgrade } from "./Upgrade";
import { useAction } from "./useAction";
import { Logo } from "./Welcome";

type Panel = "inbox" | "feedback" | "account" | "upgrade" | { note: Note } | null;

const newNote = (): Note => ({ id: crypto.randomUUID(), title: "", text: "", colour: "none", changedAt: "" });

/** The page of a signed-in user. */
export function Workspace({ user }: { user: SessionUser }) {
  const features = useFeatures();
  const isPro = features.has("colours");
  const inbox = useInbox();
  const [notes, setNotes] = useState<Note[]>();
  const [panel, setPanel] = useState<Panel>(null);
  const [message, setMessage] = useState("");
  const reload = useAction(async () => setNotes(await backend.listNotes()));
  useEffect(() => {
    void reload.run();
    registerDevice(user.sub).catch(console.error);
  }, [user.sub]);

  const open = (next: Panel): void => {
    setMessage("");
    setPanel(next);
  };
  const close = (): void => setPanel(null);
  const changed = (text: string): void => {
    setMessage(text);
    close();
    void reload.run();
  };
  const remind = useAction(async (note: Note) => {
    await backend.remind(note.id);
    await inbox.refresh();
    setMessage("Reminder sent to your devices.");
  });
  const bought = async (): Promise<void> => {
    await features.refresh();
    setMessage("Welcome to Notes Pro. Your notes can have colours now.");
    close();
  };

  return (
    <>
      <header className="bar">
        <Logo />
        <nav aria-label="Main">
          <button type="button" className="quiet" onClick={() => open("inbox")}>
            <Icon name="bell" />
            <span className="wide">Inbox</span>
            {inbox.unread > 0 && (
              <span className="count">
                {inbox.unread}
                <span className="sr"> unread</span>
              </span>
            )}
          </button>
          <button type="button" className="quiet" onClick={() => open("feedback")}>
            <Icon name="chat" />
            <span className="wide">Feedback</span>
          </button>
          <button type="button" className="avatar" aria-label={`Account of ${user.email}`} onClick={() => open("account")}>
            {user.email?.[0]?.toUpperCase()}
          </button>
        </nav>
      </header>
      <main className="workspace" aria-busy={notes === undefined}>
        <div className="title-row">
          <h1>
            Your notes
            {isPro && <span className="tag">Pro</span>}
          </h1>
          <button type="button" className="primary" onClick={() => open({ note: newNote() })}>
            <Icon name="plus" /> New note
          </button>
        </div>
        <div className="banners">
          {user.acr !== "aal2" && <PasskeyBanner />}
          {features.status === "ready" && !isPro && <ProBanner onUpgrade={() => open("upgrade")} />}
        </div>
        {notes?.length === 0 && (
          <div className="empty">
            <h2>Nothing written yet</h2>
            <p className="muted">Your first note could be a list, a thought or a name you keep forgetting.</p>
          </div>
        )}
        <div className="notes">
          {notes?.map((note) => (
            <NoteCard key={note.id} note={note} onOpen={() => open({ note })} onRemind={() => void remind.run(note)} />
          ))}
        </div>
        <p className="error" role="alert">
          {reload.error || remind.error || (features.status === "error" && "Your plan cannot be read now. Colours come back by themselves.")}
        </p>
      </main>
      <p className="toast" role="status">
        {message && (
          <>
            {message}
            <button type="button" className="icon-button" aria-label="Dismiss" onClick={() => setMessage("")}>
              <Icon name="close" size={16} />
            </button>
          </>
        )}
      </p>
      {panel === "inbox" && <Inbox inbox={inbox} onClose={close} />}
      {panel === "feedback" && <FeedbackPanel onClose={close} />}
      {panel === "account" && <Account user={user} isPro={isPro} onClose={close} />}
      {panel === "upgrade" && <Upgrade onClose={close} onBought={bought} />}
      {panel !== null && typeof panel === "object" && (
        <Editor note={panel.note} isPro={isPro} onClose={close} onUpgrade={() => open("upgrade")} onChanged={changed} />
      )}
    </>
  );
}

/** A user without a second factor adds a passkey on the hosted pages, and comes back. */
function PasskeyBanner() {
  return (
    <section className="banner" aria-labelledby="passkey-title">
      <Icon name="key" size={24} />
      <div>
        <h2 id="passkey-title">Sign in without a password</h2>
        <p>Add a passkey, and your fingerprint, your face or your PIN is enough.</p>
      </div>
      <button type="button" className="secondary" onClick={() => void signIn({ acr_values: "aal2" })}>
        Add a passkey
      </button>
    </section>
  );
}

function ProBanner({ onUpgrade }: { onUpgrade: () => void }) {
  return (
    <section className="banner pro" aria-labelledby="pro-title">
      <Icon name="sparkle" size={24} />
      <div>
        <h2 id="pro-title">Give your notes a colour</h2>
        <p>Notes Pro, once for €19. No subscription.</p>
      </div>
      <button type="button" className="secondary" onClick={onUpgrade}>
        See Notes Pro
      </button>
    </section>
  );
}
