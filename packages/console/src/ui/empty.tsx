import type { ReactNode } from "react";
import "./empty.css";

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
