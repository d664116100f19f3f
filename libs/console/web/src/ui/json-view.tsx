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
    <Block text={text} label={label ?? "JSON"} content={tokens(cut ? text.slice(0, preview) : text)}>
      {cut && (
        <Button size="s" onPress={() => setAll(true)}>
          {t("action.showAll")}
        </Button>
      )}
    </Block>
  );
}

/** Source text, readable and copyable. */
export const CodeView = ({ text, label }: { text: string; label: string }): ReactNode => <Block text={text} label={label} content={codeTokens(text)} />;

function Block({ text, label, content, children }: { text: string; label: string; content: ReactNode; children?: ReactNode }): ReactNode {
  return (
    <div className="json">
      <div className="json-copy">
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0} role="region" aria-label={label} dir="ltr">
        {content}
      </pre>
      {children}
    </div>
  );
}

/** Colours comments, texts and keywords of JavaScript and of shell commands. */
function codeTokens(text: string): ReactNode {
  const kinds = ["faint", "json-string", "json-key"];
  const parts = text.split(/(\/\/.*$)|("[^"\n]*"|'[^'\n]*')|\b(import|from|const|new|await|async|try|catch|if)\b/m);
  // Between the plain parts there is one part for each kind, which is undefined unless the kind was found.
  return parts.map((part, index) => {
    const kind = kinds[(index % (kinds.length + 1)) - 1];
    return kind && part ? (
      <span key={index} className={kind}>
        {part}
      </span>
    ) : (
      part
    );
  });
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
