/** A part of a parsed HTML text. */
export type HtmlNode = string | HtmlElement;
export interface HtmlElement {
  name: string;
  attributes: Record<string, string>;
  children: HtmlNode[];
}

const voids = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
/** Elements whose content is not a part of the text. */
const raw = new Set(["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "template", "textarea", "title", "svg", "math", "object", "select", "audio", "video"]);
const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™", hellip: "…", mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", euro: "€", pound: "£", middot: "·", bull: "•", rarr: "→", larr: "←", times: "×", shy: "\u00ad", zwnj: "\u200c", auml: "ä", ouml: "ö", uuml: "ü", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", szlig: "ß", eacute: "é", egrave: "è", agrave: "à", ccedil: "ç", ntilde: "ñ" };

/** Replaces character references of HTML by their characters. Unknown ones stay. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([A-Za-z]{2,8}));/gi, (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = parseInt(hex ?? decimal!, hex === undefined ? 10 : 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
const attributesOf = (text: string): Record<string, string> => {
  const found: [string, string][] = [...text.matchAll(attribute)].map(([, name, double, single, bare]) => [name!.toLowerCase(), decodeEntities(double ?? single ?? bare ?? "")]);
  return Object.fromEntries(found.reverse());
};

// Each repetition has a limit, or ends at the next tag, so that a hostile text takes linear time.
const token = /<!--[\s\S]*?(?:-->|$)|<[!?][^>]*>?|<\/([a-z][\w:.-]{0,40})(?=[\s/>])[^<>]*>|<([a-z][\w:.-]{0,40})(?=[\s/>])((?:[^>"']|"[^"]{0,4000}"|'[^']{0,4000}'){0,2000})>/gi;
const maxDepth = 100;
/** Later characters of a very long text are left out. */
const maxLength = 200_000;

/** Parses HTML for a picture of it. The result holds only names, attributes and texts; the browser interprets none of them. */
export function parseHtml(whole: string): HtmlNode[] {
  const html = whole.slice(0, maxLength);
  const lower = html.toLowerCase();
  const root: HtmlElement = { name: "", attributes: {}, children: [] };
  const open: HtmlElement[] = [root];
  let end = 0;
  const text = (until: number): void => {
    if (until > end) open.at(-1)!.children.push(decodeEntities(html.slice(end, until)));
  };
  token.lastIndex = 0;
  for (let match = token.exec(html); match; match = token.exec(html)) {
    text(match.index);
    end = token.lastIndex;
    const closing = match[1]?.toLowerCase();
    const name = match[2]?.toLowerCase();
    if (closing !== undefined) {
      const index = open.findLastIndex((element) => element.name === closing);
      if (index > 0) open.length = index;
    } else if (name !== undefined && raw.has(name)) {
      const close = lower.length === html.length ? lower.indexOf(`</${name}`, end) : -1;
      const after = close < 0 ? -1 : html.indexOf(">", close);
      end = after < 0 ? html.length : after + 1;
      token.lastIndex = end;
    } else if (name !== undefined) {
      const element: HtmlElement = { name, attributes: attributesOf(match[3] ?? ""), children: [] };
      if (["p", "li", "tr", "td", "th"].includes(name) && open.at(-1)!.name === name) open.pop();
      open.at(-1)!.children.push(element);
      if (!voids.has(name) && open.length < maxDepth) open.push(element);
    }
  }
  text(html.length);
  return root.children;
}

const declarations = new Set(["color", "background-color", "background", "font-size", "font-weight", "font-style", "text-align", "text-decoration", "text-transform", "line-height", "letter-spacing", "padding", "padding-top", "padding-right", "padding-bottom", "padding-left", "margin", "margin-top", "margin-right", "margin-bottom", "margin-left", "border", "border-top", "border-right", "border-bottom", "border-left", "border-radius", "border-collapse", "border-color", "width", "max-width", "height", "vertical-align", "display", "font-family", "white-space"]);
const displays = new Set(["block", "inline", "inline-block", "none", "table", "table-row", "table-cell"]);

/** The declarations of a style attribute that cannot load anything and cannot leave their place, by their names in React. */
export function safeStyle(style: string): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const declaration of style.split(";")) {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration.slice(colon + 1).replace(/!\s*important/i, "").trim();
    if (colon < 0 || !declarations.has(name) || value.length > 200) continue;
    if (/[\\<>@]|\/\*|url|image|var\s*\(|expression|calc|-\d{3}/i.test(value)) continue;
    if (name === "display" && !displays.has(value.toLowerCase())) continue;
    safe[name.replace(/-([a-z])/g, (_whole, letter: string) => letter.toUpperCase())] = value;
  }
  return safe;
}

const blocks = new Set(["address", "article", "blockquote", "center", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "ol", "p", "pre", "section", "table", "tr", "ul"]);

/** The words of an HTML text. */
export function textOf(nodes: readonly HtmlNode[]): string {
  const walk = (node: HtmlNode): string => {
    if (typeof node === "string") return node.replace(/\s+/g, " ");
    if (node.name === "br") return "\n";
    const inner = node.children.map(walk).join("");
    const link = node.name === "a" && node.attributes["href"] ? ` (${node.attributes["href"]})` : "";
    return blocks.has(node.name) ? `\n${inner}${link}\n` : inner + link;
  };
  return nodes.map(walk).join("").replace(/[ \t]*\n[ \t]*/g, "\n").replace(/\n{3,}/g, "\n\n").trim();
}
