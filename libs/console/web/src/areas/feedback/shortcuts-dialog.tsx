import type { ReactNode } from "react";
import { useT, type Namespaces } from "../../i18n/index.ts";
import { Dialog } from "../../ui/index.ts";

type Key = keyof Namespaces["feedback"] & string;
const groups: { title: Key; keys: [string[], Key][] }[] = [
  {
    title: "shortcuts.inbox",
    keys: [
      [["J", "K"], "shortcuts.move"],
      [["Enter"], "shortcuts.open"],
      [["X"], "shortcuts.select"],
      [["/"], "shortcuts.search"],
      [["Esc"], "shortcuts.clear"],
    ],
  },
  {
    title: "shortcuts.thread",
    keys: [
      [["J", "K"], "shortcuts.next"],
      [["M"], "shortcuts.merge"],
      [["U"], "shortcuts.back"],
      [["Ctrl", "Enter"], "shortcuts.send"],
    ],
  },
  {
    title: "shortcuts.both",
    keys: [
      [["R"], "shortcuts.reply"],
      [["N"], "shortcuts.note"],
      [["E"], "shortcuts.resolve"],
      [["A"], "shortcuts.assign"],
      [["?"], "shortcuts.help"],
    ],
  },
];

export function ShortcutsDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactNode {
  const t = useT("feedback");
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t("shortcuts.title")}>
      <div className="feedback-shortcuts">
        {groups.map((group) => (
          <section key={group.title}>
            <h3>{t(group.title)}</h3>
            <dl>
              {group.keys.map(([keys, text]) => (
                <div key={text}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{t(text)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
