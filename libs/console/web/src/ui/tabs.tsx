import { useEffect, useRef, type ReactNode } from "react";
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from "react-aria-components";
import { Link, matchPath, usePathname } from "../router/index.tsx";

export interface TabEntry {
  id: string;
  label: ReactNode;
  content: ReactNode;
}

/** Tabs within a page. For parts of an area with an address of their own, use `NavTabs`. */
export function Tabs({ label, tabs, selected, onSelect }: { label: string; tabs: TabEntry[]; selected?: string; onSelect?: (id: string) => void }): ReactNode {
  return (
    <AriaTabs className="tabs" {...(selected !== undefined && { selectedKey: selected })} onSelectionChange={(key) => onSelect?.(String(key))}>
      <TabList aria-label={label} className="tab-list">
        {tabs.map((tab) => (
          <Tab key={tab.id} id={tab.id} className="tab">
            {tab.label}
          </Tab>
        ))}
      </TabList>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className="tab-panel">
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}

/** Links between the parts of an area. `also`: further patterns of paths that belong to a part, for example `/console/users/:id`. */
export function NavTabs({ label, tabs }: { label: string; tabs: { href: string; label: string; also?: string[] }[] }): ReactNode {
  const pathname = usePathname();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // scrollIntoView returns a promise in new browsers, which an effect must not return.
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [pathname]);
  return (
    <nav ref={nav} aria-label={label} className="tab-list nav-tabs">
      {tabs.map(({ href, label: text, also = [] }) => (
        <Link key={href} href={href} className="tab" aria-current={[href, ...also].some((pattern) => matchPath(pattern, pathname)) ? "page" : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
