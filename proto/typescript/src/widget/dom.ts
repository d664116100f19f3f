/** Attributes of an element. `true` sets an empty attribute, `false` none. A function under `onclick` etc. listens for the event. */
type Attributes = Record<string, string | boolean | ((event: any) => void)>;

/** An element with attributes and children. Texts become text nodes, so they are never parsed as HTML. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string | null | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

const shapes = {
  up: "M8 3.75 13.5 11h-11z",
  plus: "M8 2.75v10.5M2.75 8h10.5",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.25-1.25L13.5 13.5",
  close: "m4 4 8 8m0-8-8 8",
  reply: "M3 3.5h10a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H8l-3 2.5v-2.5H3a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1Z",
  chevron: "m4 6 4 4 4-4",
  check: "m3 8.5 3.25 3.25L13 4.75",
  alert: "M8 5v3.75M8 11.2v.05M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5Z",
  box: "M2.5 9.5h3l1 2h3l1-2h3M2.5 9.5l2-6h7l2 6v3.5h-11z",
} as const;

/** A decorative icon, in the colour of the text. */
export function icon(name: keyof typeof shapes, size = 16): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const solid = name === "up";
  const attributes = {
    viewBox: "0 0 16 16",
    width: size,
    height: size,
    "aria-hidden": true,
    fill: solid ? "currentColor" : "none",
    stroke: solid ? "none" : "currentColor",
    "stroke-width": 1.75,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, String(value));
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", shapes[name]);
  svg.append(path);
  return svg;
}

/** Makes the children of the parent these nodes, in this order. Nodes that are in place stay, so they keep the focus. */
export function arrange(parent: Element, nodes: readonly Element[]): void {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const node of nodes) {
    if (node === at) at = at.nextElementSibling;
    else parent.insertBefore(node, at);
  }
}

/** Sets the text unless the element has it already. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
