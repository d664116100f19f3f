import { useQuery } from "@tanstack/react-query";
import { ArrowRight, UserRound } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { Button as AriaButton } from "react-aria-components";
import { useT } from "../../i18n/index.ts";
import { useClients } from "../../session/index.ts";
import { Avatar, ErrorNotice, Spinner, TextField } from "../../ui/index.ts";

const waitMs = 250;
/** The service finds emails by texts of this length. Identifiers of users may be longer. */
const maxSearch = 254;

/** A value that follows after a pause in typing. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), waitMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Finds a user by email, or takes an identifier that the app uses. */
export function UserSearch({ onPick, autoFocus = true }: { onPick: (userId: string, email: string | null) => void; autoFocus?: boolean }): ReactNode {
  const t = useT("billing");
  const { auth } = useClients();
  const [text, setText] = useState("");
  const q = useSettled(text.trim());
  const searches = q.length > 1 && q.length <= maxSearch;
  const found = useQuery({
    queryKey: ["users", "search", q],
    queryFn: ({ signal }) => auth.listMembers({ q, limit: 6 }, { signal }).then(({ items }) => items),
    enabled: searches,
    placeholderData: (before) => before,
  });
  const id = text.trim();
  return (
    <div className="stack">
      <TextField autoFocus={autoFocus} label={t("find.label")} description={t("find.text")} value={text} onChange={setText} autoComplete="off" maxLength={255} />
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />}
      {id !== "" && (
        <ul className="billing-found" aria-label={t("find.results")}>
          {searches &&
            found.data?.map(({ userId, email }) => (
              <li key={userId}>
                <AriaButton className="billing-found-user" onPress={() => onPick(userId, email)}>
                  <Avatar name={email} />
                  <span className="grow">
                    <span className="billing-found-name truncate" dir="auto">
                      {email}
                    </span>
                    <code className="faint small truncate">{userId}</code>
                  </span>
                  <ArrowRight aria-hidden className="flip" />
                </AriaButton>
              </li>
            ))}
          {found.isFetching && (
            <li className="billing-found-wait">
              <Spinner />
            </li>
          )}
          <li>
            <AriaButton className="billing-found-user" onPress={() => onPick(id, null)}>
              <span className="billing-found-icon" aria-hidden>
                <UserRound />
              </span>
              <span className="grow truncate" dir="auto">
                {t("find.byId", { id })}
              </span>
              <ArrowRight aria-hidden className="flip" />
            </AriaButton>
          </li>
        </ul>
      )}
    </div>
  );
}
