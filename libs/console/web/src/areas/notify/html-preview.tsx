import { Image } from "lucide-react";
import { createElement, useMemo, type CSSProperties, type ReactNode } from "react";
import { useT } from "../../i18n/index.ts";
import { parseHtml, safeStyle, type HtmlNode } from "./html.ts";

const shown = new Set(["b", "blockquote", "br", "code", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "ins", "li", "ol", "p", "pre", "s", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul"]);
const replaced: Record<string, string> = { article: "div", center: "div", footer: "div", header: "div", main: "div", section: "div", font: "span", h1: "h3", h2: "h4", h3: "h5", h4: "h6" };
const size = (value: string | undefined): string | undefined => (value && /^\d{1,4}%?$/.test(value) ? (value.endsWith("%") ? value : `${value}px`) : undefined);

function styleOf(name: string, attributes: Record<string, string>): CSSProperties {
  const width = ["table", "td", "th"].includes(name) ? size(attributes["width"]) : undefined;
  const align = /^(left|right|center)$/.exec(attributes["align"] ?? (name === "center" ? "center" : ""))?.[0];
  const background = /^#?[a-z0-9]{3,20}$/i.test(attributes["bgcolor"] ?? "") ? attributes["bgcolor"] : undefined;
  return {
    ...(width && { width }),
    ...(align && (name === "table" ? { marginInline: "auto" } : { textAlign: align as "left" })),
    ...(background && { backgroundColor: background }),
    ...safeStyle(attributes["style"] ?? ""),
  } as CSSProperties;
}

/**
 * How an HTML email looks. It is built from React elements with a fixed set of names and style declarations: no scripts, no links that lead anywhere, and no
 * pictures, because the console loads nothing from other hosts. The style sheet of the email is not used.
 */
export function HtmlPreview({ html }: { html: string }): ReactNode {
  const t = useT("notify");
  const nodes = useMemo(() => parseHtml(html), [html]);
  const render = (node: HtmlNode, key: number, parent: string): ReactNode => {
    if (typeof node === "string") return /^(table|tbody|thead|tfoot|tr)$/.test(parent) && !node.trim() ? null : node;
    const { name, attributes, children } = node;
    const style = styleOf(name, attributes);
    if (name === "a")
      return (
        <span key={key} className="notify-html-link" style={style} title={attributes["href"]}>
          {children.map((child, index) => render(child, index, name))}
        </span>
      );
    if (name === "img")
      return (
        <span key={key} className="notify-html-image" style={{ ...style, width: style.width ?? size(attributes["width"]) }}>
          <Image aria-hidden />
          {attributes["alt"] || t("preview.image")}
        </span>
      );
    const as = replaced[name] ?? name;
    const content = children.map((child, index) => render(child, index, shown.has(as) ? as : parent));
    if (!shown.has(as)) return <span key={key}>{content}</span>;
    if (as === "br" || as === "hr") return createElement(as, { key });
    return createElement(as, { key, style, className: `notify-html-${name}` }, ...content);
  };
  return (
    <div className="notify-html" dir="auto">
      {nodes.map((node, index) => render(node, index, ""))}
    </div>
  );
}
