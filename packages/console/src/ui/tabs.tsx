import { type ReactNode, useEffect, useRef } from "react";
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from "react-aria-components/Tabs";
import "./tabs.css";

interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly {
    readonly id: Id;
    readonly label: string;
    readonly content: () => ReactNode;
  }[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
}

/** How much of the tab before the selected one is visible, in pixels. */
const MARGIN = 48;

/** Tabs of a page. Only the selected one is rendered. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect }: TabsProps<Id>) {
  const list = useRef<HTMLDivElement>(null);
  // On a phone, the list can be wider than the page.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    list.current?.scrollTo({ left: (tab?.offsetLeft ?? 0) - MARGIN });
  }, [selected]);
  return (
    <AriaTabs
      className="tabs"
      selectedKey={selected}
      onSelectionChange={(key) => {
        const tab = tabs.find(({ id }) => id === key);
        if (tab !== undefined) onSelect(tab.id);
      }}
    >
      <TabList ref={list} aria-label={label} className="tab-list">
        {tabs.map(({ id, label: name }) => (
          <Tab key={id} id={id} className="tab">
            {name}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {selected === id ? content() : null}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
