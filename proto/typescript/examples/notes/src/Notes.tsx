import { useState, type FormEvent } from "react";
import { backend, type Colour, type Note } from "./backend";
import { Dialog } from "./Dialog";
import { Icon } from "./icons";
import { useAction } from "./useAction";

const colours: [Colour, string][] = [
  ["none", "None"],
  ["sun", "Sun"],
  ["rose", "Rose"],
  ["sky", "Sky"],
  ["mint", "Mint"],
  ["violet", "Violet"],
];
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });

/** A note in the list. Its title opens it. */
export function NoteCard({ note, onOpen, onRemind }: { note: Note; onOpen: () => void; onRemind: () => void }) {
  const title = note.title || "Untitled note";
  return (
    <article className="note" data-colour={note.colour}>
      <h2 className="note-title">
        <button type="button" onClick={onOpen}>
          {title}
        </button>
      </h2>
      <p className="note-text">{note.text}</p>
      <footer>
        <time dateTime={note.changedAt}>{day.format(new Date(note.changedAt))}</time>
        <button type="button" className="icon-button" aria-label={`Remind me of ${title}`} onClick={onRemind}>
          <Icon name="bell" size={18} />
        </button>
      </footer>
    </article>
  );
}

interface EditorProps {
  note: Note;
  isPro: boolean;
  onClose: () => void;
  onUpgrade: () => void;
  /** The list has changed. */
  onChanged: (message: string) => void;
}

export function Editor({ note, isPro, onClose, onUpgrade, onChanged }: EditorProps) {
  const [title, setTitle] = useState(note.title);
  const [text, setText] = useState(note.text);
  const [colour, setColour] = useState(note.colour);
  const isNew = note.changedAt === "";
  const save = useAction(async () => {
    await backend.putNote({ id: note.id, title, text, colour });
    onChanged("Saved.");
  });
  const remove = useAction(async () => {
    await backend.deleteNote(note.id);
    onChanged("Deleted.");
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save.run();
  };
  return (
    <Dialog title={isNew ? "New note" : "Edit note"} onClose={onClose}>
      <form onSubmit={submit}>
        <label className="field">
          <span>Title</span>
          <input value={title} onChange={(event) => setTitle(event.target.value)} maxLength={200} required data-focus />
        </label>
        <label className="field">
          <span>Text</span>
          <textarea value={text} onChange={(event) => setText(event.target.value)} maxLength={20_000} rows={7} />
        </label>
        {isPro ? (
          <fieldset className="swatches">
            <legend>Colour</legend>
            {colours.map(([value, name]) => (
              <label key={value} className="swatch" data-colour={value}>
                <input type="radio" name="colour" value={value} checked={colour === value} onChange={() => setColour(value)} />
                <span className="sr">{name}</span>
              </label>
            ))}
          </fieldset>
        ) : (
          <button type="button" className="locked" onClick={onUpgrade}>
            <Icon name="lock" size={18} />
            <span>Colours are part of Notes Pro</span>
            <span className="dots" aria-hidden="true">
              {colours.slice(1).map(([value]) => (
                <i key={value} data-colour={value} />
              ))}
            </span>
          </button>
        )}
        <p className="error" role="alert">
          {save.error || remove.error}
        </p>
        <div className="buttons">
          {!isNew && (
            <button type="button" className="quiet danger" onClick={() => void remove.run()}>
              <Icon name="trash" size={18} /> Delete
            </button>
          )}
          <button type="submit" className="primary" disabled={save.isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
