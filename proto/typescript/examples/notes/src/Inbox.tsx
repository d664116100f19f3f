import { useCallback, useEffect, useState } from "react";
import { backend, type InboxItem } from "./backend";
import { Dialog } from "./Dialog";

/** How often a visible page asks for new items, in milliseconds. */
const interval = 5_000;
const time = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

export interface UseInbox {
  items: InboxItem[];
  unread: number;
  refresh: () => Promise<void>;
}

/** The pushes that the user got. */
export function useInbox(): UseInbox {
  const [items, setItems] = useState<InboxItem[]>([]);
  const refresh = useCallback(async () => setItems(await backend.listInbox()), []);
  useEffect(() => {
    const read = (): void => {
      if (document.visibilityState === "visible") refresh().catch(console.error);
    };
    read();
    const timer = setInterval(read, interval);
    return () => clearInterval(timer);
  }, [refresh]);
  return { items, unread: items.filter(({ status }) => status !== "opened").length, refresh };
}

export function Inbox({ inbox: { items, refresh }, onClose }: { inbox: UseInbox; onClose: () => void }) {
  const open = async (item: InboxItem): Promise<void> => {
    await backend.openNotification(item.id);
    await refresh();
  };
  return (
    <Dialog title="Inbox" drawer onClose={onClose}>
      {items.length === 0 && (
        <div className="empty">
          <p className="muted">No notifications yet. The bell on a note sends you a reminder.</p>
        </div>
      )}
      <ul className="inbox">
        {items.map((item) => (
          <li key={item.id} data-unread={item.status !== "opened"}>
            <h3>{item.title}</h3>
            <p>{item.body}</p>
            <p className="muted small">
              <time dateTime={item.at}>{time.format(new Date(item.at))}</time>
              {item.status === "failed" && " · not delivered"}
            </p>
            {item.status !== "opened" && (
              <button type="button" className="quiet small" aria-label={`Mark as read: ${item.title}`} onClick={() => void open(item).catch(console.error)}>
                Mark as read
              </button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
