import { BookmarkPlus, X } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { Link } from "../../router/index.tsx";
import { Button, Dialog, IconButton, TextField, toast } from "../../ui/index.ts";
import { searchOf, type Filter } from "./model.ts";
import { builtInViews, parseViews, viewsKey, withView, type View } from "./views.ts";

const read = (): View[] => {
  try {
    return parseViews(localStorage.getItem(viewsKey));
  } catch {
    return [];
  }
};

/** Filters that one click applies: the filters of the console, and the filters that the user has saved in this browser. */
export function Views({ filter }: { filter: Filter }): ReactNode {
  const t = useT("feedback");
  const common = useT("common");
  const [views, setViews] = useState(read);
  const [naming, setNaming] = useState(false);
  const [name, setName] = useState("");
  const search = searchOf(filter);
  const store = (next: View[]): void => {
    setViews(next);
    try {
      localStorage.setItem(viewsKey, JSON.stringify(next));
    } catch (error) {
      toast.error(error, t("views.notSaved"));
    }
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === "") return;
    store(withView(views, name.trim(), filter));
    setNaming(false);
    setName("");
  };
  const known = [...builtInViews.map((view) => searchOf(view.filter)), ...views.map((view) => view.search)].includes(search);
  return (
    <nav className="feedback-views" aria-label={t("views.label")}>
      {builtInViews.map((view) => (
        <Link key={view.key} href={`/console/feedback${searchOf(view.filter)}`} className="feedback-view" aria-current={searchOf(view.filter) === search ? "true" : undefined}>
          {t(view.key)}
        </Link>
      ))}
      {views.map((view) => (
        <span key={view.name} className="feedback-view-own">
          <Link href={`/console/feedback${view.search}`} className="feedback-view" dir="auto" aria-current={view.search === search ? "true" : undefined}>
            {view.name}
          </Link>
          {view.search === search && <IconButton size="s" label={t("views.remove", { name: view.name })} icon={<X aria-hidden />} onPress={() => store(views.filter((one) => one !== view))} />}
        </span>
      ))}
      {!known && (
        <Button size="s" variant="ghost" icon={<BookmarkPlus aria-hidden />} onPress={() => setNaming(true)}>
          {t("views.save")}
        </Button>
      )}
      <Dialog isOpen={naming} onClose={() => setNaming(false)} title={t("views.save")} size="s">
        <form className="stack" onSubmit={save}>
          <TextField autoFocus label={t("views.name")} description={t("views.nameText")} value={name} onChange={setName} maxLength={40} isRequired />
          <Button variant="primary" type="submit" isDisabled={name.trim() === ""}>
            {common("action.save")}
          </Button>
        </form>
      </Dialog>
    </nav>
  );
}
