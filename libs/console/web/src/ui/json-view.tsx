import { useState, type ReactNode } from "react";
import { useT } from "../i18n/index.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";

const preview = 20_000;

/** A JSON value, readable and copyable. Long texts are cut until the user shows them all. */
export function JsonView({ value, label }: { value: unknown; label?: string }): ReactNode {
  const t = useT("common");
  const [all, setAll] = useState(false);
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "undefined");
  const cut = !all && text.length > preview;
  return (
    <div className="json">
      <div className="json-copy">
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0} role="region" aria-label={label ?? "JSON"} dir="ltr">
        {tokens(cut ? text.slice(0, preview) : text)}
      </pre>
      {cut && (
        <Button size="s" onPress={() => setAll(true)}>
          {t("action.showAll")}
        </Button>
      )}
    </div>
  );
}

/** Colours keys, texts and other values. Very long texts stay without colours. */
function tokens(text: string): ReactNode {
  if (text.length > 60_000) return text;
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(/("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    const [whole, string, colon] = match;
    const kind = colon ? "key" : string ? "string" : "value";
    parts.push(
      <span key={match.index} className={`json-${kind}`}>
        {colon ? string : whole}
      </span>,
    );
    if (colon) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}
