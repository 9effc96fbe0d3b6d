import { type ReactNode, useEffect } from "react";
import type { UseQueryResult } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import { describeError } from "./describe-error.ts";
import { Button } from "./button.tsx";
import "./page.css";

interface PageProps {
  /** The heading, and the title of the browser tab. */
  readonly title: string;
  /** One sentence about the purpose of the page. */
  readonly description?: ReactNode;
  /** Buttons next to the heading. */
  readonly actions?: ReactNode;
  /** Links above the heading. */
  readonly above?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every page. */
export function Page({ title, description, actions, above, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – flags`;
  }, [title]);
  return (
    <main className="page" id="content" tabIndex={-1}>
      {above}
      <header className="page-header">
        <div className="page-heading">
          <h1>{title}</h1>
          {description === undefined ? null : <p className="muted">{description}</p>}
        </div>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}

const ICONS = { error: CircleAlert, warning: TriangleAlert, info: Info, success: CircleCheck };

interface BannerProps {
  readonly kind: keyof typeof ICONS;
  readonly children: ReactNode;
}

/** A message within a page or dialog. Screen readers announce errors. */
export function Banner({ kind, children }: BannerProps) {
  const Icon = ICONS[kind];
  return (
    <div className={`banner banner-${kind}`} role={kind === "error" ? "alert" : "status"}>
      <Icon aria-hidden />
      <div>{children}</div>
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
}

/** Shown instead of a list without entries: what the list is for, and how to add something. */
export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, "data" | "error" | "refetch">;
  readonly children: (data: Data) => ReactNode;
}

/** Renders the data of a query, or that it is loading, or why it cannot be loaded. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) {
    return (
      <>
        {error === null ? null : (
          <Banner kind="warning">This may be outdated: {describeError(error)}</Banner>
        )}
        {children(data)}
      </>
    );
  }
  if (error === null) {
    return (
      <div className="loading" role="status">
        Loading…
      </div>
    );
  }
  return (
    <Banner kind="error">
      <p>{describeError(error)}</p>
      <Button size="small" onPress={() => void refetch()}>
        Try again
      </Button>
    </Banner>
  );
}

interface BadgeProps {
  readonly children: ReactNode;
  /** @default "neutral" */
  readonly kind?: "neutral" | "good" | "bad" | "warning" | "accent";
}

export function Badge({ children, kind = "neutral" }: BadgeProps) {
  return <span className={`badge badge-${kind}`}>{children}</span>;
}
