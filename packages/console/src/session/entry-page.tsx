import { type ReactNode, useEffect } from "react";
import { applyTheme, readTheme } from "../app/remembered-choices.ts";
import { Page } from "../ui/page.tsx";
import "./entry-page.css";

interface EntryPageProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** What to do if none of the above helps. */
  readonly help?: ReactNode;
  readonly children: ReactNode;
}

/** A page for people who are not signed in. */
export function EntryPage({ title, description, help, children }: EntryPageProps) {
  useEffect(() => applyTheme(readTheme()), []);
  return (
    <div className="entry">
      <header className="entry-brand">
        <img src="./icon.svg" alt="" width="40" height="40" />
        flags
      </header>
      <Page title={title} description={description}>
        {children}
      </Page>
      {help === undefined ? null : <footer className="entry-help muted">{help}</footer>}
    </div>
  );
}
