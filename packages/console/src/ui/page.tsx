import { type ReactNode, useEffect } from "react";
import "./page.css";

interface PageProps {
  /** The heading, and the title of the browser tab. */
  readonly title: string;
  /** Buttons directly after the heading, which concern its text. */
  readonly besideTitle?: ReactNode;
  /** One sentence about the purpose of the page. */
  readonly description?: ReactNode;
  /** Buttons next to the heading. */
  readonly actions?: ReactNode;
  /** Links above the heading. */
  readonly above?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every page. */
export function Page({ title, besideTitle, description, actions, above, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – flags`;
  }, [title]);
  return (
    <main className="page" id="content" tabIndex={-1}>
      {above}
      <header className="page-header">
        <div className="page-heading">
          <div className="page-title">
            <h1>{title}</h1>
            {besideTitle}
          </div>
          {description === undefined ? null : <p className="muted">{description}</p>}
        </div>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}
